"""Where the system has no fork, as on Windows, everything imports, and NumPy runs.

A process from which all that Windows' Python lacks was taken stands in for it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

LACKING = """
import os, signal, sys
# These have ways of their own there, and ask for them by the name of the system.
import asyncio, multiprocessing, selectors, shutil, subprocess, tempfile, uuid, zipfile
import IPython.core.interactiveshell, comm, ipykernel, jupyter_client, numpy, torch
for module in ("fcntl", "resource", "termios", "pwd", "grp", "pty", "tty", "syslog"):
    sys.modules[module] = None
for name in ("fork", "forkpty", "register_at_fork", "geteuid", "getuid", "getgid", "getpgid",
             "getpgrp", "setsid", "setpgid", "killpg", "nice", "sysconf", "sched_getaffinity",
             "sched_setaffinity", "mkfifo", "uname", "wait3", "wait4", "WNOHANG", "chown",
             "O_NOFOLLOW", "O_DIRECTORY", "O_CLOEXEC", "posix_fadvise", "statvfs"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGSTOP", "SIGCONT", "SIGALRM", "SIGHUP", "SIGUSR1", "SIGUSR2",
             "SIGCHLD", "pthread_sigmask", "pthread_kill", "setitimer", "getitimer", "alarm",
             "sigpending", "sigwait", "siginterrupt", "SIG_BLOCK", "SIG_UNBLOCK", "SIG_SETMASK"):
    if hasattr(signal, name):
        delattr(signal, name)
"""

USES = """
import json
import numpy as np
import jupyter_npcompile as npc
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

shell = InteractiveShell.instance(colors="nocolor")
shell.run_line_magic("load_ext", "jupyter_npcompile")
shell.user_ns.update(np=np, npc=npc)
cell = '''%%npcompile
x = np.linspace(0, 1, 1000)
total = 0.0
for v in x[:300]:
    total += v * v
y = np.sin(x) * x + total
def f(a, k=2):
    s = 0.0
    for e in a:
        s += e ** k
    return s
z = f(x)
'''
said = []
for _ in range(3):
    with capture_output() as out:
        result = shell.run_cell(cell)
    result.raise_error()
    said.append(out.stdout + "".join(o.data.get("text/plain", "") for o in out.outputs))
names = {}
exec(cell.partition("\\n")[2], {"np": np}, names)
same = all(np.array_equal(shell.user_ns[n], names[n]) for n in ("x", "y", "z", "total"))
ahead = npc.compile(names["f"], ahead=True)
same = same and ahead(names["x"]) == names["z"]
with capture_output():
    shell.run_cell("%%npcompile --ahead\\ny = np.cos(x) + 1").raise_error()
    for line in ("status", "report", "graph", "timing", "off", "on", "clear"):
        shell.run_line_magic("npcompile", line)
waited = npc.wait(60)
slope = npc.grad(lambda a: np.sum(np.sin(a)))(names["x"])
print("@", json.dumps({
    "same": bool(same), "said": said, "waited": str(waited),
    "slope": bool(np.allclose(slope, np.cos(names["x"]))),
    "explained": npc.explain(np.sin, names["x"]).summary,
    "equal": npc.compare(names["f"], names["x"]).equal,
    "artifacts": npc.stats()["artifacts"],
}))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What a process found that has no fork."""
    folder: Path = tmp_path_factory.mktemp("without")
    run = subprocess.run(
        [sys.executable, "-c", LACKING + USES],
        capture_output=True,
        text=True,
        timeout=300,
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "PYTHONPATH": ":".join(sys.path)},
        cwd=folder,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-3000:]
    line = next(it for it in run.stdout.splitlines() if it.startswith("@ "))
    read: dict[str, object] = json.loads(line[2:])
    return read


def test_numpy_runs(found: dict[str, object]) -> None:
    assert found["same"]
    assert found["slope"]
    assert found["equal"]
    assert found["artifacts"] == 0


def test_what_is_missing_is_said_once_and_in_reports(found: dict[str, object]) -> None:
    said = found["said"]
    assert isinstance(said, list)
    notice = "npcompile: this system cannot fork processes: nothing is compiled, and NumPy runs"
    assert [text.count(notice) for text in said] == [1, 0, 0]
    # A busy machine may leave a cell to NumPy for want of time, and say that.
    assert any("cannot fork processes" in text for text in [*said[1:], str(found["explained"])])
    assert "cannot fork processes" in str(found["waited"])
