"""Benchmarks: measured by ``make bench``, never by a test.

`programs` holds what is measured, one folder a program. `tools` says how NumPy,
this package, torch.compile, Numba and JAX are prepared and called. `worker`
measures in a process of its own, `campaign` starts workers and keeps what they
say, `report` and `picture` write it down.
"""
