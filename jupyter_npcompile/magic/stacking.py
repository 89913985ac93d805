"""Our cell magic above others: what they run as a cell is compiled."""

from __future__ import annotations

from IPython.core.inputtransformer2 import cell_magic

from jupyter_npcompile.dataclass import dataclass


@dataclass(slots=True)
class Stack:
    """A cell whose next line is the magic of somebody else, who gets the rest of it.

    IPython hands a magic its body as text, and what runs that as Python has it transformed as
    a cell: then our line is put on top of it.

    Parameters
    ----------
    line : str
        Our magic line.
    name : str
        The other magic.
    body : str
        What it gets.
    found : bool
        Whether it has run that as Python.
    """

    line: str
    name: str
    body: str
    found: bool = False

    @classmethod
    def of(cls, lines: list[str]) -> tuple[Stack, list[str]] | None:
        r"""A cell as a stack, and the lines that call the other magic; None if there is none.

        Examples
        --------
        >>> stack, lines = Stack.of(["%%npcompile\n", "%%time\n", "x = 1\n"])
        >>> stack.name, stack.body
        ('time', 'x = 1\n')
        >>> lines
        ['\n', "get_ipython().run_cell_magic('time', '', 'x = 1\\n')\n"]
        >>> Stack.of(["%%npcompile\n", "x = 1\n"]) is None
        True
        """
        first = next((k for k, line in enumerate(lines[1:], 1) if line.strip()), 0)
        inner = lines[first:]
        called: list[str] = cell_magic(inner) if first else inner  # type: ignore[no-untyped-call]
        if called == inner:
            return None
        stack = cls(lines[0], inner[0].split()[0].removeprefix("%%"), "".join(inner[1:]))
        return stack, ["\n" * first, *called]

    def holds(self, text: str) -> bool:
        """Whether a cell is what the other magic has got; IPython takes empty lines off it."""
        return text.strip() == self.body.strip()


class Stacks:
    """The stacks of the cells that run, for which other magics have not run the body yet."""

    def __init__(self) -> None:
        self._next: Stack | None = None
        self._running: list[Stack | None] = []

    def with_our_line(self, lines: list[str]) -> list[str]:
        """A cell with our line on top of it, where a magic has got it from us."""
        self._next = None
        stack = next((one for one in reversed(self._running) if one is not None), None)
        if stack is None or not stack.holds("".join(lines)):
            return lines
        stack.found = True
        return [stack.line, *lines]

    def called(self, lines: list[str]) -> list[str] | None:
        """A call of the magic below ours, from where its body is waited for; None without one."""
        found = Stack.of(lines)
        if found is None:
            return None
        if self._running:  # it is what a cell runs
            self._running[-1] = found[0]
        else:
            self._next = found[0]
        return found[1]

    def begin(self) -> None:
        """A cell begins to run."""
        self._running.append(self._next)
        self._next = None

    def end(self) -> str | None:
        """A cell is over; which magic has not run its body, if it has got one."""
        stack = self._running.pop() if self._running else None
        return None if stack is None or stack.found else stack.name
