"""What holds for every test."""

from __future__ import annotations

import os

import hypothesis

# Before NumPy and torch are imported: the machines that run this are small and
# busy, and threads that wait for each other cost more than they bring.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Time says nothing on a busy machine.
hypothesis.settings.register_profile("project", deadline=None)
hypothesis.settings.load_profile("project")
