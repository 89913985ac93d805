"""Runs a cell natively and compiled, and compares everything a person could see.

A cell runs in a fresh shell through the real ``run_cell``, twice: the second
time on inputs that its setup has made anew, so that what was compiled in the
first run is what runs in the second. ``RUN`` is 0 and then 1, for setups that
want other values the second time.
"""

from __future__ import annotations

import ast
import atexit
import builtins
import contextlib
import inspect
import io
import os
import re
import sys
import traceback
import types
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import jupyter_npcompile

MAGIC = "%%npcompile --quiet"
PLAIN = "# run by IPython   "
"""Stands where the magic line stands, so that line numbers are the same."""

assert len(MAGIC) == len(PLAIN)

FIRST_RUN = 0

DEVICE = os.environ.get("NPCOMPILE_TEST_DEVICE", "cpu")
"""Where segments run, unless a test says so itself."""
ULPS = 64.0
"""Rounding differences that pass, in units in the last place of the largest
element: compiled reductions add in another order."""

MEMORY_TESTED = 5_000
"""Elements up to which it is found out exactly whether two arrays overlap."""

MENTIONED = 12
"""Differences that a failing comparison lists."""

Array = np.ndarray[Any, np.dtype[Any]]


# -- what is seen of a value


@dataclass(frozen=True)
class ArraySeen:
    """An ndarray."""

    type: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    flags: dict[str, bool]
    base: str
    values: Any


@dataclass(frozen=True)
class Seen:
    """Anything else: its type, what it says of itself, and what it holds."""

    type: str
    text: str
    parts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class NumberSeen:
    """A NumPy scalar or a Python number."""

    type: str
    value: Any


SHOWN = ("_", "__", "___", "np", "Out")
"""Names of every shell that a cell may change."""

HIDDEN = re.compile(r"_i+\d*|__warningregistry__")
"""Names whose values differ between any two sessions."""

FLAGS = ("OWNDATA", "WRITEABLE", "C_CONTIGUOUS", "F_CONTIGUOUS", "ALIGNED", "WRITEBACKIFCOPY")
NUMBERS = (bool, int, float, complex, np.number, np.bool_)
ADDRESS = re.compile(r"0x[0-9a-f]+")
DIGEST = re.compile(r"(<ipython-input-\d+-)[0-9a-f]+>")


