"""Options of the cell magic."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from jupyter_npcompile.runtime.devices import require
from jupyter_npcompile.runtime.policy import Options

VALID = "--device cpu|cuda[:n], --ahead, --quiet, --check"


class OptionError(ValueError):
    """An option that the magic does not know, or a value that it cannot have."""


@dataclass(frozen=True, slots=True)
class CellOptions:
    """Options of one ``%%npcompile`` line.

    Parameters
    ----------
    device : str
        Where segments run.
    ahead : bool
        Compile before running.
    quiet : bool
        Show nothing under the cell; with ``check``, only differences.
    check : bool
        Run the cell in NumPy, and copies of it compiled, and compare.

    Examples
    --------
    >>> CellOptions.parse("--ahead --quiet")
    CellOptions(device='cpu', ahead=True, quiet=True, check=False)
    >>> CellOptions.parse("--fast")
    Traceback (most recent call last):
        ...
    jupyter_npcompile.magic.options.OptionError: %%npcompile has no option '--fast'. \
Valid options: --device cpu|cuda[:n], --ahead, --quiet, --check
    """

    device: str = "cpu"
    ahead: bool = False
    quiet: bool = False
    check: bool = False

    @classmethod
    def parse(cls, line: str) -> CellOptions:
        """Read the rest of the magic line.

        Raises
        ------
        OptionError
            When something in it is not valid; the message says what is.
        """
        try:
            words = shlex.split(line)
        except ValueError as error:
            raise OptionError(f"%%npcompile: {error}. Valid options: {VALID}") from None
        device = "cpu"
        flags = dict.fromkeys(("ahead", "quiet", "check"), False)
        while words:
            word, _, value = words.pop(0).partition("=")
            if word == "--device":
                if not value:
                    if not words:
                        raise OptionError(f"--device needs a value. Valid options: {VALID}")
                    value = words.pop(0)
                device = value
            elif word.startswith("--") and word[2:] in flags and not value:
                flags[word[2:]] = True
            else:
                raise OptionError(f"%%npcompile has no option {word!r}. Valid options: {VALID}")
        try:
            require(device)
        except ValueError as error:
            raise OptionError(f"%%npcompile: {error}") from None
        return cls(device, **flags)

    @property
    def runtime(self) -> Options:
        """The part that the runtime needs."""
        return Options(self.device, self.ahead)
