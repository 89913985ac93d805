"""Benchmarks: measured by ``make bench``, never by a test.

- What is measured: `programs`, one folder a program, and in which `tools`.
- Measuring: `worker` in a process of its own, with `timing` and `bandwidth`;
  `children` starts workers and stops those that hang; `campaign` decides what
  is asked of which worker, after a plan in `plans`, and shows `progress`.
- What comes of it: `results` as data, with keys from `machine`; `accounting`
  says what counts how, `stability` whether two runs agree; `report` and
  `picture` write it down, `publishing` puts it into files.
- `ratchet` counts what must not grow, without a clock; a test compares.
"""