class Viewer:
    """Describes the values of a namespace, so that they may change afterwards."""

    def __init__(self) -> None:
        self.arrays: list[tuple[str, Array]] = []
        self.objects: list[tuple[str, object]] = []
        self.inside: list[int] = []

    def see(self, path: str, value: Any) -> Any:
        """Describe one value."""
        if isinstance(value, np.ndarray):
            self.arrays.append((path, value))
            return _array(value)
        if isinstance(value, NUMBERS):
            return NumberSeen(_name(type(value)), value)
        if isinstance(value, types.ModuleType):
            return Seen("module", f"{value.__name__} {id(value)}")
        if isinstance(value, str | bytes | types.NoneType | range | slice | np.dtype | np.generic):
            return Seen(_name(type(value)), repr(value))
        if isinstance(value, np.ufunc | types.BuiltinFunctionType):
            return Seen(_name(type(value)), value.__name__)
        if id(value) in self.inside:
            return Seen(_name(type(value)), "itself, again")
        if not isinstance(value, tuple):
            self.objects.append((path, value))
        self.inside.append(id(value))
        try:
            return Seen(_name(type(value)), *self._rest(path, value))
        finally:
            self.inside.pop()

    def _rest(self, path: str, value: Any) -> tuple[str, dict[str, Any]]:
        if isinstance(value, types.FunctionType):
            return self._function(path, value)
        if isinstance(value, type):
            inner = {k: v for k, v in vars(value).items() if k not in ("__dict__", "__weakref__")}
            bases = ", ".join(_name(base) for base in value.__bases__)
            return f"class {value.__qualname__}({bases})", self._parts(path, inner, "{}.{}")
        if isinstance(value, Mapping):
            keyed = {repr(k): v for k, v in value.items()}
            return " ".join(keyed), self._parts(path, keyed, "{}[{}]")
        if isinstance(value, set | frozenset):
            return " ".join(sorted(map(repr, value))), {}
        if isinstance(value, tuple | list):
            numbered = {str(k): v for k, v in enumerate(value)}
            return f"{len(numbered)} items", self._parts(path, numbered, "{}[{}]")
        if isinstance(value, property | staticmethod | classmethod):
            function = value.fget if isinstance(value, property) else value.__func__
            return "", {"function": self.see(f"{path}.function", function)}
        if isinstance(value, types.MethodType):
            return value.__qualname__, {}
        if isinstance(value, np.random.Generator | np.random.RandomState):
            state = (
                value.bit_generator.state
                if isinstance(value, np.random.Generator)
                else (value.get_state())
            )
            return re.sub(r"\s+", " ", repr(state)), {}
        if isinstance(value, BaseException):
            return repr(value), {"args": self.see(f"{path}.args", value.args)}
        if hasattr(value, "__dict__") and type(value).__module__ in ("__main__", "builtins"):
            return "", self._parts(path, vars(value), "{}.{}")
        if _says_what_it_is(type(value)):
            return ADDRESS.sub("0x", repr(value)), {}
        return "", {}

    def _parts(self, path: str, parts: Mapping[str, Any], form: str) -> dict[str, Any]:
        return {name: self.see(form.format(path, name), part) for name, part in parts.items()}

    def _function(self, path: str, value: types.FunctionType) -> tuple[str, dict[str, Any]]:
        try:
            source = inspect.getsource(value)
        except OSError:
            source = "no source"
        plain = inspect.unwrap(value)
        facts = (
            value.__name__,
            value.__qualname__,
            value.__module__,
            value.__doc__,
            str(inspect.signature(value)),
            sorted(value.__annotations__),
            source,
            plain.__code__.co_firstlineno,
        )
        attributes = {k: v for k, v in vars(value).items() if k != "__wrapped__"}
        free = dict(zip(plain.__code__.co_freevars, plain.__closure__ or (), strict=True))
        return repr(facts), {
            "defaults": self.see(f"{path}.__defaults__", value.__defaults__),
            "kwdefaults": self.see(f"{path}.__kwdefaults__", value.__kwdefaults__),
            **self._parts(path, attributes, "{}.{}"),
            **{f"closure {name}": self._cell(path, name, cell) for name, cell in free.items()},
        }

    def _cell(self, path: str, name: str, cell: types.CellType) -> Any:
        try:
            content = cell.cell_contents
        except ValueError:
            return Seen("cell", "empty")
        return self.see(f"{path}.<{name}>", content)

    def relations(self) -> dict[tuple[str, str], str]:
        """How the arrays share memory, and which paths lead to one object."""
        found: dict[tuple[str, str], str] = {}
        for k, (first, a) in enumerate(self.arrays):
            for second, b in self.arrays[k + 1 :]:
                said = []
                if a is b:
                    said.append("the same array")
                if a.base is b:
                    said.append("base is the second")
                if b.base is a:
                    said.append("base is the first")
                if a.base is b.base is not None:
                    said.append("one base")
                if a.size and b.size and _overlap(a, b):
                    start = [_address(v) for v in (a, b)]
                    said.append(f"share memory, offset {start[1] - start[0]}")
                if said:
                    found[first, second] = ", ".join(said)
        for k, (first, one) in enumerate(self.objects):
            for second, other in self.objects[k + 1 :]:
                if one is other:
                    found[first, second] = "the same object"
        return found


def _overlap(a: Array, b: Array) -> bool:
    near = bool(np.may_share_memory(a, b))
    if not near or max(a.size, b.size) > MEMORY_TESTED:
        return near  # as far as their extents say: an exact answer may take for ever
    return bool(np.shares_memory(a, b))


