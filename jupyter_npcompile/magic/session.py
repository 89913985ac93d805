"""One IPython session: which cells are compiled, and what is shown under them."""

from __future__ import annotations

import ast
import builtins
import contextlib
import os
import traceback
import weakref
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from IPython.core.error import UsageError
from IPython.core.inputtransformer2 import leading_indent
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display

from jupyter_npcompile.autodiff import latest
from jupyter_npcompile.autodiff.cells import GradientCell
from jupyter_npcompile.autodiff.tensor_cells import TensorCell, meeting
from jupyter_npcompile.cell import NotTraceable
from jupyter_npcompile.magic.between import Between
from jupyter_npcompile.magic.checking import CellCheck, begin_check
from jupyter_npcompile.magic.gradients import GradientHistory, begin_gradient, end_gradient
from jupyter_npcompile.magic.options import CellOptions, OptionError
from jupyter_npcompile.magic.stacking import Stacks
from jupyter_npcompile.magic.status import StatusComm
from jupyter_npcompile.magic.timed import TimedCell, TimedCells, in_cell
from jupyter_npcompile.magic.waiting import waiting_bar
from jupyter_npcompile.runtime import history, notices
from jupyter_npcompile.runtime.cells import CellHandle, compile_cell
from jupyter_npcompile.runtime.device.late import LostResultError
from jupyter_npcompile.runtime.devices import CPU
from jupyter_npcompile.runtime.function_handle import FunctionHandle, ask_again
from jupyter_npcompile.runtime.region_reports import COMPILING
from jupyter_npcompile.runtime.subjects import report_of
from jupyter_npcompile.runtime.worker import compiler
from jupyter_npcompile.tracer import interrupts
from jupyter_npcompile.views.bundle import mime_bundle

MAGIC = "%%npcompile"

Handle = CellHandle | CellCheck | GradientCell | TensorCell | TimedCell
"""What stands behind a cell that runs."""

MOST_SHOWN = 100
"""Cells whose reports are kept up to date, the latest."""


_NOT_TIMED = (
    "--check and --grad are about what names hold after a cell, and %%timeit leaves none: "
    "leave out either"
)

_SHOWN_BY_US = ("last_expr", "none")
"""Settings of IPython with which nothing is displayed but what the skeleton tells of."""


class _Refusal:
    """Stands in for a cell that cannot run: its magic line is wrong, or data is lost.

    IPython shows a ``UsageError`` as one line, but only when the running cell
    raises it, so that is what the cell does instead of its own statements.
    """

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __call__(self) -> None:
        raise self.error


_REFUSAL = "__npcompile_refusal__"


