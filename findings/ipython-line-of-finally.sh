#!/usr/bin/env bash
# IPython 9.18.1 with ipykernel 7.4.0: in a notebook an error that passes a `finally` (or an
# `except` that raises it again) is shown at the last line of that, not where it was raised.
#
# The file that ipykernel names as a cell's does not exist. Since some version between 9.10 and
# 9.18 IPython takes a short way for such frames, on which it reads the line from the frame
# (`f_lineno`) and not from the traceback (`tb_lineno`). The frame has gone on: its line is the one
# that ran last in it, which is that of the clean-up. Python's own traceback, and IPython 9.10.1,
# show the line that raised. So who reads a notebook's error looks at `file.close()` for the fault.
#
# Seen on 2026-11-29 with Python 3.11.7, Linux x86_64.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
for version in 9.10.1 9.18.1; do
  "$folder/venv/bin/pip" install -qq --disable-pip-version-check \
    "ipython==$version" ipykernel==7.4.0 nbclient==0.11.0 nbformat==5.11.1
  "$folder/venv/bin/python" - "$version" >>"$folder/seen" 2>/dev/null <<'PY'
import re
import sys

import nbclient
import nbformat

SOURCES = {
    "finally": "def f():\n    try:\n        raise ValueError('here')\n    finally:\n        str(1)",
    "raise again": "def f():\n    try:\n        int('x')\n    except ValueError:\n        raise",
    "nothing of that": "def f():\n    raise ValueError('here')",
}
for name, source in SOURCES.items():
    cells = [nbformat.v4.new_code_cell(text) for text in (source, "f()")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, kernel_name="python3", allow_errors=True).execute()
    text = "\n".join(notebook.cells[1].outputs[0].traceback)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    arrows = re.findall(r"^-+> (\d+)", plain, re.M)
    print(f"IPython {sys.argv[1]}: {name}: shown at line {arrows[-1]} of f")
PY
done
cat "$folder/seen"
diff - "$folder/seen" <<'SEEN'
IPython 9.10.1: finally: shown at line 3 of f
IPython 9.10.1: raise again: shown at line 3 of f
IPython 9.10.1: nothing of that: shown at line 2 of f
IPython 9.18.1: finally: shown at line 5 of f
IPython 9.18.1: raise again: shown at line 5 of f
IPython 9.18.1: nothing of that: shown at line 2 of f
SEEN
echo "as seen"
