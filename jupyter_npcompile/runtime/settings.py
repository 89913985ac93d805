"""What a user can set."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Literal, get_args

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.runtime.devices import CPU, require

Tier = Literal["auto", "numpy", "aten", "inductor", "native-loop"]
"""How regions run: chosen (``auto``), or forced: NumPy, the lowered graph
operation by operation, compiled by Inductor, or only loops, compiled as a whole."""

FirstRunCheck = Literal["replace", "raise", "off"]
"""What happens when the first compiled result differs from NumPy's: NumPy's
result replaces it and the report says so, ``DifferenceError`` is raised, or
nobody looks."""


Dtype = Literal["float64", "float32"]
"""What segments compute with on a device: what arrays have, or single precision."""


@dataclass
class Settings:
    """Settings of the whole package; change the attributes of ``jupyter_npcompile.settings``.

    Parameters
    ----------
    tier : {"auto", "numpy", "aten", "inductor", "native-loop"}
        How regions run.
    first_run_check : {"replace", "raise", "off"}
        What to do when the first compiled result differs from NumPy's.
    cache_mb : int
        Megabytes that the cache of compiled code may take on disk.
    device : str
        Where segments run, where nothing else is said: ``"cpu"``, ``"cuda"``,
        ``"cuda:1"`` or ``"standin"``.
    dtype : {"float64", "float32"}
        What segments compute with on a device, where nothing else is said: with the
        second one, what is float64 or complex128 is computed in single precision.
        The CPU computes with what the arrays have.

    Raises
    ------
    ValueError
        When an attribute is set to a value that it cannot have.

    Examples
    --------
    >>> Settings(tier="aten").tier
    'aten'
    >>> Settings(tier="fast")
    Traceback (most recent call last):
        ...
    ValueError: tier: 'fast' is not one of 'auto', 'numpy', 'aten', 'inductor', 'native-loop'
    """

    tier: Tier = "auto"
    first_run_check: FirstRunCheck = "replace"
    cache_mb: int = 1000
    device: str = CPU
    dtype: Dtype = "float64"

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in (field.name for field in fields(self)):
            known = ", ".join(field.name for field in fields(self))
            raise AttributeError(f"there is no setting {name!r}; settings are {known}")
        if name == "cache_mb":
            if type(value) is not int or value < 1:
                raise ValueError(f"cache_mb: {value!r} is not a positive integer")
        elif name == "device":
            require(value)
        elif value not in (choices := _CHOICES[name]):
            allowed = ", ".join(map(repr, choices))
            raise ValueError(f"{name}: {value!r} is not one of {allowed}")
        object.__setattr__(self, name, value)


_CHOICES: dict[str, tuple[str, ...]] = {
    "tier": get_args(Tier),
    "first_run_check": get_args(FirstRunCheck),
    "dtype": get_args(Dtype),
}

settings = Settings()
