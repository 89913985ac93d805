"""What is found out about the processor once, whichever torch there is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

NEEDS_GXX = pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++")

PROBE = """
from torch._inductor import cpu_vec_isa

tried = []
check = cpu_vec_isa.VecISA.check_build

def counted(isa, code):
    tried.append(isa)
    return check(isa, code)

cpu_vec_isa.VecISA.check_build = counted
from jupyter_npcompile.runtime import building

building.probe()
assert cpu_vec_isa.VecISA.check_build is counted
print(len(tried), cpu_vec_isa.pick_vec_isa())
"""


@pytest.mark.slow
@NEEDS_GXX
def test_instruction_sets_are_tried_once(tmp_path: Path) -> None:
    said = [
        subprocess.run(
            [sys.executable, "-c", PROBE],
            env={**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split(maxsplit=1)
        for _ in range(2)
    ]
    (tried, found), (again, same) = said
    assert int(tried) > 0
    assert (again, same) == ("0", found)
