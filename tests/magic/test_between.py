"""Copies on a device from one cell to the next: only if nothing ran in between."""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import comm
import numpy as np
import pytest
from IPython.utils.capture import capture_output

import jupyter_npcompile as npc
from jupyter_npcompile.magic import between, session
from jupyter_npcompile.runtime.device import observers
from jupyter_npcompile.runtime.device import residency as residencies
from jupyter_npcompile.runtime.device.device import LaunchError
from jupyter_npcompile.runtime.device.late import LostResultError
from jupyter_npcompile.runtime.device.standin import standin
from tests.support.cells.native import Bench
from tests.support.session.processes import PATIENCE
from tests.support.session.silent_threads import silent_threads

FIRST = "%%npcompile --device standin\ny = x * 2\nx += 1\n"
SECOND = "%%npcompile --device standin\nz = y + x\n"


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    with Bench(compiled=True) as bench:
        bench.shell.run_cell("x = np.arange(5.0)\nw = np.ones(5)\nlog = []")
        # Those, too, that the shell and tests before this one have started meanwhile.
        monkeypatch.setattr(residencies, "_SILENT", silent_threads())
        # Tests before this one may have left widgets and figures, as a session would.
        monkeypatch.setattr(comm.get_comm_manager(), "comms", {})
        monkeypatch.setattr(gc, "callbacks", [])  # hypothesis asks to be told of collections
        monkeypatch.setattr(observers, "_SIGNALS", ())
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close("all")
        vars(bench.shell).pop("_showtraceback")  # of the bench: it may look
        assert residencies.is_alone(), threading.enumerate()
        assert not getattr(bench.shell, "active_eventloop", None)
        yield bench.shell


def run(shell: Any, source: str, **options: Any) -> None:
    assert shell.run_cell(source, store_history=True, **options).success


def copied() -> int:
    """Bytes that the last cell has copied to the device."""
    report = npc.last_report()
    assert report is not None
    return sum(region.copies.to_device for region in report.regions if region.copies)


def is_right(shell: Any) -> bool:
    space = shell.user_ns
    return bool((space["z"] == space["y"] + space["x"]).all())


def test_the_next_cell_copies_nothing(shell: Any) -> None:
    run(shell, FIRST)
    assert copied() == 40
    assert standin.held >= 80
    run(shell, SECOND)
    assert copied() == 0
    assert is_right(shell)
    run(shell, SECOND.replace("z = y + x", "z = y + x\nw *= 2"))
    assert copied() == 40  # w


@pytest.mark.parametrize(
    "source",
    [
        "x[0] = 7",
        "pass",
        "%%npcompile\nx[0] = 7",
        "%%npcompile --device cpu\nw = w + 1\nlog.append(1)\nx[0] = 7",
        "%%npcompile --check\nx[0] = 7",
        "%%npcompile --grad s\ns = (x * x).sum()",
        "%%timeit -n1 -r1\nx[0] = 7",
        "get_ipython().run_cell('x[0] = 7')",
        "get_ipython().run_line_magic('timeit', '-n1 -r1 x.fill(3)')",
    ],
)
def test_a_cell_in_between_ends_it(shell: Any, source: str) -> None:
    run(shell, FIRST)
    run(shell, source)
    run(shell, SECOND)
    assert copied() == 80
    assert is_right(shell)


def test_a_silent_execution_ends_it(shell: Any) -> None:
    run(shell, FIRST)
    shell.run_cell("x[0] = 7", silent=True)
    run(shell, SECOND)
    assert copied() == 80
    assert is_right(shell)


def test_an_expression_of_the_front_end_ends_it(shell: Any) -> None:
    run(shell, FIRST)
    assert shell.user_expressions({}) == {}
    assert shell.user_expressions({"a": "x.fill(3)"})["a"]["status"] == "ok"
    run(shell, SECOND)
    assert copied() == 80
    assert is_right(shell)


