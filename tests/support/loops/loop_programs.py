"""Random programs with loops: nests, carried arrays, conditions, aliasing views, early exits."""

from __future__ import annotations

from random import Random

HEAD = """\
import math
import numpy as np

def program(a, b, m, ints, mask, n, x, s):
"""

ARRAYS = ("a", "b")
"""Of float64, one dimension, the same length."""


WORDS = """\
own = {"t": x, "k": 0, "w": u, "log": []}
def slope(y, by=0.5):
    if own["k"] > 3:
        return y * by - own["t"]
    return y * by * x + own["t"]
scaled = lambda y, z=2: slope(y, 0.25) * z + s
"""
"""Dicts and functions of a program's own."""


class Writer:
    """Writes one program.

    Parameters
    ----------
    seed : int
        The same program every time.
    lists : bool
        Whether it has lists, too, and random draws.
    words : bool
        Whether it has dicts, functions of its own, ``try``, ``:=`` and the like, and takes a dict.
    """

    def __init__(self, seed: int, *, lists: bool = False, words: bool = False) -> None:
        self.random = Random(seed)
        self.lists = lists
        self.words = words
        self.lines: list[str] = []
        self.loops: list[str] = []
        self.depth = 1

    def text(self) -> str:
        """The function."""
        r = self.random
        self.emit(f"total, count, flag = {r.choice(('0', '0.0', 's'))}, 0, False")
        self.emit("view = a[1:]" if r.random() < 0.5 else "view = b[::-1]")
        self.emit("u, v = a.copy(), b")
        if self.lists:
            self.emit(f"kept, places, frames = [{r.choice(('x', 's', 'a[0]'))}], [], []")
            self.emit("rng, other = np.random.default_rng(5), kept")
        if self.words:
            for line in WORDS.splitlines():
                self.emit(line)
        self.loop(r.choice(("range", "range", "while", "rows", "zip", "enumerate")))
        if r.random() < 0.3:
            self.loop("range")
        more = ", kept, places, frames, other, rng" if self.lists else ""
        more += ", own, p['w'], [slope(x)]" if self.words else ""
        self.emit(f"return total, count, flag, u, v, view, a, b, m, ints, x, s{more}")
        head = HEAD.replace("x, s)", "x, s, p)") if self.words else HEAD
        return head + "\n".join(self.lines) + "\n"

    def emit(self, line: str) -> None:
        """Add a line."""
        self.lines.append("    " * self.depth + line)

    def loop(self, kind: str) -> None:
        """Write a loop."""
        r = self.random
        index = f"i{len(self.loops)}"
        self.loops.append(index)
        if kind == "while":
            self.emit(f"{index} = {r.choice(('0', 'n - 1'))}")
            self.emit(f"while {index} < 2 * n and ({self.condition()}):")
        elif kind == "rows":
            self.emit("for row in m:")
        elif kind == "zip":
            self.emit(f"for {index}, y in zip(range(len(a)), b):")
        elif kind == "enumerate":
            self.emit(f"for {index}, y in enumerate(a):")
        else:
            ranges = ("n", "1, n", "n - 1, -1, -1", "0, n, 2", "len(a) - 1", "max(count, -n), n")
            bounds = r.choice(ranges)
            self.emit(f"for {index} in range({bounds}):")
        known = kind != "rows"
        self.depth += 1
        if kind == "while":
            self.emit(f"{index} += {r.choice(('1', '2'))}")
        if kind == "rows":
            self.emit(r.choice(("total += row[0]", "row += 1.0", "s = s + row.sum()")))
        for _ in range(r.randint(1, 4)):
            self.statement(index if known and kind != "while" else "")
        self.depth -= 1
        self.loops.pop()
        if r.random() < 0.25:
            self.emit("else:")
            self.depth += 1
            self.statement("")
            self.depth -= 1

    def exit(self) -> str:
        """What ends the function within a loop."""
        values = ("total", "(count, x * 2, None)", "a[1:], u", "", "flag", "u + s")
        ways = (*(f"return {value}".strip() for value in values), "raise ValueError(f'{count}')")
        return self.random.choice(ways)

    def statement(self, index: str) -> None:
        """Write one statement."""
        r = self.random
        if self.lists and r.random() < 0.4:
            self.emit(self.of_list(index))
            return
        if self.words and r.random() < 0.5:
            for line in self.of_words(index).splitlines():
                self.emit(line)
            return
        choice = r.random()
        if choice < 0.12 and self.depth < 4:
            self.emit(f"if {self.condition()}:")
            self.depth += 1
            for _ in range(r.randint(1, 2)):
                self.statement(index)
            if r.random() < 0.2:
                jumps = ("break", "continue") if self.loops else ()
                self.emit(r.choice((*jumps, self.exit())))
            self.depth -= 1
            if r.random() < 0.5:
                self.emit("else:")
                self.depth += 1
                self.statement(index)
                self.depth -= 1
        elif choice < 0.2 and self.depth < 3:
            self.loop("range")
        elif choice < 0.4:
            name = r.choice(("total", "s", "x"))
            value = self.number(index)
            self.emit(
                f"{name} {r.choice(('+=', '-='))} {value}"
                if r.random() < 0.7
                else f"{name} = 1.0 * ({value})"
            )
        elif choice < 0.47:
            self.emit(f"count {r.choice(('+=', '='))} {self.integer(index)}")
        elif choice < 0.52:
            self.emit(f"flag = {self.condition()}")
        elif choice < 0.72:
            target = r.choice((*ARRAYS, "u", "v", "view"))
            self.emit(
                f"{target}[{self.place(index)}] {r.choice(('=', '+=', '*='))} {self.number(index)}"
            )
        elif choice < 0.8:
            low, high = r.choice((("1", "-1"), ("", "-2"), ("2", ""), ("1", "n // 2")))
            width = {
                ("1", "-1"): ("2:", ":-2"),
                ("", "-2"): ("1:-1", "2:"),
                ("2", ""): (":-2", "1:-1"),
            }
            name = r.choice(ARRAYS)
            if (low, high) in width:
                one, two = width[low, high]
                other = r.choice(ARRAYS)
                value = f"0.5 * ({other}[{one}] + {name}[{two}])"
            else:
                value = self.number(index)
            self.emit(f"{name}[{low}:{high}] {r.choice(('=', '+=', '-='))} {value}")
        elif choice < 0.86:
            self.emit(
                r.choice(
                    (
                        "u, v = v, u",
                        "u = u + b * 0.25",
                        "v = u.copy()",
                        "u = a",
                        "view = u[1:-1]",
                        "u = (u * u) ** 1.5",
                        "v = 0.5 * u ** 3",
                        "v = (u * u + 1) ** -1.5",
                    )
                )
            )
        elif choice < 0.9:
            self.emit(
                r.choice(
                    (
                        "m[1:, :] += m[:-1, :] * 0.5",
                        "m[:, 0] = m[:, 1]",
                        "m[0] -= m[1]",
                        "m *= 0.5",
                        "m[:, :3] += np.diag(np.diag(m))",
                        "m[(count % 3, 1)] -= 0.5",
                        "np.divide(m, m[0], out=m, where=m[0] > 0.5)",
                        "m[count % 3][1] += s",
                        "m[0][1:3] = m[1][:2]",
                    )
                )
            )
        elif choice < 0.95:
            self.emit(
                r.choice(
                    (
                        "a[mask] = 0.5",
                        "u[a > b] *= 0.5",
                        "total += u[ints].sum()",
                        "b[ints] = a[ints]",
                    )
                )
            )
        else:
            self.emit(
                r.choice(
                    (
                        "s = np.max(u)",
                        "s = a @ b",
                        "total = total + np.mean(m)",
                        "count = count + int(np.argmax(u))",
                    )
                )
            )

    def of_list(self, index: str) -> str:
        """A statement about lists, or a random draw."""
        r = self.random
        return r.choice(
            (
                f"kept.append({self.number(index)})",
                f"kept.append(float({self.number(index)}))",
                f"places.append({self.integer(index)})",
                "frames.append(u)",
                "frames.append(b[1:])",
                "if len(frames) > 1: frames[-1][0] = 0.5",
                "if places: count = places.pop()",
                "places = [k * 2 for k in places if k < 5]",
                "kept[-1] = kept[0] * 0.5",
                "kept[count % 3] += 0.25",
                "places.reverse()",
                "u = np.array(kept)[:1] + u",
                "for k, y in enumerate(kept[:3]): total = total + k * y",
                "s = max(kept) + np.mean(kept)",
                "total = 1.0 * sum(places) + len(kept)",
                "flag = any(y > 0.5 for y in kept)",
                "u = rng.permutation(u)",
                "s = s + rng.choice(b)",
                "rng.shuffle(a)",
                "x = float(rng.exponential()) + rng.random()",
                "ints = np.sort(rng.integers(0, n, 3))",
                "where = np.flatnonzero(mask); u[where] *= 0.5",
                "kept.append(kept.pop(0))",
                "frames = frames[1:]",
                "kept.sort(reverse=True)",
                "if count not in places: places.append(divmod(count, 3)[1])",
                "assert len(places) < 90, count",
                "for k, y in enumerate(places, start=count % 3): flag = k in (y, 1, 2)",
                "places = sorted(places)[:6]",
                "places = [k + j for k in range(2) for j in places[:3] if j < 4]",
                "if frames: s = s + sum(frames[:1] + frames[:1])[0]",
                "flag = all(j < 4 for k in (1, 2) for j in places[k:])",
            )
        )

    def of_words(self, index: str) -> str:
        """Statements with what Python has words for."""
        r = self.random
        number, integer = self.number(index), self.integer(index)
        return r.choice(
            (
                f"own['t'] = {number} + own['t']",
                f"own['k'] += {integer}",
                "own['w'] = own['w'] * 0.5",
                f"own['w'][count % 3] = {number}",
                f"own['log'].append(float({number}))",
                "if 't' in own and own['log']: x = own['log'][-1]",
                f"p['t'] = p['t'] + {number} * np.float64(0.5)",
                "p['n'] += 1",
                "p['w'] = p['w'] + u[0]",
                f"p['w'][0] = {number}",
                f"s = s + p['c'] * p['w'][-1] + slope({number})",
                f"total = total + scaled({number}) + p['t'] * 0.5",
                f"if (found := {integer}) > 2: count = found % 7",
                f"while (found := count - {integer}) > 9: count = count // 2",
                f"try: x = x * 0.5 + 1.0 / ({integer})\nexcept ZeroDivisionError: count += 5",
                f"try: u[{self.place(index)}] = x\n"
                "except (IndexError, ValueError) as e: flag = True\nelse: count += 1",
                "with np.errstate(divide='ignore'):\n    s = s + np.minimum(a[0] / (x - x), 2.0)",
                "with np.errstate(all='ignore'):\n    if flag: continue\n    s = s / (1.0 + s * s)"
                if self.loops
                else "with np.errstate(all='ignore'): s = s * 0.5",
                "if p['mode'] == 'some' or slope is None: count += 1\nelif no_such_name: pass",
                f"most = (count % 3 or {integer}) + 1\ncount = most % 11\ndel most",
                "first, *rest = (u, 0.5, s)\ns = s + rest[0] * rest[-1]",
                "assert isinstance(u, np.ndarray) and not isinstance(count, str), count",
            )
        )

    def place(self, index: str) -> str:
        """An index into an array of one dimension; at times one that is too large."""
        r = self.random
        choices = ["0", "-1", "count % 3", "n - 2", "ints[0]"]
        if index:
            choices += [f"{index} - 1", f"{index} // 2", f"-{index} // 3", f"{index} % 4"]
            if r.random() < 0.1:
                choices.append(f"{index} + 2")
        return r.choice(choices)

    def integer(self, index: str) -> str:
        """An integer."""
        r = self.random
        choices = [
            "1",
            "count % 5",
            "-count // 2",
            "int(x)",
            "len(a)",
            "ints[1]",
            "count & 6",
            "abs(count) + 2",
        ]
        if index:
            choices += [
                index,
                f"{index} * {index}",
                f"min({index}, 3)",
                f"{index} ** 2",
                f"{index} << 1",
            ]
        return r.choice(choices)

    def number(self, index: str) -> str:
        """A number."""
        r = self.random
        array = r.choice((*ARRAYS, "u", "v"))
        choices = [
            "0.5", "1", "x * 0.5", "s / 3", f"{array}[0] * x", f"{array}[-1] - s", "math.sin(x)",
            "np.sqrt(abs(s))", "float(s)", "max(x, 0.25)", "s if s < x else x", "np.exp(-abs(s))",
            f"np.sum({array})", "count / 7", "x // 0.7", "x % 0.7", "np.tanh(s) * 0.5",
            f"np.minimum({array}[1], 0.5)", "total * 0.5", "x ** 2", "m[0][1]", "bool(flag) * 1.0",
            f"max({array}[1], 0)", "min(1, x, s)", "total / 3", f"np.diag(m)[0] + {array}[0]",
        ]  # fmt: skip
        if index:
            choices += [
                f"{array}[{index} // 2] * 0.5",
                f"{array}[{index} - 1]",
                f"{index} * 0.125",
                f"x + {index}",
            ]
            if r.random() < 0.05:
                choices += [f"1.0 / {index}", f"a[0] / {index}"]
        return r.choice(choices)

    def condition(self) -> str:
        """A condition."""
        r = self.random
        return r.choice(
            (
                "x < 2.5", "s > 0", "a[0] < b[1]", "count % 2 == 0", "total <= 5", "not flag",
                "0 < count < 9", "a[1] < 1 and x > 0", "u is v",
                "(count, 1) == (n % 3, 1)", "flag or s < 3", "mask[0]", "count != 3",
            )
        )  # fmt: skip


