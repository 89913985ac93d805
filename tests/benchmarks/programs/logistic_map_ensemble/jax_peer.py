"""The same with ``fori_loop``."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


@partial(jax.jit, static_argnums=1)
def _exponents(r: Any, steps: int) -> Any:
    def step(_: int, carry: Any) -> Any:
        x, total = carry
        x = r * x * (1.0 - x)
        return x, total + jnp.log(jnp.abs(r * (1.0 - 2.0 * x)) + 1e-12)

    start = jnp.full_like(r, 0.3), jnp.zeros_like(r)
    return jax.lax.fori_loop(0, steps, step, start)[1] / steps


def run(r: Any, steps: int) -> Any:
    """The exponent for each r."""
    return _exponents(r, steps).block_until_ready()
