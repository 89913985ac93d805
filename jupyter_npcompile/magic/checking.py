"""``%%npcompile --check``: the cell runs in NumPy, a copy of it compiled, and both are compared."""

from __future__ import annotations

import ast
import builtins
import contextlib
import copy
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, cast

import IPython
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display

from jupyter_npcompile.magic.options import CellOptions
from jupyter_npcompile.runtime import history
from jupyter_npcompile.runtime.cell_comparison import DISPLAYED, Cell, CellTrial
from jupyter_npcompile.runtime.observation import Observation, raised
from jupyter_npcompile.runtime.subjects import report_of
from jupyter_npcompile.views.bundle import MIME_TYPE
from jupyter_npcompile.views.comparison import Comparison, comparison_html, comparison_text

_IPYTHON = str(Path(IPython.__file__).parent)


class _Tee:
    """Writes down what a cell prints, and the warnings that it shows, while it runs.

    Nothing is kept back: everything goes where it would have gone.
    """

    def __init__(self, shell: InteractiveShell) -> None:
        self.text: list[str] = []
        self.warnings: list[tuple[str, str, str, int]] = []
        self.answers: list[str] = []
        self._paused = 0
        self._undo: list[Callable[[], None]] = []
        self._watch_output(sys.stdout)
        hook: Any = shell.displayhook
        # What IPython itself prints does not count: Out[1], tracebacks.
        self._around(hook, "start_displayhook", before=1)
        self._around(hook, "finish_displayhook", before=-1)
        self._around(shell, "_showtraceback", before=1, after=-1)
        self._watch_warnings()
        self._watch_input()

    def stop(self) -> None:
        """Take every watch away again."""
        for undo in reversed(self._undo):
            undo()

    def _watch_output(self, stream: Any) -> None:
        def write(text: str) -> Any:
            if not self._paused:
                self.text.append(text)
            return original(text)

        original = stream.write
        self._set(stream, "write", write)

    def _around(self, target: Any, name: str, before: int = 0, after: int = 0) -> None:
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            self._paused += before
            try:
                return original(*args, **kwargs)
            finally:
                self._paused += after

        original = getattr(target, name)
        self._set(target, name, wrapped)

    def _set(self, target: Any, name: str, value: Any) -> None:
        """Set an attribute of one object until `stop`."""
        own = vars(target).get(name) if name in vars(target) else None

        def undo() -> None:
            if vars(target).get(name) is value:
                if own is None:
                    delattr(target, name)
                else:
                    setattr(target, name, own)

        setattr(target, name, value)
        self._undo.append(undo)

    def _watch_input(self) -> None:
        """Note what is typed, so that nobody is asked for it again."""

        def ask(*args: Any, **kwargs: Any) -> str:
            answer: str = original(*args, **kwargs)
            self.answers.append(answer)
            return answer

        original = builtins.input
        self._set(builtins, "input", ask)

    @contextlib.contextmanager
    def answering(self) -> Iterator[None]:
        """Give the same answers again."""
        answers = iter(self.answers)

        def answer(prompt: object = "", /) -> str:
            try:
                return next(answers)
            except StopIteration:
                raise EOFError("the cell asked once more than it did in NumPy") from None

        original = builtins.input
        builtins.input = answer
        try:
            yield
        finally:
            builtins.input = original

    def _watch_warnings(self) -> None:
        with warnings.catch_warnings():
            pass  # forgets what was shown before, as the run of the copy does too

        def show(message: Any, category: Any, filename: str, lineno: int, *rest: Any) -> None:
            if not filename.startswith(_IPYTHON):
                self.warnings.append((category.__name__, str(message), filename, lineno))
            original(message, category, filename, lineno, *rest)

        def undo() -> None:
            if warnings.showwarning is show:
                warnings.showwarning = original

        original = warnings.showwarning
        warnings.showwarning = show  # type: ignore[assignment]
        self._undo.append(undo)