def _flags(array: Array) -> dict[str, bool]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # on what np.broadcast_arrays gives
        flags: Any = array.flags
        return {name: bool(flags[name]) for name in FLAGS}


def _says_what_it_is(kind: Any) -> bool:
    """Whether its text is more than its name and address."""
    return kind.__repr__ is not object.__repr__


def _address(array: Array) -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        pointer: int = array.__array_interface__["data"][0]
    return pointer


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _array(value: Array) -> ArraySeen:
    base: Any = value.base
    said = "none"
    if isinstance(base, np.ndarray):
        said = f"{type(base).__name__} {base.dtype} {base.shape} {base.flags.writeable}"
    elif base is not None:
        said = type(base).__name__
    return ArraySeen(
        _name(type(value)),
        value.dtype,
        value.shape,
        value.strides,
        _flags(value),
        said,
        value.tolist() if value.dtype.hasobject else np.array(value, subok=False),
    )


# -- what is seen of a run


@dataclass(frozen=True)
class ErrorSeen:
    """An exception that left the cell."""

    type: str
    message: str
    places: list[tuple[int, str]]
    shown: str
    context: str


@dataclass(frozen=True)
class Outcome:
    """One run of a cell.

    Parameters
    ----------
    names : dict
        What every name of the namespace is bound to.
    relations : dict
        How arrays share memory and which objects are the same.
    stdout : str
        What was printed, the displayed value included.
    shown : object
        The displayed value.
    displayed : list
        What was displayed in other ways.
    error : ErrorSeen or None
        What the cell raised.
    warnings : list
        Category, message, and the line in the cell if it is there.
    state : str
        NumPy's global state: legacy random numbers, error state, print options.
    leftovers : list of str
        Builtins that were not there before.
    """

    names: dict[str, Any]
    relations: dict[tuple[str, str], str]
    stdout: str
    shown: Any
    displayed: list[Any]
    error: ErrorSeen | None
    warnings: list[tuple[str, str, int | None]]
    state: str
    leftovers: list[str]


@dataclass(frozen=True)
class Run:
    """Both runs of a cell, and what the compiled ones did.

    Parameters
    ----------
    outcomes : list of Outcome
        One per run.
    reports : list
        ``last_report()`` after each run; empty for native runs.
    counts : list of dict
        What each run added to ``stats()``.
    """

    outcomes: list[Outcome]
    reports: list[Any] = field(default_factory=list)
    counts: list[dict[str, int]] = field(default_factory=list)