class Session(ast.NodeTransformer):
    """Watches the cells of a shell.

    Parameters
    ----------
    shell : InteractiveShell
        The shell.
    """

    def __init__(self, shell: InteractiveShell) -> None:
        self.shell = shell
        self.always = False
        self.between = Between(shell)
        self.gradients = GradientHistory()
        self.status: StatusComm | None = None
        self.running: list[tuple[Handle, CellOptions, Any, ExitStack]] = []
        self._text = ""
        self._stacks = Stacks()
        self._unread: Any = None
        self._cells: list[Any] = []
        self._shown: dict[object, tuple[CellHandle | FunctionHandle, Any]] = {}
        self.timed = TimedCells()
        self._told_of: Any = self

    # -- from text to a skeleton

    def mark(self, lines: list[str]) -> list[str]:
        """Input transformer: turn the magic line into a string that the next step finds.

        The line stays a line, so line numbers, tracebacks, ``await`` and
        display are IPython's own. IPython takes common indentation off a
        cell; the magic line, which has none, must not keep it from that. Where the next
        line is another magic's, what that runs as a cell gets our line.
        """
        lines = self._stacks.with_our_line(lines)
        magic = bool(lines) and is_magic(lines[0])
        if magic:
            rest = leading_indent(lines[1:])  # type: ignore[no-untyped-call]
            lines = [lines[0], *rest]
            called = self._stacks.called(lines) if is_valid(lines[0]) else None
            if called is not None:
                return called
        self._text = "".join(lines)
        return [repr(lines[0].strip()) + "\n", *lines[1:]] if magic else lines

    def visit(self, tree: ast.AST) -> ast.AST:
        """AST transformer: rewrite a marked cell into its skeleton."""
        info, self._unread = self._unread, None
        try:
            return self._rewritten(tree, self._parsed(info))
        except LostResultError as error:  # what it would compute with is not there
            return self._refused(error)

    def _parsed(self, info: Any) -> str | None:
        """What the parser was given for a cell, unless others have changed its tree."""
        text: str | None = getattr(info, "transformed_cell", None)
        return text if self.shell.ast_transformers[:1] == [self] else None

    def _rewritten(self, tree: ast.AST, parsed: str | None) -> ast.AST:
        if not isinstance(tree, ast.Module):
            return tree
        line, part = magic_line(tree), self.timed.part(tree)
        if part == "setup":
            return tree
        if line is None and not self.always:
            self.between.forget()
            return tree
        body = tree.body if line is None else tree.body[1:]
        plain = ast.Module(body=body, type_ignores=tree.type_ignores)
        if os.environ.get("NPCOMPILE_DISABLE", "") not in ("", "0") or not body:
            self.between.forget()
            return plain
        try:
            options = CellOptions.parse((line or MAGIC).removeprefix(MAGIC))
        except OptionError as error:
            return self._refused(UsageError(str(error)))
        if part == "body":
            self.between.forget()
            return self._timed(plain, options, is_marked=line is not None)
        waits = len(self._cells) == 1 and not self.running and options.device != CPU
        return self.prepare(plain, self._text, options, waits=waits, parsed=parsed)

    def prepare(
        self,
        tree: ast.Module,
        source: str,
        options: CellOptions,
        *,
        waits: bool = False,
        parsed: str | None = None,
    ) -> ast.Module:
        """What runs in place of a cell: its skeleton, or itself when it is checked.

        Parameters
        ----------
        tree : ast.Module
            The cell without its magic line.
        source : str
            Its text.
        options : CellOptions
            What the magic line says.
        waits : bool
            Whether it is the kernel that runs it, and nothing else runs.
        parsed : str, optional
            What the parser was given, if nobody has changed its tree since.
        """
        if options.grad or options.check:
            self.between.forget()
        if options.grad:
            cell = begin_gradient(self.shell, tree, source, options)
            self._expect(cell, options)
            return cell.tree
        if options.check:
            check = begin_check(self.shell, tree, source, options)
            if check is not None:
                self._expect(check, options)
            return tree
        names = meeting(tree, source, self.shell.user_ns)
        if names:
            self.between.forget()
            followed = TensorCell(tree, source, names, self.shell.user_ns)
            followed.enter()
            self._expect(followed, options)
            return followed.tree
        return self.compile(tree, source, options, waits=waits, parsed=parsed)

    def _timed(self, tree: ast.Module, options: CellOptions, *, is_marked: bool) -> ast.Module:
        """What runs in place of what ``%%timeit`` times; that itself where it must."""
        if options.grad or options.check:
            return self._refused(UsageError(_NOT_TIMED))
        raw = getattr(self._cells[-1], "raw_cell", None) if self._cells else None
        text, shift = in_cell(self._text, is_marked, raw or "")
        for statement in tree.body:
            ast.increment_lineno(statement, shift)
        names = meeting(tree, text, self.shell.user_ns)
        try:
            if names:
                raise NotTraceable(f"{names[0]} is a tensor with a history", tree.body[0].lineno)
            with interrupts.held():
                flags = self.shell.compile.flags & ~ast.PyCF_ONLY_AST
                cell = self.timed.cell(tree, text, options.runtime, self.shell.user_ns, flags)
                cell.enter()
                self._expect(cell, options)
            return cell.tree
        except SyntaxError:
            return tree  # IPython says where
        except NotTraceable as reason:
            print(f"npcompile: plain NumPy is timed: line {reason.line}: {reason.reason}")
        except Exception as error:
            print(f"npcompile: plain NumPy is timed: {type(error).__name__}: {error}")
        return tree

    def _refused(self, error: Exception) -> ast.Module:
        """What raises an error in place of a cell."""
        setattr(builtins, _REFUSAL, _Refusal(error))
        return ast.parse(f"{_REFUSAL}()")

    def compile(
        self,
        tree: ast.Module,
        source: str,
        options: CellOptions,
        *,
        waits: bool,
        parsed: str | None,
    ) -> ast.Module:
        """The skeleton of a cell; the cell itself when anything of ours fails."""
        interactivity, between = self.shell.ast_node_interactivity, self.between
        with interrupts.held():  # who takes must give back, and who enters must leave
            copies = between.take(options.device)
            waits = waits and interactivity in _SHOWN_BY_US and between.may_wait()
            try:
                handle = compile_cell(
                    tree,
                    source,
                    options.runtime,
                    display_last=interactivity != "none",
                    display_all=interactivity == "all",
                    place=place_of(self._cells[-1]) if self._cells else None,
                    copies=copies,
                    waits=between.quiet.ends_quietly if waits else None,
                    names=self.shell.user_ns,
                    parsed=parsed,
                    alone=self.shell.ast_transformers[-1:] == [self],
                )
            except Exception as error:
                if copies is not None:
                    copies.drop()
                where = traceback.extract_tb(error.__traceback__)[-1]
                print(
                    f"npcompile: this cell runs as plain Python: {type(error).__name__}: {error} "
                    f"({where.name})"
                )
                return tree
            handle.namespace = self.shell.user_ns
            handle.enter()
            self._expect(handle, options)
        if interactivity == "last_expr_or_assign":
            handle.program.tree.body.extend(_assigned(tree))
        return handle.program.tree

    def _expect(self, handle: Handle, options: CellOptions) -> None:
        """Note what must be finished when the present cell is over."""
        if self.status is not None:
            self.status.begin(options.device, ahead=options.ahead)
        bar = ExitStack()
        if options.ahead and not options.quiet:
            bar.enter_context(waiting_bar(self.shell))
        self.running.append((handle, options, self._cells[-1] if self._cells else None, bar))

    # -- before and after the run

    def start(self, info: Any) -> None:
        """A cell begins to run; a cell may run others."""
        if not self._cells:
            self._leave(None)
        ask_again()
        self._cells.append(info)
        self._stacks.begin()
        self._unread = info

    def over(self, result: Any) -> None:
        """A cell has run: finish what was compiled for it, and for silent cells in it.

        Parameters
        ----------
        result : ExecutionResult or None
            IPython's account of it, of which nothing can be taken for granted
            when the run was cut short.
        """
        if result is not None and (not result.info.raw_cell or result.info.raw_cell.isspace()):
            return  # nothing ran, and nobody said that it would
        latest.settle()
        self._unread = None
        self._leave(self._cells.pop() if self._cells else None, result)
        unused = self._stacks.end()
        if unused is not None and result is not None and result.success:
            print(f"npcompile: nothing was compiled: %%{unused} has run no cell of Python")

    def _leave(self, info: Any, result: Any = None) -> None:
        vars(builtins).pop(_REFUSAL, None)
        while self.running and self.running[-1][2] is info:
            self.finish(result)

    def finish(self, result: Any = None) -> None:
        """The cell that was compiled last is over: take the handle away, show the report.

        Parameters
        ----------
        result : ExecutionResult or None
            IPython's account of it, which a check compares with its own.
        """
        if not self.running:
            return
        handle, options, info, bar = self.running.pop()
        with interrupts.held(), bar:
            self._finish(handle, options, info, result)
        if self.status is not None and not self.running:
            self.status.end()
        if not options.quiet:
            for line in notices.take():
                print(f"npcompile: {line}")

    def _finish(
        self,
        handle: Handle,
        options: CellOptions,
        info: Any,
        result: Any,
    ) -> None:
        if isinstance(handle, CellCheck):
            handle.finish(result)
            return
        if isinstance(handle, GradientCell):
            end_gradient(handle, self.gradients, quiet=options.quiet, source=handle.source)
            return
        if isinstance(handle, TensorCell):
            handle.leave()
            if not options.quiet:
                print("\n".join(f"npcompile: {line}" for line in handle.notes))
            return
        if isinstance(handle, TimedCell):
            handle.leave()
            if not (options.quiet or self._told_of is info):  # a loop may time it more than once
                self._show(handle.handle, info)
            self._told_of = info
            return
        handle.leave(completed=result is not None and result.success)
        self.between.keep(handle.release(), None if self.running else result)
        if info is not None and self._told_of is info and handle.is_empty:
            return  # it was a call of the magic that times, and nothing else
        history.remember(handle)
        if not options.quiet:
            self._show(handle, info)

    def _show(self, handle: CellHandle | FunctionHandle, info: Any) -> None:
        """Show the report, and show it again when more is known."""
        report = report_of(handle)
        shown = display(  # type: ignore[no-untyped-call]
            mime_bundle(report), raw=True, display_id=True
        )
        if shown is None:
            return
        compiles = any(COMPILING in region.note for region in report.regions)
        if not (compiles or self.between.waits):
            return
        update = self._updating(shown, handle, place_of(info))
        if compiles:
            compiler.after(update)
        if self.between.waits:
            self.between.when_settled(update)

    def _updating(
        self, shown: Any, handle: CellHandle | FunctionHandle, place: str | None
    ) -> Callable[[], None]:
        """What shows the report again, if the cell has not been edited, or run again, by then.

        What waits for the compiler does not keep the cell: else nobody would notice
        that nothing of it is needed any more.
        """
        key = place or handle.source
        self._shown.pop(key, None)
        self._shown[key] = handle, shown
        while len(self._shown) > MOST_SHOWN:
            self._shown.pop(next(iter(self._shown)))
        known = weakref.ref(handle)

        def update() -> None:
            found = known()
            if found is None:
                return
            _, latest = self._shown.get(key, (found, shown))
            if latest is shown:
                shown.update(mime_bundle(report_of(found)), raw=True)

        return update


