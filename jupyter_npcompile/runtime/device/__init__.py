"""Devices: memory that NumPy cannot see, and segments that run there."""