class Bench(contextlib.AbstractContextManager["Bench"]):
    """A fresh shell in which cells run, natively or compiled.

    Parameters
    ----------
    compiled : bool
        Whether the extension is loaded, and cells get the magic line.
    tier, check, device
        Settings for compiled cells; ``"standin float32"`` names a device and a dtype.
    folder : Path, optional
        Where imported modules are.
    """

    def __init__(
        self,
        compiled: bool,
        tier: str = "aten",
        check: str = "raise",
        folder: Path | None = None,
        device: str = DEVICE,
    ) -> None:
        self.compiled = compiled
        self.settings = (tier, check)
        self.device = device
        self.folder = folder

    def __enter__(self) -> Bench:
        self.stack = contextlib.ExitStack()
        settings = jupyter_npcompile.settings
        self.stack.callback(setattr, settings, "tier", settings.tier)
        self.stack.callback(setattr, settings, "first_run_check", settings.first_run_check)
        self.stack.callback(setattr, settings, "device", settings.device)
        settings.tier, settings.first_run_check = self.settings  # type: ignore[assignment]
        self.stack.callback(setattr, settings, "dtype", settings.dtype)
        settings.device, _, precision = self.device.partition(" ")
        settings.dtype = precision or "float64"  # type: ignore[assignment]
        self.stack.enter_context(_numpy_state())
        self.stack.enter_context(_modules(self.folder))
        InteractiveShell.clear_instance()
        config = Config()
        config.HistoryManager.enabled = False
        config.InteractiveShell.colors = "nocolor"
        shells: Any = InteractiveShell
        self.shell: Any = shells.instance(config=config)
        self.stack.callback(_close, self.shell)
        publisher: Any = CapturingDisplayPublisher
        self.shell.display_pub = publisher()
        self.shown_errors: list[str] = []
        self.shell._showtraceback = lambda _type, _value, text: self.shown_errors.append(
            self.shell.InteractiveTB.stb2text(text)
        )
        with contextlib.redirect_stdout(io.StringIO()):
            if self.compiled:
                self.shell.run_line_magic("load_ext", "jupyter_npcompile")
                unload = self.shell.run_line_magic
                self.stack.callback(unload, "unload_ext", "jupyter_npcompile")
                self.shell.run_line_magic("npcompile", "clear")
            self.shell.run_cell("import numpy as np", store_history=True)
        self.initial = set(self.shell.user_ns)
        return self

    def __exit__(self, *error: object) -> None:
        self.stack.close()

    def setup(self, source: str, run: int = FIRST_RUN) -> None:
        """Run a cell that is not compiled; it must not fail."""
        self.shell.user_ns["RUN"] = run
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = self.shell.run_cell(source, store_history=True)
        assert result.success, f"the setup fails: {result.error_before_exec!r} {self.shown_errors}"

    def cell(self, source: str, head: str | None = None) -> Outcome:
        """Run the cell and describe what came of it."""
        head = head if head is not None else MAGIC if self.compiled else PLAIN
        self.shown_errors.clear()
        self.shell.display_pub.outputs.clear()
        before = set(vars(builtins))
        stdout = io.StringIO()
        with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(stdout):
            warnings.simplefilter("always")
            result = self.run_cell(f"{head}\n{source}")
        error = result.error_before_exec or result.error_in_exec
        viewer = Viewer()
        caught = list(caught)
        names = {
            name: viewer.see(name, value)
            for name, value in self.shell.user_ns.items()
            if name in SHOWN or (name not in self.initial and not HIDDEN.fullmatch(name))
        }
        shown = viewer.see("the displayed value", result.result)
        return Outcome(
            names,
            viewer.relations(),
            stdout.getvalue(),
            shown,
            [_plain(output) for output in self.shell.display_pub.outputs],
            None if error is None else self._error(error),
            [(w.category.__name__, str(w.message), self._line(w)) for w in caught],
            _state(),
            sorted(set(vars(builtins)) - before - {"_"}),
        )

    def run_cell(self, text: str) -> Any:
        """Have the shell run a cell."""
        return self.shell.run_cell(text, store_history=True)

    def forget(self) -> None:
        """Take the names of a run out of the namespace."""
        for name in set(self.shell.user_ns) - self.initial:
            if not name.startswith("_"):
                del self.shell.user_ns[name]

    def _error(self, error: BaseException) -> ErrorSeen:
        places = [
            (entry.lineno or 0, entry.name)
            for entry in traceback.extract_tb(error.__traceback__)
            if self._in_cell(entry.filename)
        ]
        shown = "\n".join(self.shown_errors).replace(repr(MAGIC), PLAIN).replace(MAGIC, PLAIN)
        return ErrorSeen(
            _name(type(error)),
            DIGEST.sub(r"\1>", str(error)),
            places,
            DIGEST.sub(r"\1>", ADDRESS.sub("0x", shown)),
            f"{error.__cause__!r} {error.__context__!r}",
        )

    def _in_cell(self, filename: str) -> bool:
        return filename in self.shell.compile._filename_map or "ipython-input" in filename

    def _line(self, warning: warnings.WarningMessage) -> int | None:
        return warning.lineno if self._in_cell(warning.filename) else None


def _plain(output: Any) -> Any:
    return {kind: ADDRESS.sub("0x", str(data)) for kind, data in output["data"].items()}


