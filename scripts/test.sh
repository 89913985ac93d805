#!/usr/bin/env bash
# Runs tests; the last line says how many passed.
#
# usage: scripts/test.sh chosen                 the same tests each time, in ten minutes
#        scripts/test.sh rest [MINUTES [TURN]]  all others; goes on where it was stopped
#        scripts/test.sh fuzz [MINUTES [SEED]]  what draws examples, with a seed of its own
#
# tests/chosen.toml says which tests are chosen. After MINUTES no other file is begun. TURN says
# where to begin: who runs a part each time has run all after a few turns.
set -euo pipefail
cd "$(dirname "$0")/.."

what=${1:?usage: scripts/test.sh chosen|rest|fuzz}
minutes=${2:-}
number=${3:-}
say() { printf '==> %s\n' "$*"; }

options=()
case $what in
  chosen)
    scripts/frontend.sh test
    options+=(--part=chosen)
    ;;
  rest) options+=(--part=rest --resume=build/passed.txt ${number:+"--turn=$number"}) ;;
  fuzz)
    export NPCOMPILE_SEED=${number:-$RANDOM}
    say "examples drawn with seed $NPCOMPILE_SEED"
    options+=(-m "hypothesis or drawn or fuzz")
    ;;
  *) echo "usage: scripts/test.sh chosen|rest|fuzz" >&2; exit 2 ;;
esac
[ -z "$minutes" ] || options+=("--minutes=$minutes")

# Tests start some two hundred processes that import the package: Python compiles it once.
unset PYTHONDONTWRITEBYTECODE
# Many tests wait for a compiler or a browser, so one process more than there are processors is
# busy. A file is the unit, see tests/support/session/distribution.py.
processes=$(($(.venv/bin/python -c 'import os; print(os.cpu_count() or 1)') + 1))
say "pytest"
.venv/bin/python -m pytest -q -n $((processes < 4 ? processes : 4)) --dist loadfile \
  --durations=10 --junitxml="build/pytest-$what.xml" "${options[@]}" && status=0 || status=$?
# No test left to run is no failure: all have passed before.
[ $status = 0 ] || { [ $status = 5 ] && [ "$what" = rest ]; } || exit $status
.venv/bin/python - "$what" <<'PY'
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

suite = ElementTree.parse(f"build/pytest-{sys.argv[1]}.xml").getroot().find("testsuite")
ran, skipped = int(suite.get("tests")), int(suite.get("skipped"))
said = f"==> {ran - skipped} Python tests passed, {skipped} skipped"
specs = Path("build/frontend-specs.txt")
if sys.argv[1] == "chosen" and specs.exists():
    said += f"; {re.search(r'^# pass (.*)$', specs.read_text(), re.M)[1]} front-end specs passed"
print(said)
PY
