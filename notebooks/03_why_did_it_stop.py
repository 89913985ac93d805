# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 3 · Why did it stop?
#
# ## Question
#
# Captured code stops at some lines. Which lines, why, and what can you write instead?
#
# With a year of temperatures you will break captured code in every way there is, on purpose, and mend it by the hints of the report.

# %%
import contextlib
import io
import warnings
from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np

import jupyter_npcompile as npc

# %load_ext jupyter_npcompile
plt.rcParams.update({"figure.dpi": 100, "font.size": 11})


def check(test, hint):
    try:
        solved, why = test(), ""
    except Exception as error:  # an unfinished answer may be anything
        solved, why = False, f" ({type(error).__name__}: {error})"
    print("✓ solved" if solved else f"✗ not yet: {hint}{why}")


# %% [markdown]
# The data: one temperature for each hour of a year, made from a yearly wave, a daily wave, and weather. Slow weather is noise that is averaged over three days.

# %%
rng = np.random.default_rng(7)
hours = np.arange(365 * 24)
weather = np.convolve(rng.normal(0, 20, hours.size + 71), np.ones(72) / 72, mode="valid")
temperature = (
    10
    - 9 * np.cos(2 * np.pi * hours / (365 * 24))
    - 4 * np.cos(2 * np.pi * hours / 24)
    + weather
)

# %% [markdown]
# In this notebook we look, we do not race. The tier `aten` runs the captured graph operation by operation, without a compiler. You wait only for PyTorch. Segments and break points are the same, with one exception: a loop that is compiled as a whole may print without a break point (notebook 04).

# %%
npc.settings.tier = "aten"

# %% [markdown]
# ## Predict
#
# Read the next cell. Which of its lines split the captured code, or stay in NumPy? The line with the magic is line 1.

# %%
my_guess = [3]  # numbers of lines

# %% [markdown]
# ## Run

# %%
# %%npcompile --ahead
daily = temperature.reshape(365, 24).mean(axis=1)
print("coldest day:", daily.min())
anomaly = daily - daily.mean()
hot_days = np.flatnonzero(anomaly > 10)
spread = np.sqrt((anomaly**2).mean())
label = np.where(anomaly > 0, "warm", "cold")

# %%
report = npc.last_report()
found = [point.line for point in report.breaks]
print("you guessed", my_guess)
print("break points in lines", found)
assert found == [3, 5, 7]

# %% tags=["picture"]
figure, axes = plt.subplots(figsize=(7.2, 3.6))
axes.plot(daily, linewidth=0.8, label="daily mean")
hot = "over 10 °C above the year's mean"
axes.plot(hot_days, daily[hot_days], "o", markersize=4, label=hot)
axes.axhline(daily.mean(), color="grey", linewidth=1)
axes.set(title="A year of temperatures", xlabel="day of the year", ylabel="temperature (°C)")
axes.set_ylim(top=33)
axes.legend(loc="upper left", fontsize=9)
plt.show()

# %% [markdown]
# ## Look
#
# Click the summary line under the cell. Each break point has a line, a column, a *kind*, a reason and a hint. They are data, too:

# %%
for point in report.breaks:
    print(f"line {point.line}, column {point.column}, kind {point.kind}")
    print("    reason:", point.reason)
    print("    hint:  ", point.hint)
assert [line.status for line in report.lines if line.line in found] == ["host"] * 3

# %% [markdown]
# A NumPy call that runs in NumPy inside otherwise captured code is a **host step**. Each of these three lines has one: `daily.min()`, `np.flatnonzero`, and the `np.where` that makes text.
#
# Line 7 comes last, so it splits nothing. It is listed because every NumPy call is accounted for: in a segment, or with a reason.
#
# In JupyterLab the next line opens the graph. A gap between two groups is a break point; click it.

# %%
# %npcompile graph

# %% [markdown]
# ## Break it
#
# Now every kind on purpose. Each function below does the same: subtract the mean, do *one thing* that cannot be captured, and go on. `npc.explain(f, ...)` runs a function on copies and gives its report.


# %%
def splits(f):
    """Print where a function is split; return kinds of break points, number of segments."""
    report = npc.explain(f, temperature)
    segments = len(report.graph.numpy)
    print(f"{f.__name__}: {segments} segment{'' if segments == 1 else 's'}")
    for point in report.breaks:
        line = report.source.splitlines()[point.line - report.first_line].strip()
        print(f"    {point.kind:9}{line}")
        print(f"    reason   {point.reason}")
        print(f"    hint     {point.hint}")
    return [point.kind for point in report.breaks], segments