def _close(shell: Any) -> None:
    shell.restore_sys_module_state()
    shell.displayhook.flush = lambda: None  # it would collect garbage, which takes 0.2 s
    shell.history_manager.end_session()
    shell.atexit_operations()
    atexit.unregister(shell.atexit_operations)
    InteractiveShell.clear_instance()


@contextlib.contextmanager
def _numpy_state() -> Iterator[None]:
    random, errors, printing = np.random.get_state(), np.geterr(), np.get_printoptions()
    np.random.seed(0)
    try:
        yield
    finally:
        np.random.set_state(random)
        np.seterr(**errors)
        np.set_printoptions(**printing)


def _state() -> str:
    random: Any = np.random.get_state(legacy=False)
    key = hash(random["state"]["key"].tobytes())
    rest = random["state"]["pos"], random["has_gauss"], random["gauss"]
    return repr((key, rest, np.geterr(), np.get_printoptions()))


@contextlib.contextmanager
def _modules(folder: Path | None) -> Iterator[None]:
    if folder is None:
        yield
        return
    before = set(sys.modules)
    sys.path.insert(0, str(folder))
    here = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(here)
        sys.path.remove(str(folder))
        for name in set(sys.modules) - before:
            where = getattr(sys.modules[name], "__file__", None) or ""
            if where.startswith(str(folder)):
                del sys.modules[name]


# -- running


def run(
    source: str,
    bench: Bench,
    setup: str = "",
    earlier: Sequence[str] = (),
    runs: int = 2,
) -> Run:
    """Run a cell ``runs`` times in a bench.

    Parameters
    ----------
    source : str
        The cell, without a magic line.
    bench : Bench
        Where it runs.
    setup : str
        A cell that is never compiled, run before each run.
    earlier : sequence of str
        Cells between the setup and the cell; compiled as the cell is.
    runs : int
        How often.
    """
    outcomes, reports, counts = [], [], []
    with bench:
        for number in range(runs):
            bench.forget()
            bench.setup(setup, number)
            for cell in earlier:
                before = bench.cell(cell)
                assert before.error is None, before.error
            counted = jupyter_npcompile.stats()
            outcomes.append(bench.cell(source))
            if bench.compiled:
                now = jupyter_npcompile.stats()
                reports.append(jupyter_npcompile.last_report())
                counts.append({name: now[name] - counted[name] for name in now})
    return Run(outcomes, reports, counts)


def run_native(source: str, **options: Any) -> Run:
    """Run a cell as IPython does; the options are those of `run`."""
    folder = options.pop("folder", None)
    return run(source, Bench(compiled=False, folder=folder), **options)


def run_compiled(source: str, tier: str = "aten", check: str = "raise", **options: Any) -> Run:
    """Run a cell under the magic; the options are those of `run`."""
    folder = options.pop("folder", None)
    device = options.pop("device", DEVICE)
    return run(source, Bench(True, tier, check, folder, device), **options)


# -- comparing


def differences(path: str, native: Any, compiled: Any, ulps: float = ULPS) -> Iterator[str]:
    """Say in which ways two descriptions differ."""
    if type(native) is not type(compiled):
        yield f"{path}: {native!r} became {compiled!r}"
    elif isinstance(native, ArraySeen):
        for name in ("type", "dtype", "shape", "strides", "flags", "base"):
            before, after = getattr(native, name), getattr(compiled, name)
            if before != after:
                yield f"{path}: {name} {before} became {after}"
        if native.shape == compiled.shape and native.dtype == compiled.dtype:
            yield from _values(path, native.values, compiled.values, ulps)
    elif isinstance(native, NumberSeen):
        if native.type != compiled.type:
            yield f"{path}: type {native.type} became {compiled.type}"
        elif isinstance(native.value, int):
            if native.value != compiled.value:
                yield f"{path}: {native.value} became {compiled.value}"
        else:
            yield from _values(path, np.asarray(native.value), np.asarray(compiled.value), ulps)
    elif isinstance(native, Seen):
        if (native.type, native.text) != (compiled.type, compiled.text):
            yield f"{path}: {native.type} {native.text} became {compiled.type} {compiled.text}"
        yield from _mapped(path, native.parts, compiled.parts, ulps)
    elif native != compiled:
        yield f"{path}: {native!r} became {compiled!r}"


