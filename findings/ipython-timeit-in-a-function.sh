#!/usr/bin/env bash
# IPython 9.18.1: `%timeit` in a function writes the function's local names into the notebook.
#
# The line magic has the caller's local names, so that it may time what they hold. It puts them
# among the notebook's, and takes back only those that had another value before: all others stay,
# and keep alive what they hold, when the function is over. And where the timed statement raises,
# nothing is taken back: a variable of the notebook then has the value of the function's variable
# of the same name, without a word. `%time`, in the same place, leaves the notebook as it was.
#
# Seen on 2026-11-29 with IPython 9.18.1, Python 3.11.7, Linux x86_64.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -qq --disable-pip-version-check ipython==9.18.1
"$folder/venv/bin/python" - >"$folder/seen" <<'PY'
import contextlib
import io

from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()


def after(magic, statement):
    """What the notebook's names are when a function with a magic in it has run."""
    shell.user_ns.pop("inside", None)
    cell = f"x = 'notebook'\ndef f(x):\n    inside = x\n    {magic} {statement}\nf('function')"
    with contextlib.redirect_stdout(io.StringIO()):
        shell.run_cell(cell)
    return f"x is the {shell.user_ns['x']}'s, inside is {shell.user_ns.get('inside', 'not there')}"


for magic in ("%timeit -q -n1 -r1", "%time"):
    for statement in ("inside + x", "int(x)"):
        print(f"{magic} {statement}: {after(magic, statement)}")
PY
cat "$folder/seen"
diff "$folder/seen" - <<'SEEN'
%timeit -q -n1 -r1 inside + x: x is the notebook's, inside is function
%timeit -q -n1 -r1 int(x): x is the function's, inside is function
%time inside + x: x is the notebook's, inside is not there
%time int(x): x is the notebook's, inside is not there
SEEN