# %% [markdown]
# **Things that must happen in Python, now.** A print shows a value at that moment. A list, an attribute and a deleted name change something other than an array. A clock is not NumPy. Compiled code computes arrays; it cannot do any of this. (Other statements for Python, `await` for one, split in the same way.)

# %%
log = []


class Station:
    pass


station = Station()


def prints(t):
    a = t - t.mean()
    print("warmest", a.max())
    return np.sqrt(a * a + 1)


def appends(t):
    a = t - t.mean()
    log.append(a.max())
    return np.sqrt(a * a + 1)


def sets_attribute(t):
    a = t - t.mean()
    station.warmest = a.max()
    return np.sqrt(a * a + 1)


def deletes(t):
    a = t - t.mean()
    b = a * a
    del a
    return np.sqrt(b + 1)


def looks_at_clock(t):
    a = t - t.mean()
    now = perf_counter()
    return np.sqrt(a * a + 1), now


for f in (prints, appends, sets_attribute, deletes, looks_at_clock):
    splits(f)

# %% [markdown]
# **Python needs a value.** A Python integer cannot stand for a number that is not computed yet. A helper function with an `if` on a computed value cannot be written down as one list of calls: which calls come next depends on the value.


# %%
def needs_integer(t):
    a = t - t.mean()
    n = int(a.max())
    return np.sqrt(a * a + n)


def scaled(a):
    if a.max() > 3:
        return a / a.max()
    return a


def tests_in_helper(t):
    a = t - t.mean()
    b = scaled(a)
    return np.sqrt(b * b + 1)


for f in (needs_integer, tests_in_helper):
    splits(f)

# %% [markdown]
# **NumPy has to do it.** The size of what `np.unique` gives depends on the values. Random numbers must be NumPy's own, so NumPy draws them; here it cannot draw ahead, for the width is computed on the same line. Text is not compiled. And where NumPy warns, NumPy itself must run, so that you see its warning.

# %%
noise_source = np.random.default_rng(1)


def counts_values(t):
    a = t - t.mean()
    values = np.unique(np.round(a))
    return np.sqrt(a * a + 1), values


def draws_late(t):
    a = t - t.mean()
    noise = noise_source.normal(0, a.std(), size=t.size)
    return np.sqrt(a * a + 1) + noise


def makes_text(t):
    a = t - t.mean()
    label = np.where(a > 0, "warm", "cold")
    return np.sqrt(a * a + 1), label


def warns(t):
    a = t - t.mean()
    b = np.log(a)
    return np.nanmean(b)


with warnings.catch_warnings(action="ignore"):  # here the report tells, not the screen
    for f in (counts_values, draws_late, makes_text, warns):
        splits(f)

# %% [markdown]
# **Limits, and on purpose.** A loop in a helper function is unrolled into the graph of its caller, and a graph of more than 2000 operations is not worth compiling. `npc.graph_break()` splits because you ask for it.


# %%
def running_total(values):
    total = 0.0
    for value in values:
        total = total + value
    return total


def loops_in_helper(t):
    a = t - t.mean()
    total = running_total(a)
    return np.sqrt(a * a + total * total)


def asks_for_it(t):
    a = t - t.mean()
    npc.graph_break()
    return np.sqrt(a * a + 1)


for f in (loops_in_helper, asks_for_it):
    splits(f)

# %% [markdown]
# ## Fix it
#
# Each hint in turn. The body does the same work; only the order or the words change.


# %%
def prints_last(t):
    a = t - t.mean()
    top = a.max()
    result = np.sqrt(a * a + 1)
    print("warmest", top)
    return result


def appends_last(t):
    a = t - t.mean()
    top = a.max()
    result = np.sqrt(a * a + 1)
    log.append(top)
    return result


def sets_attribute_last(t):
    a = t - t.mean()
    top = a.max()
    result = np.sqrt(a * a + 1)
    station.warmest = top
    return result


def deletes_nothing(t):  # at the end of a function every name goes anyway
    a = t - t.mean()
    b = a * a
    return np.sqrt(b + 1)


def looks_at_clock_first(t):
    now = perf_counter()
    a = t - t.mean()
    return np.sqrt(a * a + 1), now


def keeps_float(t):
    a = t - t.mean()
    n = np.trunc(a.max())  # the same number, as a float
    return np.sqrt(a * a + n)


def chooses_with_where(t):
    a = t - t.mean()
    b = np.where(a.max() > 3, a / a.max(), a)
    return np.sqrt(b * b + 1)


