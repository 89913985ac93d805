#!/usr/bin/env bash
# IPython 8.30.0 and 9.18.1 with ipykernel 7.4.0: a cell that raises below `%%capture` counts as one
# that has succeeded. So "Run All" goes on after it, and nbclient, which ends at the first error,
# executes the rest of the notebook and returns it as if nothing had happened. Below `%%time` it is
# so in 8.30.0, and not any more in 9.18.1. Below `%%timeit` and `%%prun` the error counts in both.
#
# `%%capture` runs the rest of the cell as a cell of its own, and nobody asks how that went.
# The traceback is shown, but a program that looks at the reply sees `ok`.
#
# Seen on 2026-11-30 with Python 3.11.7, Linux x86_64.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
for version in 8.30.0 9.18.1; do
  "$folder/venv/bin/pip" install -qq --disable-pip-version-check \
    "ipython==$version" ipykernel==7.4.0 nbclient==0.11.0 nbformat==5.11.1
  "$folder/venv/bin/python" - "$version" >>"$folder/seen" 2>/dev/null <<'PY'
import sys

import nbclient
import nbformat

for first in ("", "%%capture\n", "%%time\n", "%%timeit -n1 -r1\n", "%%prun -q\n"):
    cells = [nbformat.v4.new_code_cell(text) for text in (f"{first}1 / 0", "x = 1")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    try:
        nbclient.NotebookClient(notebook, kernel_name="python3").execute()
        end = "goes on"
    except nbclient.exceptions.CellExecutionError:
        end = "ends"
    print(f"IPython {sys.argv[1]}: {first.split()[0] if first else 'no magic'}: {end}")
PY
done
cat "$folder/seen"
diff - "$folder/seen" <<'SEEN'
IPython 8.30.0: no magic: ends
IPython 8.30.0: %%capture: goes on
IPython 8.30.0: %%time: goes on
IPython 8.30.0: %%timeit: ends
IPython 8.30.0: %%prun: ends
IPython 9.18.1: no magic: ends
IPython 9.18.1: %%capture: goes on
IPython 9.18.1: %%time: ends
IPython 9.18.1: %%timeit: ends
IPython 9.18.1: %%prun: ends
SEEN
echo "as seen"