def program(seed: int, *, lists: bool = False, words: bool = False) -> str:
    """The text of a random program: a function of three arrays, numbers and a mask."""
    return Writer(seed, lists=lists, words=words).text()


def recurrences(seed: int) -> str:
    """A random program whose loops read what they have written some iterations ago."""
    r = Random(seed)
    lines = []
    for _ in range(6):
        step = r.choice((1, 1, -1, 2, -2))
        name, other = r.choice((("a", "b"), ("b", "a"), ("view", "a"), ("a", "view")))
        upwards = ("4, n - 1", "3, n - 2", "count, n - 2", "0, n - 3", "n - 2, n - 1")
        bounds = r.choice(upwards if step > 0 else ("n - 4, 1", "n - 5, -1", "n - 3, count"))
        one, two, last = (
            f"{name}[k {'-' if far > 0 else '+'} {abs(far)}]"
            for far in (*(r.choice((1, 2, 3, -1)) * step for _ in range(2)), step)
        )
        body = [
            f"{name}[k] {r.choice(('=', '+='))} 0.5 * {one} - 0.25 * {two}",
            f"s = s + {one}",
        ]
        r.shuffle(body)
        extras = (
            f"{other}[k - 1] *= 0.5",
            f"if {name}[k] > 2: break",
            "if s > 90: continue",
            f"if s < -2: {name}[k] = {last} * 0.5\n            else: {name}[k] = s * 0.5",
            f"total += {other}[k + 1]",
            f"if s > 0: {name}[k] = {last} * 0.5",
        )
        body.insert(r.randint(0, 2), r.choice(extras))
        lines += [f"for k in range({bounds}, {step}):", *(f"    {line}" for line in body)]
    text = "\n".join(f"        {line}" for line in lines)
    head = "    total, count, view = 0.0, 0, a[1:]\n    for count in range(1, 4):\n"
    return f"{HEAD}{head}{text}\n    return total, count, a, b, view, s\n"