def _mapped(
    path: str, native: dict[str, Any], compiled: dict[str, Any], ulps: float
) -> Iterator[str]:
    for name in sorted(set(native) | set(compiled)):
        if name not in compiled:
            yield f"{path} has no {name} any more"
        elif name not in native:
            yield f"{path} has {name}, which it should not have"
        else:
            yield from differences(f"{path}/{name}", native[name], compiled[name], ulps)


def _values(path: str, native: Any, compiled: Any, ulps: float) -> Iterator[str]:
    if not isinstance(native, np.ndarray):  # what an array of objects holds
        if repr(native) != repr(compiled):
            yield f"{path}: {native!r} became {compiled!r}"
        return
    if not native.size or native.tobytes() == compiled.tobytes():
        return
    if native.dtype.kind not in "fc":
        same = native == compiled
    else:
        parts = [(native, compiled)]
        if native.dtype.kind == "c":
            parts = [(native.real, compiled.real), (native.imag, compiled.imag)]
        largest = max(_largest(part) for part, _ in parts)
        tolerance = max(ulps * float(np.finfo(native.dtype).eps) * largest, LENIENCY.absolute)
        same = np.ones(native.shape, bool)
        for before, after in parts:
            same &= _close_values(before, after, tolerance)
    if not same.all():
        at = tuple(int(k[0]) for k in np.nonzero(np.atleast_1d(~same)))
        before, after = np.atleast_1d(native)[at], np.atleast_1d(compiled)[at]
        yield f"{path}: {(~same).sum()} of {same.size} values differ, at {at} {before!r}: {after!r}"


def _largest(part: Array) -> float:
    finite = part[np.isfinite(part)]
    return float(np.max(np.abs(finite), initial=0.0))


@dataclass
class Leniency:
    """What passes besides rounding in the last places.

    Parameters
    ----------
    unsigned_zeros : bool
        0.0 and -0.0 pass for each other.
    absolute : float
        So do numbers that differ by no more than this.
    """

    unsigned_zeros: bool = False
    absolute: float = 0.0


LENIENCY = Leniency()


def _close_values(before: Array, after: Array, tolerance: float) -> Array:
    finite = np.isfinite(before) & np.isfinite(after)
    with np.errstate(all="ignore"):
        near = np.abs(before.astype(np.longdouble) - after) <= tolerance
    zeros = (before == 0) & (after == 0) & (np.signbit(before) != np.signbit(after))
    other = (before == after) | (np.isnan(before) & np.isnan(after))
    same: Array = (finite & near) | (~finite & other)
    if not LENIENCY.unsigned_zeros:
        same &= ~zeros
    return same


def compare(native: Outcome, compiled: Outcome, ulps: float = ULPS) -> list[str]:
    """Say in which ways two runs differ."""
    found = list(_error_differences(native.error, compiled.error))
    if compiled.leftovers != native.leftovers:
        found.append(f"builtins have {compiled.leftovers}")
    found += _mapped("the namespace", native.names, compiled.names, ulps)
    for pair in sorted(set(native.relations) | set(compiled.relations)):
        before, after = (r.relations.get(pair, "unrelated") for r in (native, compiled))
        if before != after:
            found.append(f"{pair[0]} and {pair[1]}: {before} became {after}")
    found += differences("the displayed value", native.shown, compiled.shown, ulps)
    for name in ("stdout", "displayed", "warnings", "state"):
        before, after = getattr(native, name), getattr(compiled, name)
        if before != after:
            found.append(f"{name}: {before!r} became {after!r}")
    return found


