"""JAX: a scan over the bytes, the eight bits unrolled."""

import jax
import jax.numpy as jnp

from tests.benchmarks.programs.crc_bits.program import POLYNOMIAL

jax.config.update("jax_enable_x64", True)


@jax.jit
def checksum(message):
    def step(register, byte):
        register = register ^ byte
        for _ in range(8):
            odd = (register & 1).astype(bool)
            register = jnp.where(odd, (register >> 1) ^ jnp.uint32(POLYNOMIAL), register >> 1)
        return register, None

    return ~jax.lax.scan(step, jnp.uint32(0xFFFFFFFF), message.astype(jnp.uint32))[0]


def run(message):
    return checksum(message).block_until_ready()
