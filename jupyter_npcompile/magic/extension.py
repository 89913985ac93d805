"""Registers the magics with IPython."""

from __future__ import annotations

import ast
from typing import Any, cast

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.display import display

from jupyter_npcompile.api import latest_report
from jupyter_npcompile.autodiff import latest
from jupyter_npcompile.autodiff.errors import GradientError
from jupyter_npcompile.forks import HAS_FORK
from jupyter_npcompile.graph import dot
from jupyter_npcompile.graph.facts import level_text
from jupyter_npcompile.graph.timing import Timing, time_rows
from jupyter_npcompile.magic.caching import cache_command
from jupyter_npcompile.magic.fixing import fixes_for
from jupyter_npcompile.magic.options import CellOptions, OptionError
from jupyter_npcompile.magic.session import MAGIC, Session
from jupyter_npcompile.magic.status import StatusComm
from jupyter_npcompile.magic.waiting import waiting_bar
from jupyter_npcompile.runtime import (
    artifacts,
    cells,
    history,
    loop_reports,
    loop_store,
    notices,
)
from jupyter_npcompile.runtime.bandwidth import bandwidth
from jupyter_npcompile.runtime.compile_worker import (
    NO_FORK,
    forgive_all,
    stop_all,
    troubles,
    warm_up,
)
from jupyter_npcompile.runtime.device.device import DeviceError
from jupyter_npcompile.runtime.device.prediction import predictions, rates_of
from jupyter_npcompile.runtime.devices import with_precision
from jupyter_npcompile.runtime.settings import settings
from jupyter_npcompile.runtime.stats import counters, stats
from jupyter_npcompile.runtime.subjects import report_of, states_of
from jupyter_npcompile.runtime.timing import measure
from jupyter_npcompile.runtime.worker import compiler
from jupyter_npcompile.views import live
from jupyter_npcompile.views.fixes import fixes_bundle
from jupyter_npcompile.views.gradients import gradient_text
from jupyter_npcompile.views.prediction import prediction_text
from jupyter_npcompile.views.report import Report
from jupyter_npcompile.views.times import times_text

COMMANDS = "report, graph, timing, grad, fix, status, clear, cache, device, whatif, on, off"


