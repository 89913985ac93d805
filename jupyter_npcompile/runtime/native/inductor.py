"""What Inductor generates for a graph; its kernels are compiled elsewhere."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from jupyter_npcompile.runtime.compile_errors import UnbuildableError
from jupyter_npcompile.runtime.native.gxx import CodeRefusedError
from jupyter_npcompile.runtime.native.limits import PARALLEL
from jupyter_npcompile.runtime.stamp import processors

if TYPE_CHECKING:
    import torch

    from jupyter_npcompile.tracer.lowering import Lowered

T = TypeVar("T")


def with_constants(
    module: torch.fx.GraphModule,
) -> tuple[torch.fx.GraphModule, list[np.ndarray]]:
    """Turn constants into inputs that follow the others."""
    module = copy.deepcopy(module)
    graph = module.graph
    constants: list[np.ndarray] = []
    last = None
    for node in list(graph.nodes):
        if node.op == "placeholder":
            last = node
    for node in list(graph.nodes):
        if node.op != "get_attr":
            continue
        tensor = getattr(module, str(node.target)).detach()
        where = graph.inserting_after(last) if last is not None else graph.inserting_before(None)
        with where:
            last = graph.placeholder(f"constant_{len(constants)}")
        last.meta["val"] = node.meta.get("val", tensor)
        constants.append(tensor.contiguous().numpy())
        if not (tensor.is_contiguous() and last.meta["val"].is_contiguous()):
            last.meta["val"] = last.meta["val"].contiguous()
        node.replace_all_uses_with(last)
        graph.erase_node(node)
    module.delete_all_unused_submodules()
    for name in [*dict(module.named_buffers()), *dict(module.named_parameters())]:
        delattr(module, name)  # it would be lifted to an input once more
    graph.lint()
    module.recompile()
    return module, constants


def with_or_without_vectors(build: Callable[[], T]) -> T:
    """Build; once more without vectors where the compiler refuses what Inductor has written.

    It mixes up masks of different types, for one: of a boolean that a condition chooses.
    """
    from torch._inductor import config

    try:
        return build()
    except CodeRefusedError:
        with config.patch({"cpp.simdlen": 1}):
            return build()


def inductor_code(
    module: torch.fx.GraphModule,
    examples: list[Any],
    largest: int,
    lowered: Lowered | None = None,
) -> str:
    """The Python module that Inductor generates.

    Parameters
    ----------
    module : torch.fx.GraphModule
        What is compiled.
    examples : list of Tensor
        Its inputs, without elements.
    largest : int
        Elements of the largest array.
    lowered : Lowered, optional
        What it came from, where its sizes are symbols.
    """
    import torch
    from torch._guards import TracingContext, tracing
    from torch._inductor import config, standalone_compile
    from torch._inductor.ir import ComputedBuffer

    from jupyter_npcompile.tracer.lowering import INDUCTOR

    parallel = largest >= PARALLEL
    options = {
        **INDUCTOR,
        "compile_threads": 1,
        # Whether it pays to share the work is decided for all processors; how many
        # threads there are, when it runs: OMP_NUM_THREADS may differ from kernel to kernel.
        "cpp.threads": processors() if parallel else 1,
        "cpp.dynamic_threads": parallel,
        "force_disable_caches": True,
    }
    # Inductor writes what reads no input into each place that uses it, even what it
    # has decided to keep. Of a recurrence each step would be written twice as often.
    kept = ComputedBuffer.force_realize()
    with ExitStack() as context:
        texts = context.enter_context(_texts())
        context.enter_context(_narrow())
        for manager in (config.patch(options), torch.no_grad(), kept):
            context.enter_context(manager)
        if lowered is not None:
            context.enter_context(tracing(TracingContext(lowered.mode)))
            standalone_compile(module, examples, dynamic_shapes="from_tracing_context")
        else:
            standalone_compile(module, examples, dynamic_shapes="from_example_inputs")
    if len(texts) != 1:
        raise UnbuildableError(f"Inductor generated {len(texts)} modules")
    return texts[0]


@contextmanager
def _texts() -> Iterator[list[str]]:
    """Collect generated modules, whose kernels are left uncompiled."""
    from torch._inductor.async_compile import AsyncCompile
    from torch._inductor.graph import GraphLowering

    texts: list[str] = []
    compile_kernel, save = AsyncCompile.cpp_pybinding, GraphLowering.save_output_code
    AsyncCompile.cpp_pybinding = lambda self, types, source: None  # type: ignore[method-assign, assignment]
    GraphLowering.save_output_code = texts.append
    try:
        yield texts
    finally:
        AsyncCompile.cpp_pybinding = compile_kernel  # type: ignore[method-assign]
        GraphLowering.save_output_code = save


@contextmanager
def _narrow() -> Iterator[None]:
    """Have results of small integers stay small.

    C++ makes an ``int`` of them where Inductor (2.13) does not say otherwise, and what follows is
    computed in that type: ``(np.abs(x) << 4) * 0.5`` of an int16 would not wrap around.
    """
    from torch._inductor.codegen.cpp import CppOverrides

    forms: dict[str, Callable[..., str]] = {
        "abs": lambda x: f"decltype({x})(std::abs({x}))",
        "sign": lambda x: f"decltype({x})(({x} > 0) - ({x} < 0))",
        "truncdiv": lambda a, b: f"decltype({a})({a} / {b})",
    }
    before = {name: CppOverrides.__dict__[name] for name in forms}
    for name, form in forms.items():
        setattr(CppOverrides, name, staticmethod(form))
    try:
        yield
    finally:
        for name, known in before.items():
            setattr(CppOverrides, name, known)
