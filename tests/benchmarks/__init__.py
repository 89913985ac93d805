"""Benchmarks: measured by ``make bench``, never by a test."""