def place_of(info: Any) -> str | None:
    """Which cell of the notebook runs, if the frontend tells; IPython's account does."""
    place: str | None = getattr(info, "cell_id", None)
    return place


def _assigned(tree: ast.Module) -> list[ast.stmt]:
    """The expression that displays what the last statement assigns, as IPython has it."""
    last = tree.body[-1] if tree.body else None
    target = getattr(last, "target", None)
    if isinstance(last, ast.Assign) and len(last.targets) == 1:
        target = last.targets[0]
    if not isinstance(last, ast.Assign | ast.AugAssign | ast.AnnAssign):
        return []
    if not isinstance(target, ast.Name):
        return []
    name = ast.Name(target.id, ast.Load())
    return [ast.fix_missing_locations(ast.copy_location(ast.Expr(name), target))]


def is_magic(line: str) -> bool:
    """Whether a line is our cell magic.

    Examples
    --------
    >>> is_magic("%%npcompile --ahead"), is_magic("%%npcompiled")
    (True, False)
    """
    return line.startswith(MAGIC) and (
        line[len(MAGIC) :].strip() == "" or line[len(MAGIC)] in " \t"
    )


def is_valid(line: str) -> bool:
    """Whether a magic line says nothing that it cannot say."""
    with contextlib.suppress(OptionError):
        CellOptions.parse(line.strip().removeprefix(MAGIC))
        return True
    return False


def magic_line(tree: ast.Module) -> str | None:
    """The magic line that ``mark`` has left in a cell, or None."""
    first = tree.body[0] if tree.body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        text = first.value.value
        if isinstance(text, str) and first.lineno == 1 and is_magic(text):
            return text
    return None
