"""The check of a native loop: one iteration that is taken back and left to Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from itertools import combinations
from time import perf_counter
from typing import Any

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.loops.loop_code import NOTHING, REFUSED, RETURNED
from jupyter_npcompile.loops.records import Step
from jupyter_npcompile.runtime.check import Rounding, difference
from jupyter_npcompile.runtime.footprint import budget
from jupyter_npcompile.runtime.loop_form import Form
from jupyter_npcompile.runtime.samples import sample_mismatches, sampled
from jupyter_npcompile.runtime.sharing import are_new
from jupyter_npcompile.tracer import interrupts
from jupyter_npcompile.tracer.memory import Array, is_writeable

Tail = tuple[list[Any], int, list[Any]]
"""A list, how long it was, and what comes after that."""

Stored = tuple[Any, Step, Any]
"""A dict or an object, which entry of it, and what is put there."""

BLOCK = 1 << 16
"""Elements that are exchanged at a time."""


@dataclass(eq=False)
class Prediction:
    """What native code says an iteration will do.

    Parameters
    ----------
    form : Form
        Whose it is.
    values : dict of str to object
        What names are bound to.
    contents : list of (ndarray, ndarray)
        Arrays that are written into, and what is in them then.
    magnitude : float
        Of the largest number that went in.
    changes : int
        What had changed before.
    began : float
        When Python began with the iteration.
    tails : list of (list, int, list)
        Lists that grow, how long they were, and what they grow by.
    stored : list of (object, Step, object)
        Entries of dicts and objects that are replaced.
    size : tuple of int
        Of the run that it is a part of.
    seconds : float
        What native code has taken for it, besides what it does once a run.
    samples : set of str
        Names of which samples are kept.
    """

    form: Form
    values: dict[str, Any]
    contents: list[tuple[Array, Array]]
    magnitude: float
    changes: int
    began: float = 0.0
    tails: list[Tail] = field(default_factory=list)
    stored: list[Stored] = field(default_factory=list)
    size: tuple[int, ...] = ()
    seconds: float = 0.0
    samples: set[str] = field(default_factory=set)

    @classmethod
    def of(
        cls,
        form: Form,
        found: dict[str, Any],
        contents: list[tuple[Array, Array]],
        values: list[Any],
        changes: int,
        written: Written,
    ) -> Prediction:
        """What native code says, from its inputs and what it gives names."""
        tails, stored = written.tails, written.stored
        grown = [part for *_, part in (*tails, *stored)]
        magnitude = max(map(_magnitude, (*values, *found.values(), *grown)), default=0.0)
        return cls(form, found, contents, magnitude, changes, tails=tails, stored=stored)

    def sample(self, name: str) -> None:
        """Keep no more than a sample of what a name is bound to."""
        self.values[name] = sampled(self.values[name])
        self.samples.add(name)

    def lighten(self, inputs: list[Any], nbytes: float) -> None:
        """Keep samples of new arrays where all together take more than so many bytes.

        Python is about to make the same arrays once more.
        """
        made = {
            name: value
            for name, value in self.values.items()
            if type(value) is np.ndarray and are_new([value], inputs)
        }
        if sum({id(value): value.nbytes for value in made.values()}.values()) > nbytes:
            for name in made:
                self.sample(name)

    def differences(self, namespace: Mapping[str, Any]) -> list[str]:
        """What is not as it was said, now that Python has run the iteration."""
        rounding = Rounding(self.magnitude, self.form.code.precision)
        found: list[str | None] = []
        for name, value in self.values.items():
            if value is NotImplemented:
                continue
            if name not in namespace:
                found.append(f"{name}: it is not bound")
            elif name in self.samples:
                seen = sampled(namespace[name])
                found += [str(one) for one in sample_mismatches(name, seen, value, rounding)]
            elif namespace[name] is not value:
                found.append(difference(name, namespace[name], value, rounding))
        for array, content in self.contents:
            # A copy: what is compared must not share memory with the user's array.
            found.append(difference("an array", array.copy(), content, rounding))
        for grown, length, tail in self.tails:
            found.append(difference("a list", grown[length:], tail, rounding))
        for record, step, value in self.stored:
            # An array that lies there already is compared where it is written into.
            if step.entry(record) is not value:
                found.append(difference(step.text, step.entry(record), value, rounding))
        return [text for text in found if text is not None]


class Written:
    """The arrays that an iteration may write into.

    Parameters
    ----------
    form : Form
        What runs.
    values : list
        Its inputs.
    arguments : tuple
        What it goes through.
    """

    def __init__(self, form: Form, values: list[Any], arguments: tuple[Any, ...]) -> None:
        named = zip(form.code.inputs, values, strict=True)
        # What is no array is of another type than the form is for, which native code will say.
        found = {
            id(value): value
            for name, value in named
            if name in form.code.written and isinstance(value, np.ndarray)
        }
        rows = [part for part in arguments if type(part) is np.ndarray]
        found.update((id(array), array) for array in rows if is_writeable(array))
        self.arrays: list[Array] = list(found.values())
        self.nbytes = sum(array.nbytes for array in self.arrays)
        there = {id(v): v.nbytes for v in (*values, *arguments) if type(v) is np.ndarray}
        # One list may come by two names, of which the loop reads one.
        self.lists = list({id(value): value for value in values if type(value) is list}.values())
        self.tails: list[Tail] = []
        self.entries = [(values[place], step) for place, step in form.code.stored]
        self.stored: list[Stored] = []
        self.seconds = 0.0
        self.budget = budget(sum(there.values()))
        self.fits = self.nbytes <= self.budget


def predict(
    form: Form,
    values: list[Any],
    arguments: tuple[Any, ...],
    written: Written,
    changes: int,
) -> Prediction | None:
    """Have native code run one iteration, and take it back.

    Returns
    -------
    Prediction or None
        None when it left the iteration to Python.
    """
    _beginning(form, values, arguments)  # what it keeps copies in has its memory then
    answer, contents = taken_back(form, values, arguments, written)
    written.seconds = max(0.0, written.seconds - _beginning(form, values, arguments))
    if answer is None or answer[0] in (REFUSED, NOTHING):
        if answer is not None and answer[0] == REFUSED:
            form.refusals += 1
        return None
    if answer[0] == RETURNED:
        return None  # nothing would be left to compare with
    found = dict(form.code.fixed)
    found.update(zip(form.code.outputs, answer[2:], strict=True))
    made = Prediction.of(form, found, contents, values, changes, written)
    made.seconds = written.seconds
    made.lighten(values, written.budget / 2)  # what is written is there twice already
    return made


def _beginning(form: Form, values: list[Any], arguments: tuple[Any, ...]) -> float:
    """Seconds of a run of no iterations, of which a loop has one for all of its own."""
    began = perf_counter()
    form.run(0, *arguments, *values, *form.code.hosts)
    return perf_counter() - began


def taken_back(
    form: Form, values: list[Any], arguments: tuple[Any, ...], written: Written
) -> tuple[tuple[Any, ...] | None, list[tuple[Array, Array]]]:
    """Have native code run one iteration, and take back what it has written.

    Returns
    -------
    answer : tuple or None
        What it says.
    contents : list of (ndarray, ndarray)
        Arrays, and what it has written into them.
    """
    with interrupts.held():
        return _taken_back(form, values, arguments, written)


def _taken_back(
    form: Form, values: list[Any], arguments: tuple[Any, ...], written: Written
) -> tuple[tuple[Any, ...] | None, list[tuple[Array, Array]]]:
    contents = [(array, array.copy()) for array in written.arrays]
    streams = [(v, v.bit_generator.state) for v in values if type(v) is np.random.Generator]
    lengths = [len(grown) for grown in written.lists]
    there = [step.entry(record) for record, step in written.entries]
    legacy = np.random.get_state(legacy=False) if form.code.draws_legacy else None
    began = perf_counter()
    answers, error = interrupts.run(form.run, 1, *arguments, *values, *form.code.hosts)
    written.seconds = perf_counter() - began
    for generator, state in streams:
        generator.bit_generator.state = state
    form.code.printed.clear()
    for grown, length in zip(written.lists, lengths, strict=True):
        written.tails.append((grown, length, grown[length:]))
        del grown[length:]
    for (record, step), before in zip(written.entries, there, strict=True):
        written.stored.append((record, step, step.entry(record)))
        step.replace(record, before)
    if legacy is not None:
        np.random.set_state(legacy)
    if error is not None:
        for array, before in contents:
            np.copyto(array, before)
        raise error
    (answer,) = answers
    if any(np.may_share_memory(one, other) for one, other in combinations(written.arrays, 2)):
        after = [array.copy() for array in written.arrays]
        for array, before in contents:
            np.copyto(array, before)
        contents = list(zip(written.arrays, after, strict=True))
    else:
        for array, before in contents:
            exchange(array, before)
    return answer, contents


def exchange(array: Array, other: Array) -> None:
    """Exchange what is in two arrays of the same shape, without a third one of their size.

    Examples
    --------
    >>> one, other = np.arange(3), np.zeros(3, int)
    >>> exchange(one, other)
    >>> one, other
    (array([0, 0, 0]), array([0, 1, 2]))
    """
    if array.size <= BLOCK:
        block = array.copy()
        np.copyto(array, other)
        np.copyto(other, block)
    elif len(array) == 1:
        exchange(array[0], other[0])
    else:
        step = max(1, len(array) * BLOCK // array.size)
        for start in range(0, len(array), step):
            exchange(array[start : start + step], other[start : start + step])


def _magnitude(value: Any) -> float:
    if type(value) is dict:
        value = list(value.values())
    if type(value) in (list, tuple):
        return max(map(_magnitude, value), default=0.0)
    if type(value) is np.ndarray and value.dtype.kind in "fc" and value.size:
        parts = (value.real, value.imag) if value.dtype.kind == "c" else (value,)
        # The absolute values would need memory, and to have some for large arrays takes long.
        largest = max(float(max(np.max(part), -np.min(part))) for part in parts)
    elif isinstance(value, float | np.floating):
        largest = abs(float(value))
    else:
        return 0.0
    return largest if np.isfinite(largest) else 0.0