def test_the_magic_called_from_code_finds_nothing(shell: Any) -> None:
    run(shell, FIRST)
    magic = "get_ipython().run_cell_magic('npcompile', '--device standin', 'z = y + x')"
    run(shell, f"x[0] = 7\n{magic}")
    assert copied() == 80
    assert is_right(shell)


def test_a_cell_that_fails_leaves_nothing(shell: Any) -> None:
    error = shell.run_cell(FIRST + "y[9] = 1\n").error_in_exec
    assert isinstance(error, IndexError)
    assert standin.held == 0


@pytest.mark.parametrize(
    ("last", "stays"),
    [
        ("x", True),
        ("x.sum()", True),
        ("[x]", False),
        ("holder", False),
        ("None", True),
    ],
)
def test_what_is_shown_decides(shell: Any, last: str, stays: bool) -> None:
    run(
        shell,
        "class Holder:\n    def __repr__(self):\n        x[0] = 7\n        return 'told'\n"
        "holder = Holder()",
    )
    run(shell, FIRST + last)
    assert (standin.held > 0) is stays
    run(shell, SECOND)
    assert is_right(shell)


def test_a_formatter_of_the_user_ends_it(shell: Any) -> None:
    def shown(array: Any, printer: Any, cycle: bool) -> None:
        array[0] = 7
        printer.text("told")

    shell.display_formatter.formatters["text/plain"].for_type(np.ndarray, shown)
    run(shell, FIRST + "x")
    assert standin.held == 0
    run(shell, SECOND)
    assert is_right(shell)


def test_a_callback_of_the_user_ends_it(shell: Any) -> None:
    def poke(*_: object) -> None:
        shell.user_ns["x"][0] = 7

    shell.events.register("post_run_cell", poke)
    run(shell, FIRST)
    shell.events.unregister("post_run_cell", poke)
    assert standin.held == 0
    run(shell, SECOND)
    assert is_right(shell)


def test_a_thread_of_the_user_ends_it(shell: Any) -> None:
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        run(shell, FIRST)
        assert standin.held == 0
    finally:
        stop.set()
        thread.join()


def test_a_task_of_the_user_ends_it(shell: Any) -> None:
    """As in a kernel, where cells run inside an event loop."""

    async def waits() -> None:
        await asyncio.sleep(3600)

    async def cells(with_task: bool) -> int:
        task = asyncio.ensure_future(waits()) if with_task else None
        if with_task:
            await asyncio.sleep(0)
        run(shell, FIRST)
        held = standin.held
        if task is not None:
            task.cancel()
        return held

    assert asyncio.run(cells(with_task=True)) == 0


# -- results that wait for the next cell