# %%
def counts_values_last(t):
    a = t - t.mean()
    result = np.sqrt(a * a + 1)
    rounded = np.round(a)
    values = np.unique(rounded)
    return result, values


def draws_first(t):
    noise = noise_source.normal(size=t.size)  # with width 1, scaled below
    a = t - t.mean()
    return np.sqrt(a * a + 1) + noise * a.std()


def makes_text_last(t):
    a = t - t.mean()
    result = np.sqrt(a * a + 1)
    warm = a > 0
    label = np.where(warm, "warm", "cold")
    return result, label


def silences(t):
    a = t - t.mean()
    with np.errstate(invalid="ignore"):
        b = np.log(a)
    return np.nanmean(b)


def loops_itself(t):
    a = t - t.mean()
    total = 0.0
    for value in a:
        total = total + value
    return np.sqrt(a * a + total * total)


def asks_for_nothing(t):
    a = t - t.mean()
    return np.sqrt(a * a + 1)


# %% [markdown]
# Now take the hints, and un-take them. For each pair: the fixed form is not split, and when the old form comes back, so does the break point. The results are the same.

# %%
pairs = {
    prints: prints_last,
    appends: appends_last,
    sets_attribute: sets_attribute_last,
    deletes: deletes_nothing,
    looks_at_clock: looks_at_clock_first,
    needs_integer: keeps_float,
    tests_in_helper: chooses_with_where,
    counts_values: counts_values_last,
    draws_late: draws_first,
    makes_text: makes_text_last,
    warns: silences,
    loops_in_helper: loops_itself,
    asks_for_it: asks_for_nothing,
}


def value_of(f):
    """What a function returns, from the same random numbers."""
    noise_source.bit_generator.state = np.random.PCG64(1).state
    with contextlib.redirect_stdout(io.StringIO()), np.errstate(invalid="ignore"):
        result = f(temperature)
    return result[0] if isinstance(result, tuple) else result


def quietly(f):
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(action="ignore"):
        return splits(f)


for broken, fixed in pairs.items():
    kinds, segments = quietly(fixed)
    assert not kinds or segments == 1, fixed  # nothing is split
    again, pieces = quietly(broken)
    assert len(again) == 1 and pieces == 2, broken  # un-applied: the break point is back
    assert np.allclose(value_of(broken), value_of(fixed), equal_nan=True), fixed
    left = "none" if not kinds else f"{kinds[0]}, at the end"
    print(f"{broken.__name__:16} {again[0]:9} → {fixed.__name__:20} break points: {left}")

# %% [markdown]
# Some hints a computer can take for you. `%npcompile fix` rewrites the last cell, tries each rewrite on copies, and offers what gives the same. In JupyterLab, a button changes the cell.

# %%
# %%npcompile --ahead
calm = temperature
for step in range(4):
    calm = 0.5 * (calm + calm.mean())
    print(f"{step}: {calm.max():.1f} °C at most")
swing = calm.max() - calm.min()

# %%
# %npcompile fix

# %% [markdown]
# Two of the fixed forms above still list a break point: `np.unique` and the text. The hint moved them to the end, where they split nothing. They run in NumPy, and the report says so.
#
# One case is no break point at all. A function that you compiled yourself, and that breaks inside, keeps its own segments. Its caller goes on after it. The report shows it as a note:


# %%
@npc.compile
def inner(v):
    w = v * 2
    print("inside:", round(w.max()))
    return w + 1


# %%
# %%npcompile --ahead
a = temperature - temperature.mean()
b = inner(a)
c = np.sqrt(b * b + 1)

# %%
note = npc.last_report().lines[1]
print(note.source, "→", note.reason)
assert "own segments" in note.reason and not npc.last_report().breaks

# %% [markdown]
# ## Measure
#
# What does a break point cost? Nothing, if little crosses it. Here much crosses it: arrays that one segment would keep in the processor must be written to memory for the next one. Now we do race, so the compiler comes back.

# %%
npc.settings.tier = "auto"


def whole(v):
    a = v * 2 + 1
    b = a * a - v
    return b * 0.5 + a


def in_three(v):
    a = v * 2 + 1
    npc.graph_break()
    b = a * a - v
    npc.graph_break()
    return b * 0.5 + a


v = rng.normal(size=1_000_000)
one, three = npc.compile(whole, ahead=True), npc.compile(in_three, ahead=True)
for _ in range(4):  # compile, check, and decide what is faster
    one(v), three(v)
