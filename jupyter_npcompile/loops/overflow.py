"""Integers of which one look after a loop tells whether they have overflowed.

A loop that may be left at each sum of integers is not vectorised. So where nothing
else is in its way, sums and products go on with what is left of them, and a
variable keeps whether anything was lost; then Python runs the loop, and from then on
the loops of this file look at each sum again. What a loop adds up in a variable is in
no order any more when it is vectorised: there the largest number that was added tells
that no order could overflow.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from jupyter_npcompile.dataclass import dataclass

HARMLESS = frozenset(
    [
        *("for", "if", "LIKELY", "LOOK", "math::min", "math::sqrt", "math::fabs", "fitting"),
        *(
            "lt",
            "le",
            "gt",
            "ge",
            "np_max",
            "np_min",
            "at_least",
            "at_most",
            "chosen",
            "square",
            "cube",
        ),
        *("picked_lt", "picked_le", "picked_gt", "picked_ge"),
        *("checked_add", "checked_sub", "checked_mul", "checked_neg"),
    ]
)
"""What has the form of a call, and keeps no loop from being vectorised."""

WIDE = ("i64", "int64_t", "int32_t")
"""Integers that are added up; the sums of shorter ones are soon too large to be sure of."""

_CALL = re.compile(r"([A-Za-z_][\w:]*)(?:<[\w ]+>)?\(")
_CHECKED = re.compile(r"\bchecked_(add|sub|mul|neg)<")
_HELD = re.compile(r"const \w+ (\w+) = (.*);")
_ASSIGNED = re.compile(r"((?:v|g_v|m_v)_\w+) = (.*);")
_STORED = re.compile(r"(\w+)\.p\[(.*)\] = .*;")
_ELEMENT = re.compile(r"(\w+)\.p\[")
_SUM = re.compile(r"checked_(add|sub)<(\w+)>\((\w+), (\w+)\)")
_COUNT = re.compile(r"\((\w+_int64) [+-] \(\(i64\)-?\d+\)\)")


@dataclass(frozen=True)
class Lazy:
    """A loop whose integers are looked at when it is over.

    Parameters
    ----------
    lines : list of str
        C++: the loop, and the look.
    """

    lines: list[str]


def lazily(lines: Sequence[str], count: str) -> Lazy | None:
    r"""Have the integers of an innermost loop looked at when it is over.

    Parameters
    ----------
    lines : sequence of str
        The loop in C++.
    count : str
        How many iterations it has, at most.

    Returns
    -------
    Lazy or None
        None where nothing overflows, or where it would not be vectorised all the same.

    Examples
    --------
    >>> loop = ["for (; i < n; i++) {", "const i64 t = checked_add<i64>(v_s, e);", "v_s = t;", "}"]
    >>> print(*lazily(loop, "n").lines, sep="\n")
    {
    Lazy lazy_;
    const i64 before_v_s = v_s;
    for (; i < n; i++) {
    const i64 t = lazy_.sum<i64>(v_s, e);
    v_s = t;
    }
    lazy_.look();
    lazy_.look_at<i64>(before_v_s, n, 1);
    }
    """
    sums = _sums_alone(lines)
    if sums is None or not any(map(_CHECKED.search, lines)):
        return None
    made, counts = [], dict.fromkeys(sums, 0)
    for line in lines:
        found = _SUM.search(line)
        name = None if found is None else _summed(found, sums)
        if found is not None and name is not None:
            function, c, first, second = found.groups()
            other = second if first == name else first
            kind = "sum" if function == "add" else "less"
            line = line.replace(found.group(), f"lazy_.{kind}<{c}>({name}, {other})")
            counts[name] += 1
        made.append(_CHECKED.sub(r"lazy_.\1<", line))
    return Lazy(
        [
            "{",
            "Lazy lazy_;",
            *(f"const {c} before_{name} = {name};" for name, c in sums.items()),
            *made,
            "lazy_.look();",
            *(
                f"lazy_.look_at<{c}>(before_{name}, {count}, {counts[name]});"
                for name, c in sums.items()
            ),
            "}",
        ]
    )


def for_vectors(lines: Sequence[str]) -> Sequence[str]:
    """The same loop with choices that can be made by vectors, where it may be vectorised."""
    if not any("picked_" in line for line in lines) or _sums_alone(lines) is None:
        return lines
    return [line.replace("picked_", "chosen_") for line in lines]


def _sums_alone(lines: Sequence[str]) -> dict[str, str] | None:
    """Variables in which a loop adds up, if it may be vectorised."""
    return _sums(lines) if _is_straight(lines) and _are_apart(lines) else None


def _is_straight(lines: Sequence[str]) -> bool:
    """Whether nothing in a loop leaves it, goes elsewhere, or calls anything."""
    heads = sum(line.startswith("for (") for line in lines)
    in_blocks = any(line.startswith("for (;;)") for line in lines)
    if heads != 1 + in_blocks or any("goto " in line or "while" in line for line in lines):
        return False
    return all(name in HARMLESS for line in lines for name in _CALL.findall(line))


def _sums(lines: Sequence[str]) -> dict[str, str] | None:
    """Variables in which a loop adds up, and their types; None where others wait for each other."""
    found: dict[str, str] = {}
    for name in {match[1] for line in lines if (match := _ASSIGNED.fullmatch(line))}:
        word = re.compile(rf"\b{name}\b")
        uses = [line for line in lines if word.search(line)]
        first = _ASSIGNED.fullmatch(uses[0])
        if first and first[1] == name and not word.search(first[2]):
            continue  # each iteration begins with it anew
        if _counts(name, uses):
            continue
        c = _sum_type(name, uses)
        if c is None:
            return None
        found[name] = c
    return found


def _counts(name: str, uses: Sequence[str]) -> bool:
    """Whether a variable only counts: such sums are not looked at."""
    chosen = re.compile(rf"\(\w+ \? \w+ : {name}\)")

    def counted(line: str) -> bool:
        held = _HELD.fullmatch(line)
        found = _COUNT.fullmatch(held[2]) if held else None
        return bool(held and (chosen.fullmatch(held[2]) or (found and found[1] == name)))

    last = _ASSIGNED.fullmatch(uses[-1])
    return len(uses) > 1 and bool(last and last[1] == name) and all(map(counted, uses[:-1]))


def _sum_type(name: str, uses: Sequence[str]) -> str | None:
    """The type of a variable that is only added to, or taken from."""
    c = None
    for made, bound in zip(uses[::2], uses[1::2], strict=False):
        held, assigned = _HELD.fullmatch(made), _ASSIGNED.fullmatch(bound)
        found = _SUM.fullmatch(held[2]) if held else None
        if not held or not found or not assigned or assigned[2] != held[1]:
            return None
        _, type, first, second = found.groups()
        is_first = first == name and second != name
        is_second = second == name and first != name and found[1] == "add"
        if type not in WIDE or not (is_first or is_second) or c not in (None, type):
            return None
        c = type
    return None if len(uses) % 2 else c


def _summed(found: re.Match[str], sums: dict[str, str]) -> str | None:
    """Which of the variables a sum is added up in."""
    return next((name for name in (found[3], found[4]) if name in sums), None)


def _are_apart(lines: Sequence[str]) -> bool:
    """Whether no iteration reads what another may have written, as far as the text tells."""
    held = {match[1]: match[2] for line in lines if (match := _HELD.fullmatch(line))}

    def places(line: str) -> list[tuple[str, str]]:
        found = []
        for match in _ELEMENT.finditer(line):
            rest, depth = line[match.end() :], 1
            for k, letter in enumerate(rest):
                depth += (letter == "[") - (letter == "]")
                if not depth:
                    found.append((match[1], _written_out(rest[:k], held)))
                    break
        return found

    stored = {places(line)[0] for line in lines if _STORED.fullmatch(line)}
    arrays = {array for array, _ in stored}
    read = {place for line in lines if not _STORED.fullmatch(line) for place in places(line)}
    return all(place in stored for place in read if place[0] in arrays)


def _written_out(text: str, held: dict[str, str]) -> str:
    """An index without the names that its parts were given.

    Examples
    --------
    >>> _written_out("((i64)t_2)", {"t_2": "(t_1 + 1)", "t_1": "v_i"})
    '((i64)(v_i + 1))'
    """
    while True:
        made = re.sub(r"\w+", lambda match: held.get(match[0], match[0]), text)
        if made == text:
            return text
        text = made
