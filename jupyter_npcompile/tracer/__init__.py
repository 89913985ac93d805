"""NumPy to captured graph: a torch-free recorder, and the lowering to ATen."""
