#!/usr/bin/env bash
# Works on the TypeScript in labextension/.
#
# usage: scripts/frontend.sh lint|test|build
#
# Node is needed to change the front end, not to use it: the built bundle is
# committed. Without Node this says so and leaves the rest of a recipe alone.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '==> %s\n' "$*"; }

major=$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)
if [ "$major" -lt 20 ]; then
  say "front end not checked: Node 20 or newer is missing (tests of the built bundle still run)"
  [ "$1" != build ]
  exit
fi

export PATH="$PWD/.venv/bin:$PATH"
log=$PWD/build/frontend-install.log
mkdir -p build
cd labextension
if [ ! -e node_modules ] || [ yarn.lock -nt node_modules/.yarn-state.yml ]; then
  say "installing the front end's tools"
  jlpm install --immutable >"$log" 2>&1 || { tail -n 20 "$log"; exit 1; }
  touch node_modules/.yarn-state.yml
fi

case $1 in
  lint)
    say "front end: tsc, eslint, prettier"
    jlpm tsc --noEmit
    jlpm lint
    ;;
  test)
    say "front end: unit specs"
    # The count is read from here by scripts/test.sh.
    jlpm test >../build/frontend-specs.txt || { cat ../build/frontend-specs.txt; exit 1; }
    ;;
  build)
    say "front end: building jupyter_npcompile/labextension"
    jlpm build
    ;;
  *) echo "usage: scripts/frontend.sh lint|test|build" >&2; exit 2 ;;
esac
