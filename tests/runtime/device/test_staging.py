"""Copies in pieces through pinned memory: nothing is used before it has arrived."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from jupyter_npcompile.runtime.device import staging
from jupyter_npcompile.runtime.device.cuda import Cuda
from jupyter_npcompile.runtime.device.staging import Staging, flat, is_dense


class Late:
    """An event: what it stands for happens when somebody waits, and not before."""

    def __init__(self) -> None:
        self.due: list[Callable[[], object]] = []

    def synchronize(self) -> None:
        for copy in self.due:
            copy()
        self.due.clear()


class LateStaging(Staging):
    """Copies as late as a stream may, and on the CPU."""

    def __init__(self) -> None:
        super().__init__(torch.device("cpu"))

    def _made(self) -> Any:
        halves = [torch.zeros(staging.PIECE, dtype=torch.uint8) for _ in range(2)]
        return halves, [Late(), Late()], None

    def _prepare(self) -> None:
        pass

    def _begin(self, source: torch.Tensor, target: torch.Tensor, event: Any) -> None:
        event.due.append(lambda: target.copy_(source))

    def _finish(self, tensor: torch.Tensor) -> None:
        pass

    def wait(self) -> None:
        """All that was begun is done."""
        for event in self._events:
            event.synchronize()


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 40)), max_size=6))
def test_pieces_arrive_in_order(copies: list[tuple[bool, int]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(staging, "PIECE", 7)
        lanes = LateStaging()
        arrived = []
        for number, (there, count) in enumerate(copies):
            source = torch.arange(count, dtype=torch.uint8) + number
            expected, target = source.clone(), torch.full_like(source, 255)
            (lanes.to_device if there else lanes.to_host)(source, target)
            source.fill_(99)
            if not there:
                assert torch.equal(target, expected)  # who has asked for it looks at once
            arrived.append((target, expected))
        lanes.wait()
        assert all(torch.equal(target, expected) for target, expected in arrived)


class OnCpu(Cuda):
    """The copies of a GPU, between two places in memory of the host."""

    place = torch.device("cpu")  # type: ignore[assignment]


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128, torch.bool, torch.int8])
def test_what_is_large_goes_in_pieces(dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging, "WORTH", 50)
    monkeypatch.setattr(staging, "PIECE", 64)
    device, lanes = OnCpu("cuda"), LateStaging()
    vars(device)["_staging"] = lanes
    seen: list[int] = []
    begin = lanes._begin
    monkeypatch.setattr(lanes, "_begin", lambda *args: (seen.append(1), begin(*args)))
    made = torch.randint(0, 2, (9, 17)).to(dtype)
    for tensor in (made, made.T, made.reshape(3, 3, 17).permute(2, 0, 1), made[:, :8], made[0, :2]):
        before = len(seen)
        there = device.put(tensor)
        lanes.wait()
        assert torch.equal(there, tensor)
        if is_dense(tensor):
            assert there.stride() == tensor.stride()
        host = torch.zeros_like(tensor)
        device.get(there, host)
        assert torch.equal(host, tensor)
        large = tensor.nbytes >= 50 and is_dense(tensor)
        assert (len(seen) > before) == large or not is_dense(tensor)
    vars(device)["_staging"] = None  # no memory could be pinned
    assert torch.equal(device.put(made), made)
    wide = torch.zeros(9, 17, dtype=torch.complex128)
    device.get(made, wide)
    assert torch.equal(wide, made.to(torch.complex128))


def test_bytes_of_a_dense_tensor() -> None:
    tensor = torch.arange(6.0).reshape(2, 3).T
    flat(tensor)[:4] = 0
    assert tensor[0, 0] == 0
    assert not is_dense(torch.ones(3).expand(2, 3))
    assert is_dense(torch.ones(()))
