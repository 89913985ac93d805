"""Gradients of NumPy code: over captured graphs and across break points."""
