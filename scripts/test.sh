#!/usr/bin/env bash
# All checks and all tests; the last line says how many tests ran.
set -euo pipefail
cd "$(dirname "$0")/.."
rm -f build/frontend-specs.txt

scripts/lint.sh
scripts/frontend.sh test

specs=$(sed -n 's/^# pass //p' build/frontend-specs.txt 2>/dev/null || true)
printf '==> pytest\n'
# A quarter of the examples of large families is run: another one each time, but for a landing,
# where luck decides nothing. NPCOMPILE_SAMPLE=all runs every one, which takes an hour.
if [ -z "${NPCOMPILE_SAMPLE:-}" ]; then
  NPCOMPILE_SAMPLE=dfe14be55d75
  [ -n "${CI:-}" ] || NPCOMPILE_SAMPLE=$RANDOM$RANDOM
fi
export NPCOMPILE_SAMPLE
printf 'examples of large families: NPCOMPILE_SAMPLE=%s\n' "$NPCOMPILE_SAMPLE"
# Tests start some two hundred processes that import the package: Python compiles it once.
unset PYTHONDONTWRITEBYTECODE
# A file is the unit, see tests/support/session/distribution.py: its tests share what they have compiled. Many
# wait for a compiler or a browser, so one process more than there are processors is busy.
# After 75 minutes it is interrupted, where there is something to do that with, and says which
# tests have failed so far.
limit=env
command -v timeout >/dev/null && limit='timeout --foreground --signal=INT --kill-after=60 4500'
processes=$(($(.venv/bin/python -c 'import os; print(os.cpu_count() or 1)') + 1))
# shellcheck disable=SC2086 # the limit is several words
$limit .venv/bin/python -m pytest -q -n $((processes < 4 ? processes : 4)) --dist loadfile \
  --durations=20 --junitxml=build/pytest.xml
.venv/bin/python - "${specs:-0}" <<'PY'
import sys
from xml.etree import ElementTree

suite = ElementTree.parse("build/pytest.xml").getroot().find("testsuite")
ran, skipped = int(suite.get("tests")), int(suite.get("skipped"))
print(f"==> {ran - skipped} Python tests and {sys.argv[1]} front-end specs passed, {skipped} skipped")
PY
