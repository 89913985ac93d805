"""Predicts what segments would take on a device, from what it can copy and compute a second.

It is a rough model: each operation reads its operands and writes its result, as if
nothing were fused; a product of matrices takes its multiplications, if that is
longer. What is copied is counted exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from time import perf_counter

import numpy as np

from jupyter_npcompile.graph.nodes import Graph, Node
from jupyter_npcompile.graph.prediction import Prediction, Rates
from jupyter_npcompile.runtime.device.device import Device
from jupyter_npcompile.runtime.device.standin import standin
from jupyter_npcompile.runtime.devices import CPU, MissingDeviceError, device_of, require
from jupyter_npcompile.runtime.footprint import size_of
from jupyter_npcompile.runtime.plan import Plan
from jupyter_npcompile.runtime.state import RegionState

ASSUMED = Rates(
    to_device=12e9,
    to_host=12e9,
    memory=800e9,
    launch=10e-6,
    multiplications=0.25e12,
    source="assumed, for nothing was measured on a GPU:\n"
    "  12 GB/s each way, 800 GB/s in its memory, 10 µs a kernel, "
    "0.25e12 multiplications a second in double precision",
)
"""What stands in data sheets of middling cards, with half the rate of their bus."""

PROBE = 2**23
"""Elements of the arrays that are copied to measure a device."""

ROUNDS = 3

_PRODUCTS = frozenset(
    f"numpy.{name}" for name in ("matmul", "dot", "inner", "outer", "tensordot", "vdot")
)


def rates_of(name: str) -> Rates:
    """How fast a device is: measured where it is there, assumed for a GPU that is not.

    Raises
    ------
    ValueError
        When there is no such device, or nothing to predict.
    DeviceError
        When it cannot be measured.
    """
    if name == CPU:
        raise ValueError("the report says what it takes on the CPU; name another device")
    if name.startswith("cuda"):
        try:
            require(name)
        except MissingDeviceError:
            return ASSUMED
    else:
        require(name)
    device = device_of(name)
    assert device is not None
    return measured(device)


def measured(device: Device) -> Rates:
    """Measure a device: it takes some tenths of a second.

    Raises
    ------
    DeviceMemoryError
        When there is no room on it for 192 MB.
    """
    import torch

    size = 1024
    host = torch.ones(PROBE, dtype=torch.float64)
    back = torch.empty_like(host)
    device.demand(3 * host.nbytes)
    there = device.put(host)
    matrix = device.put(torch.ones((size, size), dtype=torch.float64))
    small = device.put(torch.ones(1, dtype=torch.float64))

    def seconds(run: object) -> float:
        assert callable(run)
        found = []
        for _ in range(ROUNDS + 1):  # the first one warms up
            began = perf_counter()
            run()
            device.synchronise()
            found.append(perf_counter() - began)
        return min(found[1:])

    launch = seconds(lambda: small + 1)
    return Rates(
        to_device=host.nbytes / seconds(lambda: device.put(host)),
        to_host=host.nbytes / seconds(lambda: device.get(there, back)),
        memory=2 * host.nbytes / max(seconds(lambda: there + 1) - launch, 1e-9),
        launch=launch,
        multiplications=size**3 / max(seconds(lambda: matrix @ matrix) - launch, 1e-9),
        source=f"measured on {device.name}",
    )


def predictions(states: Iterable[RegionState], rates: Rates) -> list[Prediction]:
    """Predict every segment that ran last.

    Parameters
    ----------
    states : iterable of RegionState
        The regions of a cell or function.
    rates : Rates
        How fast the device is.
    """
    return [
        predicted(plan, state.lines, rates)
        for state in states
        for _, plan in sorted(state.used.items())
        if plan.recording.graph.nodes
    ]


def predicted(plan: Plan, lines: tuple[int, int], rates: Rates) -> Prediction:
    """Predict one segment."""
    graph = plan.recording.graph
    nodes = graph.by_id()
    to_device = size_of(type for node in graph.inputs for type in node.types)
    results = (*graph.allocations(), *graph.writes)
    to_host = size_of(type for id in results for type in nodes[id].types)
    copies = to_device / rates.to_device + to_host / rates.to_host
    tier = plan.artifact.tier if plan.artifact is not None and plan.state == "ready" else "numpy"
    if tier == standin.name:  # what it takes says nothing of any processor
        tier = "numpy"
    positions = [node.position.line for node in graph.nodes if node.position.line]
    inside = [line for line in positions if lines[0] <= line <= lines[1]] or list(lines)
    return Prediction(
        lines=(min(inside), max(inside)),
        now=tier,
        now_us=plan.timings.get("numpy_us" if tier == "numpy" else "compiled_us"),
        to_device=to_device,
        to_host=to_host,
        copies_us=copies * 1e6,
        kernels_us=sum(_seconds(node, graph, rates) for node in graph.nodes) * 1e6,
    )


def _seconds(node: Node, graph: Graph, rates: Rates) -> float:
    """What one operation would take."""
    if node.view_of is not None:
        return 0.0
    nodes = graph.by_id()
    operands = [nodes[id] for id in dict.fromkeys(node.references())]
    touched = size_of(type for one in (node, *operands) for type in one.types)
    if node.op == "setitem":  # it reads and writes what it stores, not all that it stores into
        touched = 2 * size_of(type for one in operands[1:] for type in one.types)
    seconds = touched / rates.memory
    if node.op in _PRODUCTS and node.types:
        seconds = max(seconds, _multiplications(node, operands) / rates.multiplications)
    return rates.launch + seconds


def _multiplications(node: Node, operands: list[Node]) -> float:
    """How often a product of matrices multiplies."""
    elements = [math.prod(one.type.shape) for one in operands[:2]]
    result = math.prod(node.type.shape)
    if len(elements) < 2 or not result:
        return 0.0
    # (m, k) times (k, n) gives (m, n): the root of mk * kn * mn is mkn.
    return float(np.sqrt(float(elements[0]) * elements[1] * result))
