#!/usr/bin/env bash
# NumPy 2.4.6: whether an integer that has no room raises depends on the sign of the *target's* type
# and on how it is stored, not on the value.
#
# Since NEP 50 a Python integer that does not fit raises OverflowError everywhere. A NumPy integer
# scalar does so only where the target is signed: `int8[0] = np.int64(200)` raises, and
# `uint8[0] = np.int64(300)` is 44 without a word, as is `uint8[0] = np.int64(-1)` with 255. And the
# same scalar stored by a list of places, by a mask, by `put`, by `np.full`, or as an array of no
# dimension wraps around in signed arrays, too. Who relies on the exception to find overflows is
# warned for half of the types and a third of the spellings.
#
# Seen on 2026-11-28 with NumPy 2.4.6, Python 3.11.7, Linux x86_64.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -qq --disable-pip-version-check numpy==2.4.6
"$folder/venv/bin/python" - >"$folder/seen" <<'PY'
import numpy as np

STORES = {
    "a[0] = v": lambda a, v: a.__setitem__(0, v),
    "a[0:1] = v": lambda a, v: a.__setitem__(slice(0, 1), v),
    "a.fill(v)": lambda a, v: a.fill(v),
    "a[[0]] = v": lambda a, v: a.__setitem__([0], v),
    "a[a == 0] = v": lambda a, v: a.__setitem__(a == 0, v),
    "a.put(0, v)": lambda a, v: a.put(0, v),
    "a[0] = np.asarray(v)": lambda a, v: a.__setitem__(0, np.asarray(v)),
}
for target, value in (("int8", 200), ("uint8", 300), ("uint8", -1)):
    for name, store in STORES.items():
        a = np.zeros(1, target)
        try:
            store(a, np.int64(value))
            came = str(a[0])
        except OverflowError:
            came = "OverflowError"
        print(f"{target}, np.int64({value}): {name}: {came}")
PY
cat "$folder/seen"
diff "$folder/seen" - <<'SEEN'
int8, np.int64(200): a[0] = v: OverflowError
int8, np.int64(200): a[0:1] = v: OverflowError
int8, np.int64(200): a.fill(v): OverflowError
int8, np.int64(200): a[[0]] = v: -56
int8, np.int64(200): a[a == 0] = v: -56
int8, np.int64(200): a.put(0, v): -56
int8, np.int64(200): a[0] = np.asarray(v): -56
uint8, np.int64(300): a[0] = v: 44
uint8, np.int64(300): a[0:1] = v: 44
uint8, np.int64(300): a.fill(v): 44
uint8, np.int64(300): a[[0]] = v: 44
uint8, np.int64(300): a[a == 0] = v: 44
uint8, np.int64(300): a.put(0, v): 44
uint8, np.int64(300): a[0] = np.asarray(v): 44
uint8, np.int64(-1): a[0] = v: 255
uint8, np.int64(-1): a[0:1] = v: 255
uint8, np.int64(-1): a.fill(v): 255
uint8, np.int64(-1): a[[0]] = v: 255
uint8, np.int64(-1): a[a == 0] = v: 255
uint8, np.int64(-1): a.put(0, v): 255
uint8, np.int64(-1): a[0] = np.asarray(v): 255
SEEN
echo "as seen"
