"""The entry of a native loop: from Python's objects to variables, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from jupyter_npcompile.loops.kinds import (
    CTYPES,
    PYTHON,
    ArrayType,
    Number,
    SourceType,
    Type,
    python_type,
)
from jupyter_npcompile.loops.records import Step


def signature(inputs: Mapping[str, Type]) -> str:
    """The types of names, as a report shows them.

    Examples
    --------
    >>> signature({"x": ArrayType("float64", 2, True), "n": Number("py", "int64")})
    'x: float64[:,:], n: int'
    >>> signature({"total": Number("any", "float64")})
    'total: float or float64'
    """
    parts = []
    for name, type in inputs.items():
        if isinstance(type, ArrayType):
            parts.append(f"{name}: {type.dtype}[{','.join(':' * type.ndim)}]")
        elif isinstance(type, SourceType):
            parts.append(f"{name}: Generator")
        elif isinstance(type, Number):
            kinds = ["int"] if type.mixed else []
            kinds += [python_type(type.dtype).__name__] if type.origin != "np" else []
            kinds += [type.dtype] if type.origin != "py" else []
            parts.append(f"{name}: {' or '.join(kinds)}")
    return ", ".join(parts)


def _allowed(type: Number) -> str:
    """The tags that a floating-point number may have, as bits."""
    bits = {"py": 0b001, "np": 0b010, "any": 0b011}[type.origin]
    return str(bits | 0b100 * type.mixed)


def scalar_type(dtype: str) -> str:
    """NumPy's type of a number, in C++.

    Examples
    --------
    >>> scalar_type("float64")
    '&PyDoubleArrType_Type'
    """
    name = {
        "bool": "Bool", "int8": "Int8", "int16": "Int16", "int32": "Int32", "int64": "Int64",
        "uint8": "UInt8", "uint16": "UInt16", "uint32": "UInt32", "uint64": "UInt64",
        "float32": "Float", "float64": "Double", "complex128": "CDouble",
    }[dtype]  # fmt: skip
    return f"&Py{name}ArrType_Type"


def take_number(source: str, variable: str, type: Number, tag: str) -> str:
    """C++ that takes a number; false when it is of another type.

    Parameters
    ----------
    source : str
        The argument.
    variable : str
        Where its value goes.
    type : Number
        What is expected.
    tag : str
        Where it goes whose number it is; empty where only one kind may come.
    """
    if tag and type.dtype not in PYTHON:
        return f"take_narrow({source}, {scalar_type(type.dtype)}, {variable}, {tag})"
    if tag:
        return {
            "bool": f"take_bool({source}, {variable}, {tag})",
            "int64": f"take_int({source}, {variable}, {type.bits}, {tag})",
            "float64": f"take_float({source}, {variable}, {_allowed(type)}, {tag})",
        }[type.dtype]
    if type.origin == "np":
        return f"take_scalar(({source}), {scalar_type(type.dtype)}, {variable})"
    return {
        "bool": f"take_bool({source}, {variable})",
        "int64": f"take_int({source}, {variable}, {type.bits})",
        "float64": f"take_float({source}, {variable})",
        "complex128": f"take_complex({source}, {variable})",
    }[type.dtype]


def made_number(code: str, tag: str, type: Number) -> str:
    """C++ that makes the object for a number.

    Parameters
    ----------
    code : str
        Its value: a variable, unless it is a truth value, an int64 or a float64.
    tag : str
        Whose number it is: see `arithmetic.tag_of`.
    type : Number
        Its type.
    """
    if type.dtype in ("bool", "int64", "float64"):
        function = {"bool": "make_bool", "int64": "make_int", "float64": "make_float"}
        return f"{function[type.dtype]}({code}, {tag})"
    if type.origin == "py":
        return f"PyComplex_FromDoubles({code}.re, {code}.im)"
    if type.origin == "any":
        return f"make_narrow({np.dtype(type.dtype).num}, {code}, {tag})"
    return f"make_scalar({np.dtype(type.dtype).num}, {code})"


def take_array(source: str, variable: str, type: ArrayType, *, written: bool) -> str:
    """C++ that takes an array argument; false when it is of another type."""
    number = np.dtype(type.dtype).num
    flags = f"{str(type.unit).lower()}, {str(written and True).lower()}"
    return f"take<{CTYPES[type.dtype]}, {type.ndim}>({source}, {number}, {flags}, {variable})"


WIDEST = (
    "#ifdef __AVX512F__",
    '#pragma GCC target("prefer-vector-width=512")',
    "#endif",
)
"""C++ before what is to use the widest vectors."""


def entry_file(
    body: Sequence[str],
    takes: Sequence[str],
    made: Sequence[str],
    variables: Mapping[str, str],
    *,
    hosts: int,
    legacy: int | None = None,
    printed: int | None = None,
    needed: Sequence[str],
    returned: Sequence[str],
    fits: Sequence[str] = (),
    grown: Sequence[tuple[int, str]] = (),
    records: Sequence[int] = (),
    stored: Sequence[tuple[int, Step, str]] = (),
    is_wide: bool = False,
) -> str:
    """The text of the file.

    Parameters
    ----------
    body : sequence of str
        The loop.
    takes : sequence of str
        Conditions that take the arguments, after the count of iterations.
    made : sequence of str
        Expressions that make the results.
    variables : mapping of str to str
        The C++ type of each variable.
    hosts : int
        How many arguments at the end are functions of Python's that it calls.
    legacy : int, optional
        Which of them is the generator behind `np.random.rand`.
    printed : int, optional
        Which of them is the list of what has to be printed.
    needed : sequence of str
        Flags of names that must be bound at the end.
    returned : sequence of str
        Expressions that make what the function returns, by the number of the ``return``.
    fits : sequence of str
        Conditions that the arguments have to meet, too.
    grown : sequence of (int, str)
        Arguments that are lists, and expressions that make what they grow by.
    records : sequence of int
        Arguments that are dicts or objects with entries that are replaced.
    stored : sequence of (int, Step, str)
        Those arguments, the entries, and expressions that make what is put there.
    is_wide : bool
        Whether it is to use the widest vectors; see `costs.is_wide`.
    """
    arrays = []
    for place, take in enumerate(takes, 1):
        if take.startswith("take<"):
            _, _, _, _, writes, variable = take.rstrip(")").split(", ")
            arrays.append((place, writes, variable))
    made_so = ("Array", "Small")
    declared = [
        f"{c} {name}{'' if c.startswith(made_so) else '{}'};" for name, c in variables.items()
    ]
    shown = [] if printed is None else [f"if (!leave(run, hosts[{printed}])) goto failed_;"]
    shown += [
        *(f"if (!(entries[{k}] = {make})) goto failed_;" for k, (_, _, make) in enumerate(stored)),
        *(
            f'if (!put(args[{place}], "{step.name}", entries[{k}])) goto failed_;'
            for k, (place, step, _) in enumerate(stored)
        ),
        *(f"Py_CLEAR(entries[{k}]);" for k in range(len(stored))),
    ]
    lines = [
        *(WIDEST if is_wide else ()),
        "__attribute__((hot))",  # or the compiler thinks that it runs once, and is small
        "static PyObject *run_loop(PyObject *, PyObject *const *args, Py_ssize_t count) {",
        f"if (!LIKELY(count == {len(takes) + 1 + hosts})) Py_RETURN_NONE;",
        "enum { FINISHED, LEFT, PAUSED, REFUSED, NOTHING, RETURNED };",
        "i64 left_ = 0, at_ = 0, ids_ = 0, fuel_ = 0; int status_ = REFUSED, return_ = 0;",
        "Run run = {};",
        f"PyObject *const *hosts = args + {len(takes) + 1};",
        *declared,
        "if (!LIKELY(take_int(args[0], left_, 63))) Py_RETURN_NONE;",
        *(f"if (!LIKELY({take})) Py_RETURN_NONE;" for take in (*takes, *fits)),
        *(
            []
            if legacy is None
            else [f"if (!LIKELY(take_legacy(hosts[{legacy}], legacy_, run))) Py_RETURN_NONE;"]
        ),
        *(
            f"if (!LIKELY(args[{one}] != args[{other}])) Py_RETURN_NONE;"
            for (one, _), (other, _) in combinations(grown, 2)
        ),
        *(
            f"if (!LIKELY(args[{one}] != args[{other}])) Py_RETURN_NONE;"
            for one, other in combinations(records, 2)
        ),
        f"PyObject *entries[{max(len(stored), 1)}] = {{}};",
        f"PyObject *tails[{max(len(grown), 1)}] = {{}};",
        f"Given given[{max(len(arrays), 1)}];",
        f"const int given_count = {len(arrays)};",
        *(
            f"given[{k}] = {{(PyArrayObject *)args[{place}], nullptr, {writes}}}; "
            f"{variable}.id = {-k - 1};"
            for k, (place, writes, variable) in enumerate(arrays)
        ),
        "if (!LIKELY(keep_copies(given, given_count))) return refuse(given, given_count, at_);",
        "fuel_ = start(run);",
        "clear_flags();",
        "try {",
        *body,
        "done_: ;",
        "}",
        "catch (const Bail &) { status_ = REFUSED; }",
        "catch (const std::bad_alloc &) { status_ = REFUSED; }",
        "catch (const Interrupted &) { restore(run, given, given_count); return nullptr; }",
        "back(run);",
        # A name that stays unbound is Python's to leave so.
        *(
            f"if (!{flag} && status_ != NOTHING && status_ != RETURNED) status_ = REFUSED;"
            for flag in needed
        ),
        "run.flags |= fetestexcept(FE_ALL_EXCEPT);",
        "if (status_ != REFUSED && matters(run.flags)) status_ = REFUSED;",
        "if (status_ == REFUSED || status_ == NOTHING) {",
        "    if (status_ == REFUSED) restore(run, given, given_count);",
        "    else forget(given, given_count);",
        "    if (PyErr_Occurred()) return nullptr;",
        '    return Py_BuildValue("(iL)", status_, (long long)at_);',
        "}",
        f"PyObject *made[{max(len(made), 1)}] = {{}};",
        "int done = 0;",
        "Results results{given, given_count, {}, {}, run.odd, false};",
        *_give_back(returned, shown),
        *(
            f"made[{k}] = {make}; if (!made[{k}]) goto failed_; done++;"
            for k, make in enumerate(made)
        ),
        *(f"if (!(tails[{k}] = {make})) goto failed_;" for k, (_, make) in enumerate(grown)),
        *(
            f"if (!extend(args[{place}], tails[{k}])) goto failed_;"
            for k, (place, _) in enumerate(grown)
        ),
        *shown,
        "for (PyObject *tail : tails) Py_XDECREF(tail);",
        "forget(given, given_count);",
        f"return answer(status_, at_, made, {len(made)});",
        "failed_:",
        "for (int k = 0; k < done; k++) Py_DECREF(made[k]);",
        "for (PyObject *tail : tails) Py_XDECREF(tail);",
        "for (PyObject *entry : entries) Py_XDECREF(entry);",
        "restore(run, given, given_count);",
        'return results.refused ? Py_BuildValue("(iL)", (int)REFUSED, (long long)at_) : nullptr;',
        "}",
    ]
    return "\n".join([*lines, "ENTRY(run_loop)"]) + "\n"


def _give_back(returned: Sequence[str], shown: Sequence[str]) -> list[str]:
    """Where the function around the loop returns: names need not be bound any more."""
    if not returned:
        return []
    return [
        "if (status_ == RETURNED) {",
        "    PyObject *value = nullptr;",
        "    switch (return_) {",
        *(f"    case {k}: value = {make}; break;" for k, make in enumerate(returned)),
        "    }",
        "    if (!value) goto failed_;",
        *shown,
        "    forget(given, given_count);",
        "    return answer(status_, at_, &value, 1);",
        "}",
    ]
