"""Programs of many fields, as people write them: material of tests/same/test_fields.py.

Each module has functions, and `PROGRAMS`, which says what they are called with: a generator
of random numbers and a size go in, arguments come out.
"""