TOGETHER = """\
import numpy as np

W = (0.5, -0.25, 2.0)

def program(a, b, c, d, m, w, n, x):
    p, q = m.shape[0] - 2, m.shape[1] - 2
    t, u, full, half = a + b, a * x, m * 0.5, np.full((p, q), 0.125)
"""


class Together:
    """Writes statements on arrays of mostly one shape, some of which share memory.

    Parameters
    ----------
    seed : int
        The same program every time.
    """

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def text(self) -> str:
        """The function."""
        r = self.random
        lines = []
        for place in range(2):
            group = self.group(r.choice(("line", "line", "inside", "plane", "window")))
            if not place or r.random() < 0.2:
                group = [f"for k{place} in range(1, 4):", *(f"    {line}" for line in group)]
            lines += group
        ending = r.choice(("a, b, c, d, m, t, u, full, half", "t * u - a", "half, t, m[1:]", "u"))
        return TOGETHER + "".join(f"    {line}\n" for line in [*lines, f"return {ending}"])

    def group(self, kind: str) -> list[str]:
        """A few statements."""
        r = self.random
        lines: list[str] = []
        targets, new = {
            "line": (("a", "b[:]", "c", "d", "t"), ("t", "u", "e")),
            "inside": (("a[1:-1]", "b[1:-1]", "c[2:]", "t[:-2]"), ("e", "f")),
            "plane": (("m", "full", "full[:, :]"), ("full", "g")),
            "window": (("half", "m[1:-1, 1:-1]", "half[:]"), ("half", "h")),
        }[kind]
        for _ in range(r.randint(2, 6)):
            choice = r.random()
            leaf = self.leaves(kind, lines)
            if choice < 0.45:
                name = r.choice(new)
                lines.append(f"{name} = {self.value(leaf)}")
            elif choice < 0.75:
                lines.append(
                    f"{r.choice(targets)} {r.choice(('=', '+=', '*='))} {self.value(leaf)}"
                )
            elif choice < 0.87 and kind != "window":
                target = r.choice(targets)
                function = r.choice(("maximum", "minimum", "add"))
                lines.append(f"np.{function}({target}, {self.value(leaf)}, out={target})")
            else:
                lines += self.loop(kind, r.choice(targets), leaf)
        return lines

    def loop(self, kind: str, target: str, leaf: list[str]) -> list[str]:
        """A short loop over constants, or a statement that reads elsewhere."""
        r = self.random
        if kind == "window":
            return [
                "for i in range(3):",
                "    for j in range(3):",
                *(["        if i == j: continue"] if r.random() < 0.3 else []),
                f"        {target} += w[i, j] * m[i:i + p, j:j + q]",
            ]
        if kind == "plane":
            return [f"for s in W: {target} += s * {r.choice(leaf)}"]
        if kind == "inside":
            body = f"{target} = {target} * 0.5 + W[i] * b[i:i + n - 2]"
            return [f"for i in range({r.choice(('2', '3'))}):", f"    {body}"]
        return [f"{target} += {r.choice(('a[0]', 'c[n // 2] * b', 'np.roll(a, 1)', 'b[::-1]'))}"]

    def leaves(self, kind: str, lines: list[str]) -> list[str]:
        """Arrays of the shape; names that have been bound are among them."""
        found = {
            "line": ["a", "b", "c", "d", "t", "u"],
            "inside": ["a[1:-1]", "b[2:]", "c[:-2]", "d[1:-1]", "t[1:-1]", "u[2:]", "a[:-2]"],
            "plane": ["m", "full"],
            "window": ["half", "m[1:-1, 1:-1]", "m[2:, 1:-1]", "m[:-2, 2:]", "full[1:-1, :-2]"],
        }[kind]
        bound = {line.split(" ")[0] for line in lines} & {"e", "f", "g", "h"}
        return [*found, *sorted(bound), *sorted(bound)]

    def value(self, leaf: list[str]) -> str:
        """An expression that NumPy and C++ compute bit by bit the same.

        Nothing is -0, for which NumPy's own minimum depends on where it stands.
        """
        r = self.random

        def one() -> str:
            others = ("m[:, :1]", "full[0]") if "full" in leaf else ()
            return r.choice((*leaf, *leaf, *others, "x", "0.5"))

        first, second, third = r.choice(leaf), one(), one()
        return r.choice(
            (
                f"{first} + {second} * {third}",
                f"{first} - 0.25 * {second}",
                f"np.where({first} > {second}, {third}, {first})",
                f"np.maximum({first}, {second}) * {third}",
                f"np.abs({first}) / (2.0 + np.abs({second}))",
                f"{first} * 0.5",
                f"-{first}",
                f"({first} <= {second}) * 0.5 + {third}",
            )
        )


def together(seed: int) -> str:
    """The text of a random function of arrays that may share memory."""
    return Together(seed).text()
