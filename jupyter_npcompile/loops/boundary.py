"""From Python's objects to the variables of a native loop, and back."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from jupyter_npcompile.loops import cuts, indexing
from jupyter_npcompile.loops.entry import made_number, take_array, take_number
from jupyter_npcompile.loops.frames import NeedsMemory
from jupyter_npcompile.loops.kinds import (
    CTYPES,
    ArrayType,
    Declined,
    DictType,
    Fixed,
    ListType,
    LockedType,
    Maybe,
    Number,
    RecordType,
    SourceType,
    TupleType,
    Type,
    ZeroDimType,
    item_c,
)
from jupyter_npcompile.loops.sequences import Numbers, Sequence, Together
from jupyter_npcompile.loops.translator import Translator
from jupyter_npcompile.loops.values import Cut, Items, Ref, Scalar, Value


class Boundary(Translator):
    """Writes what takes arguments, and makes results.

    Attributes
    ----------
    arguments : list of str
        Conditions that take what the loop goes through.
    rows : list of str
        Those of them that are arrays.
    """

    arguments: list[str]
    rows: list[str]

    def item(self, sequence: Sequence) -> Callable[[str], Value]:
        """Name the arguments of a sequence; returns its item by position."""
        if isinstance(sequence, Numbers):
            first, step = self.number_argument("first"), self.number_argument("step")
            self.writer.emit(f"NEED(small_range({first}, {step}, left_));")
            type = Number("py", "int64", 41)
            return lambda k: Scalar(f"({first} + {k} * {step})", type)
        if isinstance(sequence, Together):
            parts = [self.item(part) for part in sequence.parts]
            return lambda k: Items(tuple(part(k) for part in parts))
        type_ = sequence.type
        name = self.writer.variable(self.writer.name("rows"), type_.c)
        place = len(self.arguments) + 1
        self.arguments.append(take_array(f"args[{place}]", name, type_, written=True))
        self.rows.append(f"args[{place}]")
        start = self.number_argument("from")
        ref = Ref(name, type_, root=name)

        def item(position: str) -> Value:
            index = Scalar(f"({start} + {position})", Number("py", "int64", 41))
            full: list[cuts.Index] = [index, *[Cut(None, None, None)] * (type_.ndim - 1)]
            return indexing.read(self.writer, ref, full)

        return item

    def number_argument(self, prefix: str) -> str:
        """An argument that is a Python integer of no more than 40 bits."""
        name = self.writer.variable(self.writer.name(prefix), "i64")
        place = len(self.arguments) + 1
        self.arguments.append(f"take_int(args[{place}], {name}, 40)")
        return name

    def fits(self) -> list[str]:
        """C++ for whether arguments have the lengths that are part of the code."""
        return [
            f"{self.variable(name, type)}.n[{d}] == {length}"
            for name, type in self.inputs.items()
            if isinstance(type, ArrayType)
            for d, length in enumerate(type.lengths)
            if length is not None
        ]

    def take(self, name: str) -> str:
        """C++ that takes an argument; false when it is of another type."""
        type = self.inputs[name]
        place = len(self.arguments) + 1 + list(self.inputs).index(name)
        if isinstance(type, ArrayType):
            variable = self.variable(name, type)
            return take_array(f"args[{place}]", variable, type, written=self.is_written(variable))
        if isinstance(type, RecordType):
            return "true"  # its class was looked at when its entries were fetched
        if isinstance(type, ListType):
            return f"PyList_CheckExact(args[{place}])"
        if isinstance(type, SourceType):
            return f"take_source(args[{place}], {self.variable(name, type)}, run)"
        assert isinstance(type, Number)
        tag = self.tag(name, type) if type.is_tagged else ""
        return take_number(f"args[{place}]", self.variable(name, type), type, tag)

    def make(self, name: str, type: Type, otherwise: str = "") -> str:
        """C++ that makes the object that a name is bound to.

        Parameters
        ----------
        name : str
            The name.
        type : Type
            Of its value.
        otherwise : str
            The object that it stays bound to where nothing was assigned, if there is one.
        """
        if isinstance(type, Maybe):
            kept = f"Py_NewRef({otherwise or 'Py_NotImplemented'})"
            return f"({self.flag(name)} ? {self.make(name, type.type)} : {kept})"
        if isinstance(type, ArrayType) and type.is_small:
            if type.is_shared or type.is_view:
                raise NeedsMemory(name)
            return f"make_small({self.variable(name, type)}, {np.dtype(type.dtype).num})"
        if isinstance(type, ArrayType):
            number = np.dtype(type.dtype).num
            return (
                f"make_array<{CTYPES[type.dtype]}, {type.ndim}>({self.variable(name, type)}, "
                f"{number}, results)"
            )
        if isinstance(type, LockedType) and type.is_window:
            raise Declined("windows of an array that are seen from outside")
        if isinstance(type, LockedType):
            return f"locked({self.make(name, type.array)})"
        if isinstance(type, ZeroDimType):
            element = type.number
            return f"make_0d({self.variable(name, element)}, {np.dtype(element.dtype).num})"
        if isinstance(type, Number):
            return self._make_number(name, type)
        if isinstance(type, SourceType):
            return f"Py_NewRef({self.variable(name, type)}.object)"
        if isinstance(type, TupleType):
            parts = [self.make(f"{name}_{k}", part) for k, part in enumerate(type.items)]
            made = f"make_tuple({{{', '.join(parts)}}})"
            return f"as_list({made})" if type.is_list else made
        if isinstance(type, DictType):
            parts = [self.make(f"{name}_{k}", part) for k, part in enumerate(type.items)]
            keys = ", ".join(map(_c_text, type.names))
            return f"make_dict({{{keys}}}, {{{', '.join(parts)}}})"
        if isinstance(type, ListType):
            return self._make_list(name, type)
        if isinstance(type, Fixed) and type.value is None:
            return "Py_NewRef(Py_None)"
        if isinstance(type, Fixed) and isinstance(type.value, str) and type.value.isprintable():
            return f"PyUnicode_InternFromString({_c_text(type.value)})"
        raise Declined(f"`{name}` in a tuple is known now")

    def _make_list(self, name: str, type: ListType) -> str:
        if type.item is None:
            return "PyList_New(0)"
        made = self._make_item("item", type.item)
        item = f"[&](const {item_c(type.item)} &item) -> PyObject * {{ return {made}; }}"
        return f"make_list({self.variable(name, type)}, results, {item})"

    def _make_item(self, code: str, type: Type) -> str:
        """C++ that makes the object for an item of a list."""
        if isinstance(type, Number):
            tag = f"{code}.tag" if type.is_tagged else _plain_tag(type)
            return made_number(f"{code}.v", tag, type)
        if isinstance(type, ArrayType):
            number = np.dtype(type.dtype).num
            return f"make_array<{CTYPES[type.dtype]}, {type.ndim}>({code}, {number}, results)"
        if not isinstance(type, TupleType) or type.is_list:
            raise Declined("a list of lists")  # of which one may be in it twice
        parts = [
            self._make_item(f"std::get<{k}>({code})", part) for k, part in enumerate(type.items)
        ]
        return f"make_tuple({{{', '.join(parts)}}})"

    def _make_number(self, name: str, type: Number) -> str:
        tag = self.tag(name, type) if type.is_tagged else _plain_tag(type)
        return made_number(self.variable(name, type), tag, type)


def _c_text(text: str) -> str:
    """A text as a literal in C++, byte by byte."""
    return '"' + "".join(f"\\{byte:03o}" for byte in text.encode()) + '"'


def _plain_tag(type: Number) -> str:
    return "0" if type.origin == "py" else "1"
