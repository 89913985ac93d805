#!/usr/bin/env bash
# Runs the Python tests of `make test` with other versions of Python and of the libraries.
#
# usage: scripts/matrix.sh [FOLDER [CORNER...]]
#
# A corner is a file tests/constraints/CORNER.txt: its first line names the Python, the others pin
# what is installed. Each gets an environment of its own in FOLDER (a new one if none is given),
# which is deleted when its tests are over; KEEP=1 keeps it, and the next call takes it as it is.
# PROCESSES says how many tests run at a time, 2 if it is not set. The rows of the table in
# docs/dev/versions.md are written anew; logs and JUnit files stay in FOLDER.
#
# A corner takes 10 to 20 minutes on two processors, and up to 8 GB while it runs, for registries
# may have builds of torch for GPUs only. It is no part of CI.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:-$(mktemp -d)}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
shift || true
corners=("$@")
if ((${#corners[@]} == 0)); then
  for file in tests/constraints/*.txt; do corners+=("$(basename "$file" .txt)"); done
fi

say() { printf '==> %s\n' "$*"; }

# The interpreter of a version such as 3.12: on the path, or one of pyenv's.
interpreter() {
  local found
  for found in "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1".*/bin/python "$(command -v "python$1")"; do
    if [ -x "$found" ]; then
      echo "$found"
      return
    fi
  done
  return 1
}

install() {
  local corner=$1 python=$2 environment=$3
  [ ! -x "$environment/bin/python" ] || return 0
  say "$corner: installing"
  "$python" -m venv "$environment"
  # Not with `-c`: what pip is configured to constrain would count as well.
  PIP_CONSTRAINT=$PWD/tests/constraints/$corner.txt \
    "$environment/bin/python" -m pip install -qq -e '.[test]' >"$folder/$corner-install.log" 2>&1
}

run() {
  local corner=$1 environment=$2
  say "$corner: testing, see $folder/$corner.log"
  # Some tests start programs by their names.
  PATH=$environment/bin:$PATH PYTHONPATH=$PWD "$environment/bin/python" -m pytest -q \
    -n "${PROCESSES:-2}" --dist loadfile -p no:cacheprovider --part=chosen \
    --junitxml="$folder/$corner.xml" >"$folder/$corner.log" 2>&1
}

write_down() {
  "$2/bin/python" - "$1" "$folder/$1.xml" docs/dev/versions.md <<'PY'
import datetime
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree

corner, results, page = sys.argv[1], sys.argv[2], Path(sys.argv[3])
suite = ElementTree.parse(results).getroot().find("testsuite")
ran, skipped = int(suite.get("tests")), int(suite.get("skipped"))
failed = int(suite.get("failures")) + int(suite.get("errors"))
row = [corner, platform.python_version()]
row += [version(name).partition("+")[0] for name in ("numpy", "torch", "ipython")]
row += [ran - skipped - failed, failed, skipped, round(float(suite.get("time")) / 60)]
row += [datetime.date.today()]
line = "| " + " | ".join(map(str, row)) + " |"
lines = page.read_text().splitlines()
places = [at for at, each in enumerate(lines) if each.startswith(f"| {corner} |")]
if places:
    lines[places[0]] = line
else:
    lines.insert(max(at for at, each in enumerate(lines) if each.startswith("|")) + 1, line)
page.write_text("\n".join(lines) + "\n")
print(line)
PY
}

failed=0
unset NPCOMPILE_CACHE_DIR PYTHONDONTWRITEBYTECODE
for corner in "${corners[@]}"; do
  wanted=$(sed -n '1s/^# Python //p' "tests/constraints/$corner.txt")
  environment=$folder/$corner
  if ! python=$(interpreter "$wanted"); then
    say "$corner: left out, there is no Python $wanted here"
    continue
  fi
  if ! install "$corner" "$python" "$environment"; then
    say "$corner: cannot be installed, see $folder/$corner-install.log"
    failed=1
    continue
  fi
  run "$corner" "$environment" || failed=1
  write_down "$corner" "$environment"
  [ -n "${KEEP:-}" ] || rm -rf "$environment"
done
exit $failed
