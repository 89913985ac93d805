"""Measures and reports: ``make bench``, ``make bench-quick``, ``make bench-results``."""

from __future__ import annotations

import argparse
import shutil
import sys
from dataclasses import replace
from pathlib import Path

from tests.benchmarks import notebook, rivals
from tests.benchmarks.campaign import Campaign
from tests.benchmarks.plans import FULL, QUICK, one_of_each
from tests.benchmarks.programs import load, names
from tests.benchmarks.progress import Progress
from tests.benchmarks.publishing import (
    EARLY,
    NOTEBOOK,
    RIVALS,
    WAITING,
    publish,
    publish_early,
    publish_notebook,
    write,
)
from tests.benchmarks.results import Results
from tests.benchmarks.tools import TOOLS, named

BUILD = Path(__file__).parents[2] / "build" / "bench"


def arguments(argv: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one program of each class, one size")
    parser.add_argument("--programs", nargs="+", choices=names(), metavar="NAME", help="only these")
    known = [tool.name for tool in TOOLS]
    parser.add_argument("--tools", nargs="+", choices=known, help="only these")
    parser.add_argument("--minutes", type=float, help="begin nothing after so many minutes")
    parser.add_argument(
        "--again", action="store_true", help="measure all again, and compare with what there was"
    )
    parser.add_argument("--report", action="store_true", help="measure nothing, write the report")
    parser.add_argument(
        "--publish", action="store_true", help="only copy the report to tests/benchmarks"
    )
    parser.add_argument(
        "--notebook", action="store_true", help="only measure the first notebook, for the report"
    )
    parser.add_argument(
        "--waiting", action="store_true", help="only measure first results, in turns with NumPy's"
    )
    parser.add_argument(
        "--rivals", action="store_true", help="only time what is close in turns with torch.compile"
    )
    parser.add_argument(
        "--early", action="store_true", help="only measure the first calls together"
    )
    return parser.parse_args(argv)


def main(argv: list[str]) -> int:
    """Do what the command line says."""
    asked = arguments(argv)
    plan = QUICK if asked.quick else FULL
    folder = BUILD / "quick" if asked.quick else BUILD
    if asked.notebook:
        notebook.save(folder / NOTEBOOK)
        print(publish_notebook(folder))
        return 0
    programs = [load(name) for name in asked.programs or names()]
    if asked.waiting:
        waits = Campaign(plan, folder, programs, [], Progress()).turns()
        waits.write(folder / WAITING)
        print(waits.section())
        return 0
    if asked.early:
        calls = Campaign(plan, folder, programs, [], Progress()).early()
        calls.write(folder / EARLY)
        print(calls.section())
        print(publish_early(folder))
        return 0
    if asked.rivals:
        figures = rivals.close(Results.read(folder / "results.json"))
        chosen = [one for one in figures if one[0] in (asked.programs or names())]
        matches = Campaign(plan, folder, programs, [], Progress()).matches(chosen)
        matches.write(folder / RIVALS)
        print(matches.section())
        return 0
    if asked.publish:
        print(publish(folder))
        return 0
    if not plan.every and not asked.programs:
        programs = one_of_each(programs)
    tools = [named(name) for name in asked.tools] if asked.tools else list(TOOLS)
    if not asked.report:
        if asked.again and (folder / "results.json").is_file():
            shutil.move(folder / "results.json", folder / "previous.json")
        if asked.minutes is not None:
            plan = replace(plan, minutes=asked.minutes)
        try:
            Campaign(plan, folder, programs, tools, Progress()).run()
        except KeyboardInterrupt:
            print("\nstopped: what was measured is kept", file=sys.stderr)
    print(write(folder, plan, Results.read(folder / "results.json")))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
