"""The driver of all iterations of a loop. Imports torch."""

from __future__ import annotations

from jupyter_npcompile.autodiff.graph_loops import Carry
from jupyter_npcompile.autodiff.loop_drivers import Part, copied, loaded
from jupyter_npcompile.autodiff.loop_operations import LoopPlan
from jupyter_npcompile.autodiff.loop_writing import BuiltLoop, Compile, LoopWriter, passed, whole


def forward(plan: LoopPlan, name: str, compile: Compile) -> BuiltLoop:
    """All iterations.

    Parameters
    ----------
    plan : LoopPlan
        The loop.
    name : str
        Of the driver.
    compile : callable
        Compiles an iteration.
    """
    return _Forward(plan, name, compile).built_loop()


class _Forward:
    def __init__(self, plan: LoopPlan, name: str, compile: Compile) -> None:
        self._plan, self._loop = plan, plan.loop
        self._writer = LoopWriter(plan, name, len(plan.operands), plan.body, compile)
        self._driver = self._writer.driver
        self._given = {id: f"inputs[{k}]" for k, id in enumerate(plan.loop.operands)}
        count = len(plan.results)
        self._changed = {id: f"outputs[{count + k}]" for k, id in enumerate(plan.loop.changed)}
        self._check = count + len(self._changed)
        self._kept = {k: f"outputs[{self._check + 1 + n}]" for n, k in enumerate(plan.kept)}
        self._sizes = [kind.nbytes for kind in plan.inputs]
        windows = {self._place(window.input) for window in plan.loop.windows}
        self._steady = set(range(len(plan.ids))) - windows
        self._passed = {
            o: k
            for o, kind in enumerate(plan.results)
            if (k := passed(plan.body, o, kind.shape)) in self._steady
        }

    def built_loop(self) -> BuiltLoop:
        plan, loop, writer, driver = self._plan, self._loop, self._writer, self._driver
        driver.before.append("bool good = true;")
        for id, place in self._changed.items():
            driver.before.append(copied(place, self._given[id], writer.kinds[id].nbytes))
        for carry in loop.carries:
            self._begin(carry)
        for made, id in loop.invariants:
            driver.before.append(f"in[{self._place(made)}] = {self._given[id]};")
        stores = self._windows()
        writer.tables()
        for o in range(len(plan.results)):
            self._result(o)
        flag = len(plan.results) + len(plan.changes)
        driver.before.append(f"out[{flag}] = {driver.room(1)};")
        writer.arguments(len(plan.ids))
        writer.call([*(plan.out(k).nbytes for k in range(flag)), 1], self._steady)
        driver.body.append(f"good = good && *(bool*)out[{flag}];")
        for o, part, array in stores:
            if o in plan.body.placed:
                writer.clear(o, part, array)
            writer.store(o, part, array)
        for o, kind in enumerate(plan.results):
            if o in plan.body.placed and o not in self._passed:
                writer.clear(o, whole(kind), f"out[{o}]")
                writer.store(o, whole(kind), f"out[{o}]")
        for carry in loop.carries:
            self._hand_on(carry)
        for o, k in self._passed.items():
            driver.after.append(copied(f"outputs[{o}]", f"in[{k}]", self._sizes[k]))
        driver.after.append(f"*(bool*)outputs[{self._check}] = good;")
        return writer.built(len(plan.ids), flag + 1, f"int64_t i = 0; i < {loop.count}; ++i")

    def _place(self, id: int) -> int:
        return self._writer.position[id]

    def _begin(self, carry: Carry) -> None:
        """Where an iteration finds what it carries."""
        k = self._place(carry.input)
        first = self._given[carry.first]
        if k in self._kept:
            self._driver.before.append(copied(self._kept[k], first, self._sizes[k]))
            self._driver.body.append(f"in[{k}] = {self._kept[k]} + i * {self._sizes[k]};")
        else:
            self._driver.before.append(f"char* now{k} = {first};")
            self._driver.body.append(f"in[{k}] = now{k};")

    def _hand_on(self, carry: Carry) -> None:
        """What the next iteration finds."""
        k, o = self._place(carry.input), self._loop.results.index(carry.source)
        source = f"in[{self._passed[o]}]" if o in self._passed else f"out[{o}]"
        if k not in self._kept:
            self._driver.body.append(f"now{k} = {source};")
        elif o in self._passed or k != self._holder(o):
            following = f"{self._kept[k]} + (i + 1) * {self._sizes[k]}"
            copy = copied(following, source, self._sizes[k])
            self._driver.body.append(f"if (i + 1 < {self._loop.count}) {copy}")

    def _carried(self, o: int) -> list[int]:
        """The inputs that a result is for."""
        source = self._loop.results[o]
        return [self._place(c.input) for c in self._loop.carries if c.source == source]

    def _holder(self, o: int) -> int | None:
        """The input among whose values, all of which are kept, a result is made."""
        return next((k for k in self._carried(o) if k in self._kept), None)

    def _result(self, o: int) -> None:
        """Where a result is made: the one of the last iteration is handed out."""
        kind = self._plan.results[o]
        carried = self._carried(o)
        holder = self._holder(o)
        if o in self._passed:
            return
        if not carried:
            self._driver.before.append(f"out[{o}] = outputs[{o}];")
            return
        if holder is not None:
            following = f"{self._kept[holder]} + (i + 1) * {kind.nbytes}"
        else:
            rooms = 2 + max(map(self._followers, carried))
            ring = self._driver.room(rooms * kind.nbytes)
            following = f"{ring} + i % {rooms} * {kind.nbytes}"
        last = f"i + 1 < {self._loop.count}"
        self._driver.body.append(f"out[{o}] = {last} ? {following} : outputs[{o}];")

    def _followers(self, k: int) -> int:
        """How many iterations what an input was is still looked at, by other names."""
        after = [
            self._place(carry.input)
            for carry in self._loop.carries
            if self._passed.get(self._loop.results.index(carry.source)) == k
        ]
        return max((1 + self._followers(n) for n in after if n not in self._kept), default=0)

    def _windows(self) -> list[tuple[int, Part, str]]:
        """What an iteration sees of arrays; returns where it stores, and which result."""
        driver, stores = self._driver, []
        for window in self._loop.windows:
            k = self._place(window.input)
            part, start = self._writer.part(window)
            array = f"({self._changed.get(window.array, self._given[window.array])} + {start})"
            if k in self._kept:
                driver.body.append(f"in[{k}] = {self._kept[k]} + i * {self._sizes[k]};")
                driver.body.append(loaded(part, f"in[{k}]", array))
            elif part.is_dense:
                driver.body.append(f"in[{k}] = {array};")
            else:
                driver.before.append(f"in[{k}] = {driver.room(part.nbytes)};")
                driver.body.append(loaded(part, f"in[{k}]", array))
            if window.input in self._loop.written:
                o = len(self._plan.results) + self._plan.changes.index(window.input)
                if o not in self._plan.body.placed:
                    driver.before.append(f"out[{o}] = {driver.room(part.nbytes)};")
                stores.append((o, part, array))
        return stores
