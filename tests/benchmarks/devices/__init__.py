"""Programs in NumPy and on a device, with what is copied: ``make bench-cuda``."""
