"""The programs of tests/fields: where they stand, and what they are as cells."""

from __future__ import annotations

import ast
import importlib
import inspect
import textwrap
import types
import zlib
from collections.abc import Iterator, Sequence

import pytest
from _pytest.mark.structures import ParameterSet

from tests.support.field_calls import Draw, Function, Given, Outcome, outcome

FIELDS = (
    *("games", "physics", "statistics", "learning", "images", "signals", "graphs"),
    *("numerics", "exercises", "data", "language", "rules"),
)


class Program:
    """A program.

    Parameters
    ----------
    module : module
        Where it stands.
    function : function
        The program.
    draw : function
        What it is called with.
    """

    def __init__(self, module: types.ModuleType, function: Function, draw: Draw) -> None:
        self.module = module
        self.field = module.__name__.rpartition(".")[2]
        self.function = function
        self.name = function.__name__
        self.draw = draw

    def __str__(self) -> str:
        return f"{self.field}-{self.name}"

    def outcome(self, function: Function, given: Given) -> Outcome:
        """Call it, or what was made of it."""
        return outcome(function, given.arguments(self.draw), self.module.__file__ or "")

    def setup(self, given: Sequence[Given]) -> str:
        """A cell that binds its arguments, for each run others."""
        return f"""
import numpy as np
import {self.module.__name__} as field
from tests.support.field_calls import Given, bound
given = {list(given)!r}[RUN]
arguments = given.arguments(field.PROGRAMS[field.{self.name}])
globals().update(bound(field.{self.name}, arguments))
"""

    def cell(self) -> str:
        """What it does, as a cell; where a cell cannot, a cell that defines and calls it."""
        source = textwrap.dedent(inspect.getsource(self.function))
        node = ast.parse(source).body[0]
        assert isinstance(node, ast.FunctionDef)
        helpers = "\n\n\n".join(self._helpers(node))
        names = list(inspect.signature(self.function).parameters)
        ends = [item for item in ast.walk(node) if isinstance(item, ast.Return)]
        last = node.body[-1]
        if ends != [last] or "nonlocal" in source or "lru_cache" in source:
            return f"{helpers}\n\n\n{source}\n\nresult = {self.name}({', '.join(names)})"
        body = textwrap.dedent(source.partition("\n")[2])
        before, _, result = body.rpartition("return ")
        return f"{helpers}\n\n\n{before}result = {result.strip()}"

    def _helpers(self, node: ast.AST) -> Iterator[str]:
        """Imports, functions and classes of its module that it needs."""
        tree = ast.parse(inspect.getsource(self.module))
        yield "\n".join(
            ast.unparse(item) for item in tree.body if isinstance(item, ast.Import | ast.ImportFrom)
        )
        own = {self.name, *inspect.signature(self.function).parameters}
        defined = {
            item.name: item
            for item in tree.body
            if isinstance(item, ast.FunctionDef | ast.ClassDef) and item.name not in own
        }
        needed: set[str] = set()
        unseen: list[ast.AST] = [node]
        while unseen:
            used = {k.id for k in ast.walk(unseen.pop()) if isinstance(k, ast.Name)}
            new = (used & set(defined)) - needed
            needed |= new
            unseen += [defined[name] for name in new]
        for name, item in defined.items():
            if name in needed:
                yield ast.unparse(item)


def programs() -> Iterator[Program]:
    """All of them."""
    for field in FIELDS:
        module = importlib.import_module(f"tests.support.fields.{field}")
        for function, draw in module.PROGRAMS.items():
            yield Program(module, function, draw)


def marked(one_of: int) -> list[ParameterSet]:
    """All of them as parameters of a test: a sample runs always, the others in ``make fuzz``."""
    return [
        pytest.param(
            program,
            marks=() if zlib.crc32(program.name.encode()) % one_of == 0 else pytest.mark.fuzz,
        )
        for program in programs()
    ]
