"""What ``%%timeit`` times, as a function of its own.

IPython puts the statements into the loop of a function that it makes. Here they become the body
of another, which stands there as one call: it gets the names that the setup has bound, and gives
back those that it binds itself.

A compiler does not compute what nobody needs. But who times ``np.sqrt(x)`` means that it is
computed. So all that is bound is returned, and a value that gets no name is given one.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence

from jupyter_npcompile.cell.names import bound_names, deferred, exposed, loaded, surely_bound
from jupyter_npcompile.cell.program import NotTraceable
from jupyter_npcompile.cell.regions import keeps_frame
from jupyter_npcompile.cell.syntax import (
    Place,
    assign,
    call,
    clone,
    define,
    extent,
    in_scope,
    load,
    parameters,
    point,
    store,
)
from jupyter_npcompile.dataclass import dataclass

OWN = frozenset({"_it", "_timer", "_t0", "_t1", "_i"})
"""Names of the function that IPython makes."""

BEGUN = OWN - {"_t1"}
"""Those that are bound when it is."""

NAME = "inner"
"""Its name, and that of ours: it is what a traceback shows."""

_FOR_EFFECT = frozenset(
    {
        *("append", "extend", "insert", "remove", "pop", "clear", "reverse", "update", "add"),
        *("discard", "setdefault", "appendleft", "popleft", "write", "print", "display"),
        *("sort", "fill", "put", "partition", "setflags", "byteswap", "setfield", "itemset"),
        *("at", "copyto", "place", "putmask", "put_along_axis", "fill_diagonal"),
        *("shuffle", "seed", "set_state", "seterr", "acquire", "release"),
    }
)
"""What is called for what it changes, not for its value."""


@dataclass(frozen=True)
class Timed:
    """A body that is timed.

    Parameters
    ----------
    definition : ast.FunctionDef
        The function.
    call : tuple of ast.stmt
        What stands in the loop. Values without a name are gone when it is over.
    returns : bool
        Whether its last statement is one that nobody has written: it returns what is bound.
    """

    definition: ast.FunctionDef
    call: tuple[ast.stmt, ...]
    returns: bool


def timed(
    setup: Sequence[ast.stmt],
    body: Sequence[ast.stmt],
    name: str,
    classes: frozenset[str] = frozenset(),
) -> Timed:
    r"""Make a function of what is timed.

    Parameters
    ----------
    setup : sequence of ast.stmt
        What runs before the clock does.
    body : sequence of ast.stmt
        What is timed. It is not changed.
    name : str
        What the function is called by.
    classes : frozenset of str
        Names of classes: what they make is gone at once, as ever.

    Raises
    ------
    NotTraceable
        If that would mean something else.

    Examples
    --------
    >>> setup, body = ast.parse("a = 1").body, ast.parse("b = x * a\nnp.exp(b)").body
    >>> made = timed(setup, body, "f")
    >>> print(ast.unparse(made.definition))
    def inner(a):
        b = x * a
        value_1 = np.exp(b)
        return (b, value_1)
    >>> print(ast.unparse(ast.Module(list(made.call), [])))
    b, value_1 = f(a)
    del value_1
    """
    for reason, part in _obstacles(setup, body):
        raise NotTraceable(reason, getattr(part, "lineno", body[0].lineno))
    naming = _Naming(loaded([*setup, *body]) | bound_names([*setup, *body]), classes)
    named = [naming.visit(clone(statement)) for statement in body]
    inside = bound_names(named)
    given = loaded(body) & (surely_bound(setup) | BEGUN)
    made = sorted(surely_bound(named) | (given & inside))
    first, last = point(body[0]), point(body[-1])
    asked: ast.expr = call(load(name, first), [load(it, first) for it in sorted(given)], first)
    statement: ast.stmt = ast.Expr(asked, **first)
    if made:
        result: ast.expr = ast.Tuple([load(it, last) for it in made], ast.Load(), **last)
        target: ast.expr = ast.Tuple([store(it, first) for it in made], ast.Store(), **first)
        named.append(ast.Return(result if len(made) > 1 else load(made[0], last), **last))
        statement = assign(target if len(made) > 1 else store(made[0], first), asked, first)
    end = extent(body[-1])
    whole = Place(
        lineno=1,
        col_offset=0,
        end_lineno=end["end_lineno"],
        end_col_offset=end["end_col_offset"],
    )
    unnamed = inside - bound_names(body)
    gone = ast.Delete([_deleted(it, first) for it in made if it in unnamed], **first)
    run = (statement, gone) if gone.targets else (statement,)
    return Timed(define(NAME, parameters(sorted(given), first), named, whole), run, bool(made))


def _deleted(name: str, place: Place) -> ast.Name:
    return ast.Name(name, ast.Del(), **place)


def _obstacles(
    setup: Sequence[ast.stmt], body: Sequence[ast.stmt]
) -> Iterator[tuple[str, ast.AST | None]]:
    """Why a function of its own would mean something else, and where."""
    inside, around = bound_names(body), bound_names(setup)
    if any(isinstance(part, ast.Global | ast.Nonlocal) for part in in_scope(setup)):
        yield "the setup declares names as global", None
    for statement in body:
        reason = keeps_frame([statement])
        if reason is not None:
            yield reason, statement
    for part in in_scope(body):
        if isinstance(part, ast.Delete) or (
            isinstance(part, ast.ExceptHandler) and part.name is not None
        ):
            yield "a name is unbound: iterations share their names", part
        elif isinstance(part, ast.NamedExpr):
            yield "`:=` may not be reached: iterations share their names", part
        elif isinstance(part, ast.Attribute) and part.attr == "resize":
            yield "resize counts who refers to an array", part
        elif isinstance(part, ast.Return | ast.Await | ast.AsyncFor | ast.AsyncWith):
            yield "not allowed in what is timed", part
    if inside & OWN:
        yield f"binds {min(inside & OWN)}, a name of %%timeit's own", None
    kept = (exposed(body) & inside) - surely_bound(setup)
    if kept:
        what = "may be read before it is bound, or from an iteration before"
        yield f"{min(kept)} {what}", None
    if loaded(body) & ((around | OWN) - surely_bound(setup) - BEGUN):
        yield "reads what the setup may not have bound", None
    if deferred(body) & inside:
        what = "is read by a function that may outlive the iteration"
        yield f"{min(deferred(body) & inside)} {what}", None
    if deferred(setup) & inside:
        yield "a function of the setup reads what is bound here", None


class _Naming(ast.NodeTransformer):
    """Changes statements so that values without a name have one that is not taken."""

    def __init__(self, taken: frozenset[str], classes: frozenset[str]) -> None:
        self._for_effect = _FOR_EFFECT | classes
        self._free = (it for k in itertools.count(1) if (it := f"value_{k}") not in taken)

    def _whole(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> ast.stmt:
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = _whole

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        if not _is_for_value(node.value, self._for_effect):
            return node
        return assign(store(next(self._free), extent(node.value)), node.value, extent(node))


def _is_for_value(node: ast.expr, for_effect: frozenset[str]) -> bool:
    """Whether an expression computes something that is worth a name."""
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        return name not in for_effect and all(it.arg != "out" for it in node.keywords)
    return isinstance(node, ast.BinOp | ast.UnaryOp | ast.Compare | ast.Subscript | ast.Attribute)