@magics_class
class NpcompileMagics(Magics):
    """``%npcompile`` and ``%%npcompile``."""

    def __init__(self, shell: InteractiveShell, session: Session) -> None:
        super().__init__(shell)
        self.session = session

    @line_magic("npcompile")  # type: ignore[arg-type]
    def command(self, line: str) -> Any:
        """Show or set what there is: report, graph, fix, status, cache, device and so on.

        ``graph`` opens the graph of what ran last, to look around in; ``timing``
        shows where its time goes, line by line and kernel by kernel; ``grad``
        the gradients of the last cell with ``--grad``, over all its runs, or of the
        function whose ``grad`` or ``value_and_grad`` was called since, which runs once more.
        ``fix`` rewrites the last cell where that takes break points away, tries
        each rewrite on copies of what the cell reads, and shows those that give
        the same results.
        ``cache`` shows the folder of compiled code that is kept for the next
        kernel, ``cache clear`` empties it, ``cache move FOLDER`` moves it.
        ``device NAME`` says where cells run that do not say it themselves;
        ``device`` shows that. ``whatif cuda`` predicts what the last cell or
        function would take on a device.
        """
        word = line.strip()
        if word.split(" ")[0] == "device":
            print(_device(word.removeprefix("device").strip()))
        elif word.split(" ")[0] == "whatif":
            print(_what_if(word.removeprefix("whatif").strip()))
        elif word.split(" ")[0] == "cache":
            print(cache_command(word.removeprefix("cache")))
        elif word in ("report", "graph", "timing"):
            report = latest_report()
            if report is None:
                print("no cell or function has been compiled yet")
            elif word == "report":
                report.show()
            else:
                self._look_into(report, word)
        elif word == "grad":
            self._gradients()
        elif word == "fix":
            self._fix()
        elif word == "status":
            print("\n".join([_status(self.session), *troubles(), *notices.take()]))
        elif word == "clear":
            count = artifacts.clear()
            cells.forget()
            counters.clear()
            latest.forget()
            self.session.timed.forget()
            forgive_all()
            print(f"forgot {count} artifact{'' if count == 1 else 's'} and every recorded cell")
        elif word in ("on", "off"):
            self.session.always = word == "on"
            print(f"cells without {MAGIC} are {'' if word == 'on' else 'not '}compiled from now on")
        else:
            raise UsageError(f"%npcompile has no command {word!r}. Valid commands: {COMMANDS}")
        return None

    def _look_into(self, report: Report, word: str) -> None:
        """Open the graph of what ran last, or where its time went, measured now."""
        try:
            report.timing = self._timing() if word == "timing" else Timing(bandwidth())
        except KeyboardInterrupt:
            print("interrupted: nothing was measured")
            return
        if live.show_graph(report, level=word if word == "timing" and time_rows(report) else ""):
            return
        if word == "timing":
            print(times_text(time_rows(report), report.timing))
        else:
            print(level_text(report))

    def _timing(self) -> Timing:
        """Where the time went, measured now; what has to be compiled for that shows a bar."""
        with waiting_bar(self.session.shell):
            return measure(history.latest())

    def _gradients(self) -> None:
        """Open the gradients of the last cell, or of the function that was called since."""
        try:
            found = self.session.gradients.shown()
        except GradientError as error:
            print(error)
            return
        if found is None:
            print(f"nothing has been differentiated yet: {MAGIC} --grad NAME, or npc.grad(f)(x)")
        elif not live.show_gradients(*found):
            print(gradient_text(found[0]))

    def _fix(self) -> None:
        subject = history.last()
        if not isinstance(subject, cells.CellHandle):
            print(f"no cell with {MAGIC} has run last")
            return
        try:
            found = fixes_for(self.session.shell, subject.source, subject.options.device)
        except KeyboardInterrupt:
            print("interrupted: nothing has changed")
            return
        display(fixes_bundle(found), raw=True)  # type: ignore[no-untyped-call]

    @cell_magic("npcompile")  # type: ignore[arg-type]
    def cell(self, line: str, cell: str) -> None:
        """Compile the NumPy in a cell, run it, and show what became of each line.

        ``--ahead``
            Compile first, then run. Otherwise NumPy runs until that is done.
        ``--quiet``
            Show nothing under the cell; with ``--check``, only differences.
        ``--grad loss --wrt w,b``
            Bind ``grads``: a dict from each variable to the gradient of
            ``loss``, of the same shape and dtype, and show it. Several names
            after ``--grad`` give a dict for each; ``--wrt`` takes patterns
            (``w*``), by default everything that the cell uses. What is no
            scalar needs ``--seed``: the weights of its elements.
        ``--device cuda``
            Where compiled code runs: ``cpu``, ``cuda``, ``cuda:1``, or
            ``standin``, a device without hardware: inputs are copied to memory
            that NumPy does not see, results are copied back. By default what
            ``%npcompile device`` says.
        ``--dtype float32``
            Compute in single precision on the device. Names keep their dtypes, and
            what was not written keeps its digits; the report says how large the
            error is, predicted and measured.
        ``--check``
            Look for differences from NumPy. The cell runs in NumPy, for real:
            names, output and exceptions are NumPy's. Then it runs compiled on
            copies of what it read, from the same random numbers, and what
            differs is shown with its line, the function, the distance in units
            in the last place, and a smallest call that fails. What the cell
            does outside its names (files, requests, drawing into an existing
            figure) therefore happens twice, or, to tell differences from what
            changes anyway, four times.
        """
        # In a notebook the magic line never gets here: the session's
        # transformers take it first. Other programs may call the magic.
        shell = self.session.shell
        source = f"{MAGIC} {line}\n{cell}"
        try:
            options = CellOptions.parse(line)
        except OptionError as error:
            raise UsageError(str(error)) from None
        text = shell.transform_cell(f"\n{cell}")  # type: ignore[no-untyped-call]
        text = "\n" + text.lstrip("\n")
        name = shell.compile.cache(text, shell.execution_count, raw_code=source)
        tree = cast("ast.Module", shell.compile.ast_parse(text, filename=name))
        body = self.session.prepare(tree, source, options).body
        last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
        try:
            if body:
                _run(ast.Module(body, []), name, "exec", shell)
            if last is not None:
                _run(ast.Interactive([last]), name, "single", shell)
        finally:
            self.session.finish()