npc.wait()
forms = {"NumPy": whole, "three segments": three, "one segment": one}
seconds = dict.fromkeys(forms, np.inf)
for _ in range(20):  # in turns, and the best of each
    for name, f in forms.items():
        began = perf_counter()
        f(v)
        seconds[name] = min(seconds[name], perf_counter() - began)

# %% tags=["times"]
figure, axes = plt.subplots(figsize=(6.4, 2.4))
axes.barh(list(seconds), [1e3 * value for value in seconds.values()], color="#4477aa")
axes.set(title="Two break points in a chain of array operations", xlabel="time (ms)")
plt.show()
for name, value in seconds.items():
    print(f"{name:15} {1e3 * value:6.2f} ms")
three(v)
print(npc.last_report().summary)
assert 2 * seconds["one segment"] < seconds["three segments"] < 2.5 * seconds["NumPy"]

# %% [markdown]
# One segment makes a single new array, its result. Three segments make three, as NumPy's code has to: `a` and `b` cross the break points. Getting fresh memory and filling it takes longer than this arithmetic. So little is won with three segments that NumPy may run the function in the end; the last line says what was decided. (Its factor is that of segments alone.) A break point should not make the code slower than NumPy, but it can take away what you hoped to win. Mend it where much data crosses it, or where it stands in a loop.

# %% [markdown]
# ## Exercises
#
# ### Exercise 1: which kind?
#
# `print`, `effect`, `call`, `value`, `host`, `input`, `error`, `limit`: of which kind is the break point in `mystery`? Think first, then look.

# %%
npc.settings.tier = "aten"  # we look again, and do not race


def mystery(t):
    a = np.abs(t)
    steps = round(float(a.max()))
    return a + steps


# %% tags=["exercise"]
kind = ...

# %% tags=["check"]
check(
    lambda: [kind] == quietly(mystery)[0],
    "splits(mystery) tells",
)

# %% [markdown] tags=["solution"]
# <details><summary>Solution</summary>
#
# ```python
# kind = "value"
# ```
#
# `round` of a Python float gives a Python integer, and for that Python needs the value. `np.round(a.max())` would be captured.
# </details>

# %% [markdown]
# ### Exercise 2: mend two break points
#
# Change `degree_days` so that it is one segment and returns the same.


# %% tags=["exercise"]
def degree_days(t):
    daily = t.reshape(-1, 24).mean(axis=1)
    print("days:", daily.size)
    missing = np.maximum(18 - daily, 0)
    log.append("done")
    return missing.sum()


# %% tags=["check"]
check(
    lambda: quietly(degree_days)[1] == 1
    and np.isclose(value_of(degree_days), np.maximum(18 - daily, 0).sum()),
    "move what is no array code to the end",
)

# %% [markdown] tags=["solution"]
# <details><summary>Solution</summary>
#
# ```python
# def degree_days(t):
#     daily = t.reshape(-1, 24).mean(axis=1)
#     missing = np.maximum(18 - daily, 0)
#     total = missing.sum()
#     print("days:", daily.size)
#     log.append("done")
#     return total
# ```
#
# `daily.size` is a shape, not a value. It would be known while tracing; the print is what splits.
# </details>

# %% [markdown]
# ### Exercise 3: a hint that needs thought
#
# The `if` in `damped` depends on a computed value. Write `damped` without a break point when `smooth` calls it. The result must be the same for every input.


# %% tags=["exercise"]
def damped(a):
    if a.std() > 2:
        return a / a.std()
    return a * 2


# %% tags=["check"]
def smooth(t):
    a = damped(t - t.mean())
    return np.tanh(a)


def reference(t):
    a = t - t.mean()
    return np.tanh(a / a.std() if a.std() > 2 else a * 2)


check(
    lambda: not quietly(smooth)[0]
    and all(np.allclose(smooth(s), reference(s)) for s in (temperature, temperature / 100)),
    "np.where(test, a, b) computes both and chooses",
)

# %% [markdown] tags=["solution"]
# <details><summary>Solution</summary>
#
# ```python
# def damped(a):
#     return np.where(a.std() > 2, a / a.std(), a * 2)
# ```
#
# Both branches are computed now. That is cheap for arithmetic. For a branch that is expensive or that may fail, keep the `if`, and put it in the cell.
# </details>

# %% [markdown]
# ## What you can do now
#
# - Name every kind of break point, and say why each exists.
# - Read reason and hint, and apply the hint.
# - Tell a host step at the end, which splits nothing, from a break point in the middle.
# - Say when a break point costs time: when arrays cross it.
#
# **Next:** notebook 4 is about loops.
