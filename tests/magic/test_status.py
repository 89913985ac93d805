"""What the status bar is told, while a cell runs and something compiles."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from comm import get_comm_manager

from jupyter_npcompile.magic import status
from jupyter_npcompile.runtime.worker import Compiler
from tests.support.session.processes import eventually


class Comm:
    """Stands in for a comm of a kernel."""

    def __init__(self, target_name: str, primary: bool) -> None:
        assert target_name == status.TARGET
        assert not primary  # other front ends must not hear of it
        self.sent: list[dict[str, Any]] = [{}]
        self.closed = False
        self.comm_id = "c"

    def on_msg(self, action: Any) -> None:
        self.ask = action

    def send(self, data: dict[str, Any]) -> None:
        self.sent.append(data)

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Comm, status.StatusComm, Compiler]]:
    made: list[Comm] = []

    def create_comm(**given: Any) -> Comm:
        made.append(Comm(**given))
        return made[-1]

    monkeypatch.setattr(status, "create_comm", create_comm)
    monkeypatch.setattr(status, "SECONDS", 0.01)
    work = Compiler()
    channel = status.StatusComm(work)
    yield made[0], channel, work
    channel.close()
    assert made[0].closed
    get_comm_manager().unregister_comm(made[0])


def test_a_compile_is_told_until_it_is_done(
    told: tuple[Comm, status.StatusComm, Compiler],
) -> None:
    comm, channel, work = told
    comm.ask({})
    go = threading.Event()
    channel.begin("cpu", ahead=True)
    work.submit(lambda: go.wait() and None)
    assert eventually(lambda: comm.sent[-1].get("pending") == 1)
    assert comm.sent[-1]["waiting"]
    channel.end()
    assert eventually(lambda: not comm.sent[-1]["waiting"])
    go.set()
    assert eventually(lambda: comm.sent[-1]["pending"] == 0)
    assert eventually(lambda: isinstance(comm.sent[-1]["cache_bytes"], int))


def test_nothing_is_sent_unless_somebody_asks(
    told: tuple[Comm, status.StatusComm, Compiler],
) -> None:
    comm, channel, _ = told
    channel.begin("cuda", ahead=False)
    assert eventually(lambda: not channel._wake.is_set())
    assert comm.sent == [{}]
    comm.ask({})
    channel.end()
    assert eventually(lambda: comm.sent[-1].get("device") == "cuda")
    assert eventually(lambda: comm.sent[-1]["cache_bytes"] is not None)
    count = len(comm.sent)
    comm.ask({})
    assert eventually(lambda: len(comm.sent) > count)
    # Other processes of the tests write into the cache meanwhile.
    assert {**comm.sent[-1], "cache_bytes": 0} == {**comm.sent[count - 1], "cache_bytes": 0}
    assert all(one != other for one, other in pairwise(comm.sent[:count]))