def _run(tree: ast.Module | ast.Interactive, name: str, mode: str, shell: Any) -> None:
    exec(shell.compile(tree, name, mode), shell.user_global_ns, shell.user_ns)


def _device(name: str) -> str:
    """Set, if one is named, and tell where cells run."""
    if name:
        try:
            settings.device = name
        except ValueError as error:
            raise UsageError(f"%npcompile device: {error}") from None
    device = with_precision(settings.device, settings.dtype)
    return f"cells run on {device} unless they say something else"


def _what_if(name: str) -> str:
    """What the cell or function that ran last would take on a device."""
    subject = history.latest()
    if subject is None:
        return "no cell or function has been compiled yet"
    try:
        rates = rates_of(name or "cuda")
    except (ValueError, DeviceError) as error:
        raise UsageError(f"%npcompile whatif: {error}") from None
    found = predictions(states_of(subject), rates)
    loops = [one.lines for one in report_of(subject).regions if one.tier == loop_reports.TIER]
    return prediction_text(name or "cuda", found, rates, loops)


def _status(session: Session) -> str:
    counts = ", ".join(f"{count} {name}" for name, count in stats().items())
    device = with_precision(settings.device, settings.dtype)
    cells_on = "every cell" if session.always else f"cells with {MAGIC}"
    return (
        f"compiling {cells_on}; device {device}, tier {settings.tier}, "
        f"first run check {settings.first_run_check}; "
        f"{compiler.pending} compile{'' if compiler.pending == 1 else 's'} in progress; {counts}"
    )


_sessions: dict[int, Session] = {}


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Register the magics: ``%load_ext jupyter_npcompile``.

    Parameters
    ----------
    shell : InteractiveShell
        The shell; loading twice does no harm.
    """
    if id(shell) in _sessions:
        return
    session = _sessions[id(shell)] = Session(shell)
    latest.watch(True)
    shell.register_magics(NpcompileMagics(shell, session))
    shell.input_transformers_cleanup.append(session.mark)
    shell.ast_transformers.append(session)
    shell.events.register("pre_execute", session.between.execution)
    shell.events.register("pre_run_cell", session.start)
    shell.events.register("post_run_cell", session.over)
    if getattr(shell, "kernel", None) is not None:
        session.status = StatusComm()
    if settings.tier in ("auto", "inductor"):
        if not HAS_FORK:
            notices.say(NO_FORK)
        warm_up(loop_store.store.worker)  # that of segments takes seconds, and much memory
    dot.process.start()


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Take the magics away again: ``%unload_ext jupyter_npcompile``.

    Parameters
    ----------
    shell : InteractiveShell
        The shell; nothing happens where they are not.
    """
    session = _sessions.pop(id(shell), None)
    if session is None:
        return
    if session.status is not None:
        session.status.close()
    shell.input_transformers_cleanup.remove(session.mark)
    shell.ast_transformers.remove(session)
    shell.events.unregister("pre_execute", session.between.execution)
    session.between.stop()
    shell.events.unregister("pre_run_cell", session.start)
    shell.events.unregister("post_run_cell", session.over)
    if not _sessions:
        stop_all()
        dot.process.close()
        latest.watch(False)
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop("npcompile", None)