class Session:
    """Cells that run inside an event loop, as in a kernel; the device never has them wait long."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell

    def __call__(self, source: str, **options: Any) -> Any:
        return self.shell.run_cell(source, store_history=True, **options)

    def host(self, name: str) -> Array:
        """What is in host memory now: a test may look where nobody else may."""
        found: Array = np.array(self.shell.user_ns[name])
        return found


Array = np.ndarray[Any, np.dtype[Any]]

PAUSE = 2 * between.PATIENCE
"""Seconds after which nothing waits any more."""

AGAIN = "%%npcompile --device standin\ny = x * 2\nx += 1\n"


Steps = Callable[[Session], Iterator[float]]


def in_loop(shell: Any, steps: Steps) -> None:
    """Run cells from callbacks of an event loop, in which nothing else goes on.

    Between them it runs for the seconds that the steps yield. The second run of a
    cell is not compared with NumPy.
    """

    def every_step() -> Iterator[float]:
        cell = Session(shell)
        for _ in range(2):
            assert cell(AGAIN).success
        yield PAUSE
        shell.user_ns["x"][...] = np.arange(5.0)
        shell.user_ns["y"][...] = 0
        cell("pass")
        yield from steps(cell)
        cell("pass")  # lets go of all

    loop = asyncio.new_event_loop()
    try:
        over = loop.create_future()
        going = every_step()

        def advance() -> None:
            try:
                loop.call_later(next(going), advance)
            except StopIteration:
                over.set_result(None)
            except BaseException as error:
                over.set_exception(error)

        loop.call_soon(advance)
        loop.run_until_complete(over)
    finally:
        loop.close()


def test_results_wait_for_the_next_cell_or_a_while(shell: Any) -> None:
    def steps(cell: Session) -> Iterator[float]:
        assert cell(AGAIN).success
        assert cell.host("x").tolist() == [0, 1, 2, 3, 4]
        assert waiting() == 80
        yield PAUSE
        assert cell.host("x").tolist() == [1, 2, 3, 4, 5]
        assert cell.host("y").tolist() == [0, 2, 4, 6, 8]
        assert waiting() == 0
        assert gc.isenabled()

    in_loop(shell, steps)


def test_what_the_next_cell_writes_anew_is_never_copied_back(shell: Any) -> None:
    def steps(cell: Session) -> Iterator[float]:
        for _ in range(10):
            assert cell(AGAIN).success
        assert cell.host("x").tolist() == [0, 1, 2, 3, 4]
        yield PAUSE
        assert cell.host("x").tolist() == [10, 11, 12, 13, 14]
        assert cell.host("y").tolist() == [18, 20, 22, 24, 26]
        report = npc.last_report()
        assert report is not None
        (copies,) = [region.copies for region in report.regions]
        assert copies is not None
        assert copies.unneeded >= 9 * 80
        assert dict(copies.moments) == {"x": "after the cell", "y": "after the cell"}

    in_loop(shell, steps)


LOOKING = [
    "seen = x.tolist()",
    "%%npcompile\nseen = x.tolist()",
    "%%npcompile --device cpu\nlog.append(1)\nseen = x.tolist()",
    "%%npcompile --device standin\nseen = x.tolist()",
    "%%npcompile --device standin\nz = y + x\nseen = look()",
    "%%npcompile --device standin\nz = y + x\ntry:\n    1 / 0\nexcept look():\n    pass",
    "%%npcompile --device standin\nseen = eval('look()')\nz = y + x",
    "%%npcompile --check\nseen = x.tolist()",
    "%%timeit -n1 -r1\nglobal seen\nseen = x.tolist()",
    "get_ipython().run_cell('seen = x.tolist()')",
    "import asyncio\nawait asyncio.sleep(0)\nseen = x.tolist()",
    "%%npcompile --device standin\nawait asyncio.sleep(0)\nseen = x.tolist()",
]


@pytest.mark.parametrize("source", LOOKING)
def test_who_looks_next_sees_them(shell: Any, source: str) -> None:
    shell.run_cell("import asyncio\ndef look():\n    return x.tolist()")

    def steps(cell: Session) -> Iterator[float]:
        assert cell(AGAIN).success
        if "await" in source:
            text = shell.transform_cell(source)
            coroutine = shell.run_cell_async(source, store_history=True, transformed_cell=text)
            task = asyncio.get_running_loop().create_task(coroutine)
            yield PAUSE
            result = task.result()
        else:
            result = cell(source)
        assert result.success or "except" in source
        if result.success:
            assert shell.user_ns["seen"] == [1, 2, 3, 4, 5]
        yield PAUSE
        assert cell.host("x").tolist() == [1, 2, 3, 4, 5]

    in_loop(shell, steps)


@pytest.mark.parametrize(
    "last", ["x", "x.sum()", "(x, 1)", "x[1:] + 0", "y", "[x]", "holder", "look()", "f'{x}'"]
)
def test_what_a_cell_displays_is_there(shell: Any, last: str) -> None:
    shell.run_cell(
        "class Holder:\n    def __repr__(self):\n        return str(x)\n"
        "holder = Holder()\ndef look():\n    return x.tolist()"
    )

    def steps(cell: Session) -> Iterator[float]:
        for _ in range(2):
            assert cell(AGAIN + last).success
        with capture_output() as shown:
            assert cell(AGAIN + last).success
        x, y = np.arange(3.0, 8.0), np.arange(2.0, 7.0) * 2
        names = {"x": x, "y": y, "holder": str(x), "look": x.tolist}
        text = eval(last, names)
        assert (text if last == "holder" else repr(text)) in shown.stdout
        yield 0

    in_loop(shell, steps)


@pytest.mark.parametrize("setting", ["last_expr_or_assign", "last", "all", "none", "last_expr"])
def test_what_ipython_displays_by_itself_is_there(
    shell: Any, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    shell.ast_node_interactivity = setting
    cells = [AGAIN, AGAIN + "if True:\n    y", AGAIN + "y = x * 2 + 1"]

    def steps(cell: Session) -> Iterator[float]:
        for source in cells:
            for _ in range(3):
                with capture_output() as shown:
                    assert cell(source).success
                yield PAUSE
                known = [str(cell.host(name)) for name in ("x", "y")]
                found = [line for line in shown.stdout.splitlines() if "array(" in line]
                for line in found:
                    text = line.partition("array(")[2].rstrip(")").replace(",", "")
                    assert " ".join(text.split()) in [" ".join(one.split()) for one in known]

    in_loop(shell, steps)


def test_an_error_leaves_all_in_place(shell: Any) -> None:
    def steps(cell: Session) -> Iterator[float]:
        for tail in ("y[9] = 1", "1 / 0", "raise KeyboardInterrupt", "nothing"):
            x = cell.host("x")
            with capture_output():
                assert not cell(AGAIN + tail).success
            assert cell.host("x").tolist() == (x + 1).tolist()
            assert cell.host("y").tolist() == (x * 2).tolist()
        yield 0

    in_loop(shell, steps)


@pytest.mark.parametrize("kind", ["callback", "error handler", "values in tracebacks", "magic"])
def test_nothing_waits_where_somebody_looks_at_the_end(shell: Any, kind: str) -> None:
    seen = []

    def look(*_: object, **__: object) -> None:
        seen.append(shell.user_ns["x"].tolist())

    def steps(cell: Session) -> Iterator[float]:
        tail = ""
        if kind == "callback":
            shell.events.register("post_execute", look)
        elif kind == "error handler":
            shell.set_custom_exc((ZeroDivisionError,), look)
            tail = "1 / 0"
        elif kind == "values in tracebacks":
            shell.InteractiveTB.set_mode("Verbose")
            tail = "if k < 1:\n    k // 0, look(x)"
            shell.user_ns.update(k=0, look=look)
        with capture_output():
            if kind == "magic":
                shell.run_cell_magic("npcompile", "--device standin", AGAIN.partition("\n")[2])
            else:
                cell(AGAIN + tail)
        assert waiting() == 0
        if kind in ("callback", "error handler"):
            assert seen == [[1, 2, 3, 4, 5]]
            shell.events.callbacks["post_execute"][:] = [
                one for one in shell.events.callbacks["post_execute"] if one is not look
            ]
        shell.InteractiveTB.set_mode("Context")
        shell.set_custom_exc((), None)
        yield 0

    in_loop(shell, steps)


def test_a_cell_that_cannot_be_compiled_sees_them(
    shell: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("of our own")

    def steps(cell: Session) -> Iterator[float]:
        assert cell(AGAIN).success
        with monkeypatch.context() as patch, capture_output() as shown:
            patch.setattr(session, "compile_cell", fails)
            assert cell("%%npcompile --device standin\nseen = x.tolist()").success
        assert "runs as plain Python: RuntimeError: of our own" in shown.stdout
        assert shell.user_ns["seen"] == [1, 2, 3, 4, 5]
        yield 0

    in_loop(shell, steps)


def test_nothing_waits_where_the_event_loop_calls_somebody(shell: Any) -> None:
    async def sleeps() -> None:
        await asyncio.sleep(3600)

    def steps(cell: Session) -> Iterator[float]:
        loop = asyncio.get_running_loop()
        for begin in (
            lambda: loop.call_soon(cell.host, "x"),
            lambda: loop.call_later(3600, cell.host, "x"),
            lambda: loop.create_task(sleeps()),
        ):
            begun: Any = begin()
            assert cell(AGAIN).success
            assert waiting() == 0
            begun.cancel()
            yield 0
        assert cell(AGAIN).success
        assert waiting() == 80

    in_loop(shell, steps)


class SubshellThread(threading.Thread):
    """As one of JupyterLab's."""

    __module__ = "ipykernel.subshell"