def _error_differences(native: ErrorSeen | None, compiled: ErrorSeen | None) -> Iterator[str]:
    if native is None or compiled is None:
        if native is not compiled:
            yield f"the error {native} became {compiled}"
        return
    for name in ("type", "message", "places", "shown", "context"):
        before, after = getattr(native, name), getattr(compiled, name)
        if before != after:
            yield f"the error's {name}: {before!s} became {after!s}"


def statement_lines(source: str) -> list[int]:
    """First lines of the statements of a cell, its magic line included."""
    tree = ast.parse(f"{PLAIN}\n{source}")
    return sorted({node.lineno for node in ast.walk(tree) if isinstance(node, ast.stmt)})


def compiled_lines(report: Any) -> set[int]:
    """Lines that a report calls compiled."""
    return {line.line for line in report.lines if line.status == "compiled"}


def assert_same(
    source: str,
    *,
    setup: str = "",
    earlier: Sequence[str] = (),
    folder: Path | None = None,
    tier: str = "aten",
    captured: bool | Iterable[int] = True,
    fallbacks: int = 0,
    ulps: float = ULPS,
    device: str = DEVICE,
) -> Run:
    """Run a cell natively and compiled, and insist that nothing differs.

    Parameters
    ----------
    source : str
        The cell, without a magic line; its first line is line 2.
    setup : str
        A cell that is never compiled, run before each run.
    earlier : sequence of str
        Cells between the setup and the cell; compiled as the cell is.
    folder : Path, optional
        Where imported modules are.
    tier : str
        The tier that is forced.
    captured : bool or iterable of int
        True: something must be captured, and run from captured code both
        times. A set of lines: exactly these are. False: nothing is asked.
    fallbacks : int
        How often, in each run, NumPy must run because it warns or raises for
        these very values.
    ulps : float
        What rounding differences pass.
    device : str
        Where segments run.

    Returns
    -------
    Run
        The compiled runs.
    """
    options: dict[str, Any] = {"setup": setup, "earlier": earlier, "folder": folder}
    native = run_native(source, **options)
    compiled = run_compiled(source, tier=tier, device=device, **options)
    found = []
    for number, pair in enumerate(zip(native.outcomes, compiled.outcomes, strict=True), 1):
        found += [f"run {number}: {text}" for text in compare(*pair, ulps)]
    for number, (report, count) in enumerate(
        zip(compiled.reports, compiled.counts, strict=True), 1
    ):
        if count["replaced"]:
            found.append(f"run {number}: {count['replaced']} results were replaced by NumPy's")
        if count["fallbacks"] > fallbacks:
            notes = [region.note for region in report.regions]
            found.append(f"run {number}: {count['fallbacks']} silent fallbacks: {notes}")
        found += [f"run {number}: {text}" for text in _captured(report, count, captured)]
        found += [f"run {number}: {text}" for text in _elsewhere(report, device)]
    assert not found, "\n".join([*found[:MENTIONED], f"({len(found)} differences)"])
    return compiled


def _elsewhere(report: Any, device: str) -> Iterator[str]:
    """What has run compiled, and not on the device."""
    for region in () if report is None else report.regions:
        if device != "cpu" and region.tier not in ("numpy", device, f"{device} + numpy"):
            yield f"lines {region.lines} ran as {region.tier}, not on {device}: {region.note}"


def _captured(report: Any, count: dict[str, int], wanted: bool | Iterable[int]) -> Iterator[str]:
    lines = compiled_lines(report) if report is not None else set()
    if wanted is False:
        return
    if not lines or not (count["dispatches"] or count["fallbacks"]):
        reasons = [] if report is None else [(k.line, k.status, k.reason) for k in report.lines]
        yield f"nothing ran from captured code: {count} {reasons}"
    if wanted is not True and lines != set(wanted):
        yield f"the captured lines are {sorted(lines)}, not {sorted(wanted)}"
