#!/usr/bin/env bash
# Style, formatting and types: first of the Python package, then of the front end.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '==> %s\n' "$*"; }

say "ruff"
.venv/bin/ruff check -q
.venv/bin/ruff format -q --check
say "mypy --strict"
.venv/bin/mypy --strict
scripts/frontend.sh lint