@pytest.fixture
def subshell() -> Iterator[SubshellThread]:
    stop = threading.Event()
    thread = SubshellThread(target=stop.wait)
    thread.start()
    yield thread
    stop.set()
    thread.join()


def test_a_subshell_that_rests_does_no_harm(shell: Any, subshell: SubshellThread) -> None:
    """JupyterLab starts one for messages of widgets, also where there are none."""

    def steps(cell: Session) -> Iterator[float]:
        assert cell(AGAIN).success
        assert waiting() == 80
        executes = threading.Thread(target=shell.events.trigger, args=("pre_execute",))
        executes.start()
        executes.join()
        assert cell.host("x").tolist() == [1, 2, 3, 4, 5]
        assert standin.held == 0
        yield PAUSE
        for _ in range(2):  # it may execute something at any time from now on
            assert cell(AGAIN).success
            assert (waiting(), standin.held) == (0, 0)

    in_loop(shell, steps)


def test_a_subshell_with_widgets_counts(shell: Any, subshell: SubshellThread) -> None:
    def steps(cell: Session) -> Iterator[float]:
        comm.get_comm_manager().comms["some"] = SimpleNamespace(target_name="jupyter.widget")
        assert cell(AGAIN).success
        assert (waiting(), standin.held) == (0, 0)
        del comm.get_comm_manager().comms["some"]
        yield 0

    in_loop(shell, steps)


