"""Tests of torch's library being loaded in the background."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.session.processes import PATIENCE

SCRIPT = """
import threading, time
from jupyter_npcompile.runtime.native import torch_symbols
threading.Thread(target=torch_symbols.load, daemon=True).start()
time.sleep({seconds})
"""


@pytest.mark.parametrize("seconds", [0.01, 0.05, 0.1, 0.15, 0.2, 0.3])
def test_a_process_that_ends_meanwhile_ends_well(seconds: float) -> None:
    command = [sys.executable, "-c", SCRIPT.format(seconds=seconds)]
    done = subprocess.run(command, check=False, capture_output=True, timeout=PATIENCE)
    assert (done.returncode, done.stderr.decode()) == (0, "")


def test_nothing_is_loaded_when_the_process_ends() -> None:
    script = """
from jupyter_npcompile.runtime.native import torch_symbols
torch_symbols._exit()
try:
    torch_symbols.load()
except OSError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)
    assert b"the process ends" in done.stdout
