"""The command ``npcompile``: what is done with a machine, not with a notebook.

Examples
--------
>>> main(["--version"])
Traceback (most recent call last):
SystemExit: 0
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import metadata

WARM = """Compile one loop and one segment, so that the first compiles on this machine need not wait
for headers and probes: for images, and classrooms before the lesson. What is in the cache by then
serves everybody who uses the same cache with the same versions and compiler. Ends with 1 if
something cannot be compiled here."""

DOCTOR = """Look at all that compiling needs, compile a loop and a segment, and say what to do about
what is wrong. A report of a fault should have what this prints. Ends with 1 if something is wrong
without which nothing is compiled."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line asks.

    Parameters
    ----------
    arguments : sequence of str, optional
        The command line, without the name of the command.

    Returns
    -------
    int
        0 if all is well.
    """
    parser = argparse.ArgumentParser(
        prog="npcompile", description="Prepare a machine, or look at it."
    )
    version = f"jupyter-npcompile {metadata.version('jupyter-npcompile')}"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(dest="command", required=True)
    warm = commands.add_parser("warm", help="prepare the cache of this machine", description=WARM)
    doctor = commands.add_parser("doctor", help="look for what is wrong", description=DOCTOR)
    for command in (warm, doctor):
        command.add_argument("--cache", metavar="DIR", help="the cache, by default the user's own")
    given = parser.parse_args(arguments)
    if given.cache is not None:
        os.environ["NPCOMPILE_CACHE_DIR"] = given.cache
    return _warm() if given.command == "warm" else _doctor()


def _doctor() -> int:
    from jupyter_npcompile.runtime import checkup  # when it is known where the cache is
    from jupyter_npcompile.runtime.compile_worker import stop_all

    wrong = False
    print("this compiles something, which may take a minute", file=sys.stderr, flush=True)
    try:
        for finding in checkup.look():
            print(finding, flush=True)
            wrong |= finding.is_wrong
    except KeyboardInterrupt:
        return 130
    finally:
        stop_all()
    print("something is wrong" if wrong else "all is well")
    return int(wrong)


def _warm() -> int:
    from jupyter_npcompile.runtime import notices, warming  # when it is known where the cache is
    from jupyter_npcompile.runtime.compile_worker import stop_all

    failed = False
    try:
        for prepared in warming.warm():
            print(prepared, flush=True)
            failed |= bool(prepared.problem)
    except KeyboardInterrupt:
        print("interrupted: what was prepared by then stays", file=sys.stderr)
        return 130
    finally:
        stop_all()
    for line in notices.take():
        print(line, file=sys.stderr)
    where, megabytes, is_kept = warming.size()
    lost = "" if is_kept else ", which are gone now: nothing is prepared"
    print(f"{where}: {megabytes:.0f} MB{lost}")
    return int(failed or not is_kept)
