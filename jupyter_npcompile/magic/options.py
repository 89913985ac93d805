"""Options of the cell magic."""

from __future__ import annotations

import shlex

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.runtime.devices import CPU, plain, require, with_precision
from jupyter_npcompile.runtime.policy import Options
from jupyter_npcompile.runtime.settings import settings

VALID = (
    "--device cpu|cuda[:n]|standin, --dtype float64|float32, --ahead, --quiet, --check, "
    "--grad NAMES, --wrt NAMES, --seed EXPRESSION"
)


_PRECISION = (
    "--dtype float32 belongs to a device: the CPU computes with what the arrays have",
    "gradients have the precision of the arrays: leave --dtype out",
)
"""Why single precision cannot be had: without a device, and with ``--grad``."""


class OptionError(ValueError):
    """An option that the magic does not know, or a value that it cannot have."""


@dataclass(frozen=True, slots=True)
class CellOptions:
    """Options of one ``%%npcompile`` line.

    Parameters
    ----------
    device : str
        Where segments run, and in which precision: see `devices.with_precision`.
    ahead : bool
        Compile before running.
    quiet : bool
        Show nothing under the cell; with ``check``, only differences.
    check : bool
        Run the cell in NumPy, and copies of it compiled, and compare.
    grad : tuple of str
        Names whose gradients the cell binds to ``grads``.
    wrt : tuple of str
        Names, or patterns of names, of what they are differentiated with
        respect to.
    seed : str
        An expression: the weights of the elements of what is no scalar.

    Examples
    --------
    >>> CellOptions.parse("--ahead --quiet")
    CellOptions(device='cpu', ahead=True, quiet=True, check=False, grad=(), wrt=(), seed='')
    >>> CellOptions.parse("--grad loss --wrt w,b*").wrt
    ('w', 'b*')
    >>> CellOptions.parse("--fast")
    Traceback (most recent call last):
        ...
    jupyter_npcompile.magic.options.OptionError: %%npcompile has no option '--fast'. \
Valid options: --device cpu|cuda[:n]|standin, --dtype float64|float32, --ahead, --quiet, \
--check, --grad NAMES, --wrt NAMES, --seed EXPRESSION
    """

    device: str = "cpu"
    ahead: bool = False
    quiet: bool = False
    check: bool = False
    grad: tuple[str, ...] = ()
    wrt: tuple[str, ...] = ()
    seed: str = ""

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
        given = dict.fromkeys(("device", "dtype", "grad", "wrt", "seed"), "")
        flags = dict.fromkeys(("ahead", "quiet", "check"), False)
        while words:
            word, _, value = words.pop(0).partition("=")
            if word.startswith("--") and word[2:] in given:
                if not value:
                    if not words:
                        raise OptionError(f"{word} needs a value. Valid options: {VALID}")
                    value = words.pop(0)
                given[word[2:]] = value
            elif word.startswith("--") and word[2:] in flags and not value:
                flags[word[2:]] = True
            else:
                raise OptionError(f"%%npcompile has no option {word!r}. Valid options: {VALID}")
        device = given["device"] or settings.device
        dtype = given["dtype"] or settings.dtype
        if dtype not in ("float64", "float32"):
            raise OptionError(f"%%npcompile: --dtype is float64 or float32, not {dtype!r}")
        if given["dtype"] == "float32" and (device == CPU or given["grad"]):
            raise OptionError(f"%%npcompile: {_PRECISION[bool(given['grad'])]}")
        try:
            require(device)
            device = plain(device) if given["grad"] else with_precision(device, dtype)
        except ValueError as error:
            raise OptionError(f"%%npcompile: {error}") from None
        if not given["grad"] and (given["wrt"] or given["seed"]):
            raise OptionError("%%npcompile: --wrt and --seed belong to --grad NAME")
        if given["grad"] and flags["check"]:
            raise OptionError("%%npcompile: --grad and --check do not go together")
        wrt = _names(given["wrt"]) or (("*",) if given["grad"] else ())
        return cls(device, **flags, grad=_names(given["grad"]), wrt=wrt, seed=given["seed"])

    @property
    def runtime(self) -> Options:
        """The part that the runtime needs."""
        return Options(self.device, self.ahead)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())