def test_the_end_of_the_kernel_comes_after(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before any function is called that the user has registered for it."""
    registered: list[Any] = []
    exits = SimpleNamespace(register=registered.append, unregister=lambda function: None)
    monkeypatch.setattr(between, "atexit", exits)

    def steps(cell: Session) -> Iterator[float]:
        assert cell(AGAIN).success
        assert cell.host("x").tolist() == [0, 1, 2, 3, 4]
        registered[-1]()
        assert cell.host("x").tolist() == [1, 2, 3, 4, 5]
        yield 0

    in_loop(shell, steps)


def test_an_unloaded_extension_leaves_nothing_behind(shell: Any) -> None:
    def steps(cell: Session) -> Iterator[float]:
        assert cell(AGAIN).success
        shell.run_line_magic("unload_ext", "jupyter_npcompile")
        assert cell.host("x").tolist() == [1, 2, 3, 4, 5]
        shell.run_line_magic("load_ext", "jupyter_npcompile")
        yield 0

    in_loop(shell, steps)


@pytest.mark.parametrize("source", ["z = x + 1", SECOND, "%%npcompile --device cpu\nz = x + 1", ""])
def test_what_the_device_does_not_give_back_is_an_error(shell: Any, source: str) -> None:
    """Whether another cell comes before it is asked for, or none."""

    def steps(cell: Session) -> Iterator[float]:
        assert cell(AGAIN).success
        standin.copy_faults.extend([LaunchError("standin", "it is gone")] * 4)
        try:
            with capture_output() as shown:
                if source:
                    assert isinstance(cell(source).error_in_exec, LostResultError)
                else:
                    yield PAUSE
            assert "could not be copied back from standin" in shown.stdout + shown.stderr
        finally:
            standin.copy_faults.clear()
        assert np.isnan(cell.host("x")).all()
        assert cell("z = w + 1").success  # the extension is still there
        assert cell(AGAIN).success

    in_loop(shell, steps)


def waiting() -> int:
    """Bytes of results of the last cell that wait on the device."""
    report = npc.last_report()
    assert report is not None
    return sum(region.copies.waiting for region in report.regions if region.copies)


def test_nothing_is_left_when_the_extension_goes(shell: Any) -> None:
    run(shell, FIRST)
    assert standin.held > 0
    assert "user_expressions" in vars(shell)
    shell.run_line_magic("unload_ext", "jupyter_npcompile")
    assert standin.held == 0
    assert "user_expressions" not in vars(shell)
    shell.run_line_magic("load_ext", "jupyter_npcompile")


@pytest.mark.slow
def test_in_a_kernel_the_next_cell_copies_nothing() -> None:
    import nbclient
    import nbformat

    cells = [
        # The tier before the extension: so no compile worker is started.
        "import numpy as np, jupyter_npcompile as npc\nnpc.settings.tier = 'aten'\n"
        "%load_ext jupyter_npcompile\nx = np.arange(5.0)",
        FIRST,
        SECOND,
        "print(sum(r.copies.to_device for r in npc.last_report().regions))\n"
        "print((z == y + x).all())",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    nbclient.NotebookClient(notebook, timeout=PATIENCE).execute()
    text = "".join(output.get("text", "") for output in notebook.cells[-1].outputs)
    assert text == "0\nTrue\n"


@pytest.mark.slow
def test_in_a_kernel_results_wait_until_somebody_looks() -> None:
    """What the front end sends between the cells of a notebook sees them, too."""
    from jupyter_client.manager import start_new_kernel

    manager, client = start_new_kernel()
    try:
        client.execute_interactive(
            "import numpy as np, jupyter_npcompile as npc\nnpc.settings.tier = 'aten'\n"
            "%load_ext jupyter_npcompile\nx = np.arange(5.0)",
            timeout=PATIENCE,
        )
        client.control_channel.send(client.session.msg("create_subshell_request"))
        subshell = client.get_control_msg(timeout=PATIENCE)["content"]["subshell_id"]
        for _ in range(3):  # the first run is compared with NumPy's
            client.execute_interactive(AGAIN, timeout=PATIENCE)
        asked = [client.execute(AGAIN, user_expressions={}) for _ in range(4)]
        asked += [client.inspect("x", detail_level=0), client.complete("x.su")]
        replies = {}
        while asked[-1] not in replies:
            reply = client.get_shell_msg(timeout=PATIENCE)
            replies[reply["parent_header"]["msg_id"]] = reply["content"]
        assert "[ 7.  8.  9. 10. 11.]" in replies[asked[-2]]["data"]["text/plain"]
        assert replies[asked[-1]]["matches"] == ["sum"]
        shown: list[str] = []

        def note(message: Any) -> None:
            shown.append(message["content"].get("text", ""))

        probe = "print(sum(r.copies.unneeded for r in npc.last_report().regions) // 80, x)"
        client.execute_interactive(probe, timeout=PATIENCE, output_hook=note)
        unneeded, text = "".join(shown).split(maxsplit=1)
        assert int(unneeded) >= 3  # of the four in the queue, only the last was copied back
        assert " ".join(text.split()) == "[ 7. 8. 9. 10. 11.]"
        client.execute_interactive(AGAIN, timeout=PATIENCE)
        seen = client.session.msg("execute_request", {"code": "print(x)", "silent": False})
        seen["header"]["subshell_id"] = subshell
        client.shell_channel.send(seen)
        output = ""
        while "]" not in output:
            message = client.get_iopub_msg(timeout=PATIENCE)
            if message["parent_header"].get("msg_id") == seen["header"]["msg_id"]:
                output += message["content"].get("text", "")
        assert output.split() == ["[", "8.", "9.", "10.", "11.", "12.]"]
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
