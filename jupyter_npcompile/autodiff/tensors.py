"""Tensors and arrays in one run: what PyTorch remembers goes on in arrays, and back.

A tensor that requires grad becomes an array where the code asks for one
(``x.numpy()``) or hands it to NumPy: a view of its memory, which the tape
follows. Where such an array becomes a tensor again, PyTorch gets an autograd
function that differentiates what the tape has recorded between the two.
Nothing of PyTorch is changed: only the code that is followed sees this.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.autodiff import numpy_calls
from jupyter_npcompile.autodiff.hooks import TapeHooks
from jupyter_npcompile.autodiff.links import Link, linked
from jupyter_npcompile.autodiff.taints import uncut
from jupyter_npcompile.autodiff.tape import Tape
from jupyter_npcompile.autodiff.trees import map_leaves
from jupyter_npcompile.runtime.tensor_calls import remember
from jupyter_npcompile.tracer.sources import OPERATORS

if TYPE_CHECKING:
    from jupyter_npcompile.autodiff.hooks import At

_MAKERS = (torch.from_numpy, torch.as_tensor, torch.asarray)
"""What makes a tensor of an array on the same memory."""

_ASKING = (np.asarray, np.asanyarray, np.array, np.ascontiguousarray, np.copy)
"""Functions of NumPy by which code asks for an array."""

_FLOATING = (np.inexact, float, complex)


class TensorHooks(TapeHooks):
    """Hooks of a run in which tensors and arrays meet.

    Parameters
    ----------
    tape : Tape
        Of the run.

    Attributes
    ----------
    asked : bool
        Whether the code has asked for an array of a tensor.
    """

    def __init__(self, tape: Tape) -> None:
        super().__init__(tape)
        self.asked = False
        self._arrays: dict[int, tuple[Tensor, int, Any]] = {}
        self._sources: dict[int, Tensor] = {}
        self._links: list[Link] = []

    def close(self) -> None:
        """The run is over."""
        for link in self._links:
            link.close()
        self._links.clear()

    # -- from one to the other

    def array(self, tensor: Tensor) -> Any:
        """A view of a tensor's memory that the tape follows; a copy where it lies elsewhere."""
        known = self._arrays.get(id(tensor))
        if known is not None and known[1] == tensor._version:
            return known[2]
        plain = tensor.detach()
        found = (plain if plain.device.type == "cpu" else plain.cpu()).numpy()
        if tensor.requires_grad:
            self._sources[self.tape.enter(found)] = tensor
        self._arrays[id(tensor)] = (tensor, tensor._version, found)
        return found

    def tensor(self, value: Any) -> Any:
        """An active array or number as a tensor with its history; anything else as it is."""
        if type(value) in (list, tuple):
            return type(value)(map(self.tensor, value))
        if not isinstance(value, (np.ndarray, *_FLOATING)):
            return value
        node = self.tape.node_of(value)
        if node is None:
            return value
        array = np.asarray(value)
        if any(stride < 0 for stride in array.strides) or not array.flags.writeable:
            array = array.copy()
        made, link = linked(self.tape, node, array, self._sources)
        self._links.append(link)
        return made

    def returned(self, result: Any) -> Any:
        """What a function returns: tensors if all it has was tensors, and what it computed."""

        def one(value: Any) -> Any:
            return uncut(value) if self.asked else self.tensor(uncut(value))

        return map_leaves(one, result)

    def _arrays_for(self, values: Any) -> Any:
        """Tensors in the arguments of a NumPy call as arrays."""
        if isinstance(values, Tensor):
            return self.array(values)
        if type(values) in (list, tuple):
            return type(values)(map(self._arrays_for, values))
        if type(values) is dict:
            return {key: self._arrays_for(value) for key, value in values.items()}
        return values

    # -- what the code does

    def call(self, at: At, func: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call anything."""
        owner = getattr(func, "__self__", None)
        if isinstance(owner, Tensor) and owner.requires_grad:
            if func.__name__ == "numpy" and not (kwargs.get("force") or any(args)):
                self.asked = True
                return self.array(owner)
            if func.__name__ == "__array__":
                self.asked = True
                return super().call(at, np.asarray, self.array(owner), *args, **kwargs)
        if isinstance(func, torch.nn.Module):
            return super().call(at, self._forward(func), *args, **kwargs)
        if _is_torch(func, owner):
            return self._torch(at, func, args, kwargs)
        if remember((*args, *kwargs.values())) and _is_numpy(func):
            return self._numpy(at, func, args, kwargs)
        return super().call(at, func, *args, **kwargs)

    def _forward(self, module: Any) -> Any:
        """What a module does when it is called: its own ``forward``, where nothing is attached."""
        written = isinstance(getattr(type(module), "forward", None), types.FunctionType)
        plain = not (module._forward_hooks or module._forward_pre_hooks or module._backward_hooks)
        own = not type(module).forward.__module__.startswith("torch.") if written else False
        return module.forward if own and plain else module.__call__

    def _torch(self, at: At, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of PyTorch: numbers bring their history, arrays where PyTorch takes them."""
        if at is not None:
            self.tape.at(at)
        if any(func is maker for maker in _MAKERS) and args and self.tape.has_active(args[0]):
            return self._made(func, args, kwargs)
        if func is torch.tensor and self.tape.has_active(args):
            self.tape.note("`torch.tensor` copies without history: `torch.as_tensor` keeps it")
            return func(*args, **kwargs)
        numbers = [self._number(arg) for arg in args]
        return func(*numbers, **{key: self._number(value) for key, value in kwargs.items()})

    def _made(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """``torch.from_numpy`` and its like: back to where the array came from."""
        plain = func(*args, **kwargs)
        data = args[0]
        if not isinstance(data, (np.ndarray, *_FLOATING)):
            data = super().call(None, np.array, data)
        made = self.tensor(data)
        if not isinstance(made, Tensor) or not (plain.is_floating_point() or plain.is_complex()):
            return plain
        moved = made.to(device=plain.device, dtype=plain.dtype, copy=bool(kwargs.get("copy")))
        return moved

    def _number(self, value: Any) -> Any:
        """An active number as a tensor; PyTorch says of arrays itself whether it takes them."""
        if type(value) in (list, tuple):
            return type(value)(map(self._number, value))
        return self.tensor(value) if isinstance(value, _FLOATING) else value

    def _numpy(self, at: At, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """NumPy with tensors: it computes on their memory, and what it gives are tensors again."""
        result = super().call(at, func, *self._arrays_for(args), **self._arrays_for(kwargs))
        if isinstance(func, type) or any(func is one for one in _ASKING):
            self.asked = True
            return result

        def one(value: Any) -> Any:
            made = self.tensor(value)
            if isinstance(made, np.ndarray | np.generic) and made.dtype.kind in "biufc":
                return torch.from_numpy(np.array(made))
            return made

        return map_leaves(one, result)

    def binary(self, at: At, operation: str, left: Any, right: Any) -> Any:
        """An operator between a tensor and an array or number gives a tensor."""
        native = super().binary
        if isinstance(left, Tensor):
            return native(at, operation, left, self._operand(left, right))
        if isinstance(right, Tensor):
            if isinstance(left, np.ndarray) and right.requires_grad:
                return self.tensor(native(at, operation, left, self.array(right)))
            if isinstance(left, np.ndarray):
                return OPERATORS[operation](left, right)  # Python raises
            return native(at, operation, self._number(left), right)
        return native(at, operation, left, right)

    def compare(self, at: At, operation: str, left: Any, right: Any) -> Any:
        """A comparison."""
        if isinstance(left, Tensor) and not operation.startswith("Is"):
            right = self._operand(left, right)
        return super().compare(at, operation, left, right)

    def _operand(self, tensor: Tensor, other: Any) -> Any:
        """What stands to the right of a tensor: of arrays PyTorch would not take the history."""
        made = self.tensor(other)
        if isinstance(made, np.ndarray) and tensor.requires_grad:
            return torch.from_numpy(made)
        return made

    def augment(self, at: At, operation: str, left: Any, right: Any) -> Any:
        """``left <operation>= right``."""
        if isinstance(left, Tensor):
            return super().augment(at, operation, left, self._operand(left, right))
        if isinstance(left, np.ndarray) and isinstance(right, Tensor):
            right = self._arrays_for(right)
        return super().augment(at, operation, left, right)

    def subscript(self, at: At, obj: Any, index: Any) -> Any:
        """``obj[index]``; negative steps are NumPy's."""
        if isinstance(obj, Tensor) and obj.requires_grad and _is_reversed(index):
            return self.tensor(super().subscript(at, self.array(obj), index))
        return super().subscript(at, obj, index)

    def store(self, at: At, obj: Any, index: Any, value: Any) -> None:
        """``obj[index] = value``."""
        if isinstance(obj, Tensor):
            value = self.tensor(value)
        elif isinstance(obj, np.ndarray) and remember((value,)):
            value = self._arrays_for(value)
        super().store(at, obj, index, value)

    def attribute(self, at: At, obj: Any, name: str) -> Any:
        """``obj.name``; what only arrays have, a tensor has through NumPy."""
        if isinstance(obj, Tensor) and obj.requires_grad:
            missing = not hasattr(Tensor, name) and hasattr(np.ndarray, name)
            return super().attribute(at, self.array(obj), name) if missing else getattr(obj, name)
        return super().attribute(at, obj, name)


def _is_reversed(index: Any) -> bool:
    parts = index if type(index) is tuple else (index,)
    steps = [part.step for part in parts if isinstance(part, slice)]
    return any(isinstance(step, int) and step < 0 for step in steps)


def _is_numpy(func: Any) -> bool:
    public = isinstance(func, types.FunctionType) and func.__module__.startswith("numpy")
    kind = isinstance(func, type) and func.__module__.partition(".")[0] == "numpy"
    return public or kind or numpy_calls.is_numpy(func)


def _is_torch(func: Any, owner: Any) -> bool:
    """Whether PyTorch does what a callable does."""
    if isinstance(owner, Tensor | torch.nn.Module):
        return str(getattr(func, "__module__", None) or "torch").startswith("torch")
    places = (func, owner, type(func), type(owner))
    names = [str(getattr(place, "__module__", None) or "") for place in places]
    if isinstance(owner, type) and issubclass(owner, torch.autograd.Function):
        return True
    return any(name == "torch" or name.startswith("torch.") for name in names)


def follow(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a function with tensors that have a history; what it returns may have one, too.

    Parameters
    ----------
    function : callable
        A Python function, or anything that can be called.
    args, kwargs
        Its arguments.

    Returns
    -------
    object
        What it returns: arrays if it has asked for arrays (``x.numpy()``),
        otherwise tensors in their place.
    """
    hooks = TensorHooks(Tape())
    try:
        result = hooks.call(None, function, *args, **kwargs)
        return hooks.returned(result)
    finally:
        hooks.close()
