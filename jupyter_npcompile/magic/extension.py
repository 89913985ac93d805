"""Registers the magics with IPython."""

from __future__ import annotations

import ast
from typing import Any, cast

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class

from jupyter_npcompile.api import last_report
from jupyter_npcompile.magic.caching import cache_command
from jupyter_npcompile.magic.options import CellOptions, OptionError
from jupyter_npcompile.magic.session import MAGIC, Session
from jupyter_npcompile.runtime import artifacts, cells, notices
from jupyter_npcompile.runtime.settings import settings
from jupyter_npcompile.runtime.stats import counters, stats
from jupyter_npcompile.runtime.worker import compiler

COMMANDS = "report, status, clear, cache, on, off"


@magics_class
class NpcompileMagics(Magics):
    """``%npcompile`` and ``%%npcompile``."""

    def __init__(self, shell: InteractiveShell, session: Session) -> None:
        super().__init__(shell)
        self.session = session

    @line_magic("npcompile")  # type: ignore[arg-type]
    def command(self, line: str) -> Any:
        """Show or set things: report, status, clear, cache, on, off.

        ``cache`` shows the folder of compiled code that is kept for the next
        kernel, ``cache clear`` empties it, ``cache move FOLDER`` moves it.
        """
        word = line.strip()
        if word.split(" ")[0] == "cache":
            print(cache_command(word.removeprefix("cache")))
        elif word == "report":
            report = last_report()
            if report is None:
                print("no cell or function has been compiled yet")
                return None
            report.show()
        elif word == "status":
            print("\n".join([_status(self.session), *notices.take()]))
        elif word == "clear":
            count = artifacts.clear()
            cells.forget()
            counters.clear()
            print(f"forgot {count} artifact{'' if count == 1 else 's'} and every recorded cell")
        elif word in ("on", "off"):
            self.session.always = word == "on"
            print(f"cells without {MAGIC} are {'' if word == 'on' else 'not '}compiled from now on")
        else:
            raise UsageError(f"%npcompile has no command {word!r}. Valid commands: {COMMANDS}")
        return None

    @cell_magic("npcompile")  # type: ignore[arg-type]
    def cell(self, line: str, cell: str) -> None:
        """Compile the NumPy in a cell, run it, and show what became of each line.

        ``--ahead``
            Compile first, then run. Otherwise NumPy runs until that is done.
        ``--quiet``
            Show nothing under the cell; with ``--check``, only differences.
        ``--device cpu``
            Where compiled code runs.
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


def _status(session: Session) -> str:
    counts = ", ".join(f"{count} {name}" for name, count in stats().items())
    cells_on = "every cell" if session.always else f"cells with {MAGIC}"
    return (
        f"compiling {cells_on}; tier {settings.tier}, first run check {settings.first_run_check}; "
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
    shell.register_magics(NpcompileMagics(shell, session))
    shell.input_transformers_cleanup.append(session.mark)
    shell.ast_transformers.append(session)
    shell.events.register("pre_run_cell", session.start)
    shell.events.register("post_run_cell", session.over)
    if settings.tier in ("auto", "inductor"):
        artifacts.store.warm_up()


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Take the magics away again: ``%unload_ext jupyter_npcompile``."""
    session = _sessions.pop(id(shell), None)
    if session is None:
        return
    shell.input_transformers_cleanup.remove(session.mark)
    shell.ast_transformers.remove(session)
    shell.events.unregister("pre_run_cell", session.start)
    shell.events.unregister("post_run_cell", session.over)
    if not _sessions:
        artifacts.store.stop()
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop("npcompile", None)
