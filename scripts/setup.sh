#!/usr/bin/env bash
# Makes .venv in the checkout and installs what a recipe needs, once.
#
# usage: scripts/setup.sh EXTRA [PYTHON]     EXTRA is `demo`, `test` or `bench`
#
# A stamp in .venv remembers what was installed for which pyproject.toml, built
# front end and templates, so the next call has nothing to do.
set -euo pipefail
cd "$(dirname "$0")/.."

extra=$1
python=${2:-python3}

say() { printf '==> %s\n' "$*"; }

# The commands a recipe uses, the Debian package of each, and what works without.
need_commands() {
  local missing=() notes=() command package without
  while IFS='|' read -r command package without; do
    command -v "$command" >/dev/null && continue
    missing+=("$package")
    notes+=("$command is missing: install $package; $without")
  done
  ((${#missing[@]})) || return 0
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    say "installing ${missing[*]} with apt-get"
    if (apt-get -qq update && DEBIAN_FRONTEND=noninteractive \
        apt-get -qq install -y --no-install-recommends "${missing[@]}") >/dev/null 2>build/apt.log; then
      return 0
    fi
    say "apt-get failed, see build/apt.log"
  fi
  printf '==> %s\n' "${notes[@]}"
}

mkdir -p build
compiler='g++|g++|without it every cell runs in plain NumPy'
dot='dot|graphviz|without it graphs are drawn by a simpler layout of our own'
chromium='chromium|chromium|without it the browser tests are skipped'
case $extra in
  bench) need_commands <<<"$compiler" ;;
  demo) need_commands <<<"$compiler"$'\n'"$dot" ;;
  test) need_commands <<<"$compiler"$'\n'"$dot"$'\n'"$chromium" ;;
  *) echo "usage: scripts/setup.sh demo|test|bench [PYTHON]" >&2; exit 2 ;;
esac

if [ ! -x .venv/bin/python ]; then
  if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    say "$python is too old: Python 3.11 or newer is needed (make PYTHON=python3.12 ...)"
    exit 1
  fi
  if ! "$python" -c 'import ensurepip' 2>/dev/null && [ "$(id -u)" = 0 ] \
      && command -v apt-get >/dev/null; then
    say "installing python3-venv with apt-get"
    (apt-get -qq update && apt-get -qq install -y python3-venv) >/dev/null
  fi
  say "creating .venv"
  "$python" -m venv .venv
fi

fingerprint=$(cat pyproject.toml jupyter_npcompile/labextension/digests.json \
  jupyter_npcompile/views/nbconvert/templates/*/*.j2 | cksum)
is_current() { [ "$(cat ".venv/installed-$1" 2>/dev/null)" = "$fingerprint" ]; }
# What `test` installs contains what `demo` needs.
if is_current "$extra" || { [ "$extra" = demo ] && is_current test; }; then
  exit 0
fi
pip() { .venv/bin/python -m pip --disable-pip-version-check "$@"; }
if ! .venv/bin/python -c 'import importlib.util as u; exit(u.find_spec("torch") is None)'; then
  say "installing torch (some minutes)"
  # This release first and alone: a range may pick a build for GPUs of several GB.
  pip install -qq torch==2.13.0
fi
say "installing jupyter-npcompile with what \`$extra\` needs"
if ! pip install -qq -e ".[$extra]"; then
  [ "$extra" = bench ] || exit 1
  say "Numba and JAX cannot be installed here: measured without what is missing"
  pip install -qq -e .
fi
printf '%s\n' "$fingerprint" >".venv/installed-$extra"