class CellCheck:
    """The check of one cell: made just before it runs, finished when it has run.

    Parameters
    ----------
    shell : InteractiveShell
        The shell.
    tree, source
        The cell without its magic line, and its whole text.
    options : CellOptions
        Those of its magic line.
    """

    def __init__(
        self, shell: InteractiveShell, tree: ast.Module, source: str, options: CellOptions
    ) -> None:
        self._shell = shell
        self._options = options
        interactivity = shell.ast_node_interactivity
        if interactivity not in ("last_expr", "last", "none"):
            raise ValueError(f"not possible with ast_node_interactivity = {interactivity!r}")
        # As IPython keeps it: functions of the cell look for their source there.
        text: str = shell.transform_cell(source)  # type: ignore[no-untyped-call]
        name: str = shell.compile.cache(text, shell.execution_count, raw_code=source)
        cell = Cell(
            copy.deepcopy(tree),
            source,
            shell.user_ns,
            shell.user_ns_hidden,
            name,
            self._compile,
            self._within,
            interactivity != "none",
            options.device,
        )
        self._name = name
        self._trial = CellTrial(cell)
        self._began = perf_counter()
        self._tee = _Tee(shell)

    def finish(self, result: Any) -> None:
        """Run the copy, compare, and show what came out.

        Parameters
        ----------
        result : ExecutionResult or None
            What IPython knows of the run.
        """
        seconds = perf_counter() - self._began
        self._tee.stop()
        if isinstance(_error(result), KeyboardInterrupt):
            print("npcompile: the cell was interrupted, so there is nothing to compare")
            return
        try:
            self._show(self._compare(result, seconds))
        except KeyboardInterrupt:
            print("npcompile: the check was interrupted; the cell itself has run")
        except Exception as error:
            print(f"npcompile: the check failed: {type(error).__name__}: {error}")

    def _compare(self, result: Any, seconds: float) -> Comparison:
        error = _error(result)
        known = result is not None and not self._silent(result)
        native = Observation(
            {DISPLAYED: result.result if known else None},
            "".join(self._tee.text),
            [
                (kind, text, line if self._is_source(filename) else None)
                for kind, text, filename, line in self._tee.warnings
            ],
            None if error is None else raised(error, self._is_source),
            seconds,
        )
        return Comparison.of(self._trial.compare(native, displayed=known))

    def _silent(self, result: Any) -> bool:
        """Whether the last expression ends in a semicolon, and so is not displayed."""
        cell = getattr(result.info, "raw_cell", None) or ""
        hook: Any = type(self._shell.displayhook)
        return bool(hook.semicolon_at_end_of_expression(cell))

    def _is_source(self, filename: str) -> bool:
        return filename == self._name or filename in self._shell.compile._filename_map

    def _show(self, comparison: Comparison) -> None:
        handle = self._trial.handle
        if handle is not None:
            history.remember(handle)
        if self._options.quiet and comparison.equal:
            return
        bundle: dict[str, Any] = {
            "text/plain": comparison_text(comparison),
            "text/html": comparison_html(comparison),
        }
        if handle is not None:
            bundle[MIME_TYPE] = report_of(handle).to_dict(graphs=False)
        display(bundle, raw=True)  # type: ignore[no-untyped-call]

    # -- the copy's run

    def _compile(self, tree: ast.AST, mode: str) -> Any:
        compiler: Any = self._shell.compile
        with compiler.extra_flags(ast.PyCF_ALLOW_TOP_LEVEL_AWAIT):
            return compiler(cast("ast.Module", tree), self._name, mode)

    @contextlib.contextmanager
    def _within(self, module: Any) -> Iterator[None]:
        """Make the shell work on the copy, and show nothing."""
        shell: Any = self._shell
        kept = shell.user_module, shell.user_ns, shell.display_pub
        publisher: Any = CapturingDisplayPublisher
        shell.user_module, shell.user_ns = module, module.__dict__
        shell.display_pub = publisher()
        try:
            with self._tee.answering():
                yield
        finally:
            shell.user_module, shell.user_ns, shell.display_pub = kept


def _error(result: Any) -> BaseException | None:
    return None if result is None else result.error_before_exec or result.error_in_exec


def begin_check(
    shell: InteractiveShell, tree: ast.Module, source: str, options: CellOptions
) -> CellCheck | None:
    """Copy what a cell reads; None when that fails: the cell then runs unchecked."""
    try:
        return CellCheck(shell, tree, source, options)
    except Exception as error:
        print(f"npcompile: this cell runs unchecked: {type(error).__name__}: {error}")
        return None
