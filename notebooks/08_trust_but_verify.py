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
# # 8 · Trust, but verify
#
# ## Question
#
# A compiler changes the code that runs. How do you know that the result is still NumPy's? And how do you know that a number for speed, or a gradient, is right?
#
# You will compare results down to the last bit, plant a fault and have it found, check gradients, and take a benchmark apart.

# %%
from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np

import jupyter_npcompile as npc
from jupyter_npcompile.widgets import GraphWidget

# %load_ext jupyter_npcompile
plt.rcParams.update({"figure.dpi": 100, "font.size": 11})


def check(test, hint):
    try:
        solved, why = test(), ""
    except Exception as error:  # an unfinished answer may be anything
        solved, why = False, f" ({type(error).__name__}: {error})"
    print("✓ solved" if solved else f"✗ not yet: {hint}{why}")


# %% [markdown]
# ## Predict
#
# The mean of ten million float32 numbers, all 0.1. Which of these is farthest from 0.1?
#
# 1. `x.mean()`
# 2. `np.cumsum(x)[-1] / x.size`
# 3. `x.astype(float).mean()`

# %%
my_guess = 1

# %% [markdown]
# ## Run

# %%
x = np.full(10_000_000, 0.1, np.float32)
candidates = [x.mean(), np.cumsum(x)[-1] / x.size, x.astype(float).mean()]
errors = [abs(float(value) - 0.1) for value in candidates]
for number, (value, error) in enumerate(zip(candidates, errors), 1):
    print(f"{number}. {value!r:28} off by {error:.1e}")
print(f"you guessed {my_guess}; it is {1 + int(np.argmax(errors))}")
assert np.argmax(errors) == 1 and errors[1] > 100 * errors[0]

# %% [markdown]
# NumPy's sum adds in pairs, and pairs of pairs, which keeps rounding small. A running sum cannot. Nobody made a mistake here: **rounding** depends on the order of additions. Compiled code may add in another order than NumPy, so a sum may differ in its last digits. Everything else must be equal: dtypes, shapes, types, what shares memory with what, warnings, random numbers.
#
# `npc.compare(f, ...)` runs a function in NumPy and compiled, on copies, and compares all of that.


# %%
def signal(v):
    centred = v - v.mean()
    power = np.sqrt((centred**2).sum() / v.size)
    return centred / power


rng = np.random.default_rng(5)
v = rng.normal(size=100_001)
comparison = npc.compare(signal, v)
comparison

# %% [markdown]
# ## Look
#
# The distance between two floating-point numbers is counted in **ulp**, units in the last place: how many representable numbers lie between them. One ulp of 1.0 is about 2.2e-16.

# %%
print("equal, but for rounding:", comparison.equal)
print("largest distance:", comparison.rounding, "ulp")
print("as a part of the largest number:", comparison.relative)
assert comparison.equal and comparison.relative < 1e-12
assert np.isclose(np.spacing(1.0), 2.2e-16, rtol=0.02)

# %% [markdown]
# Many ulp need not be much. An element beside zero can be off by thousands of ulp, and still by next to nothing: numbers are dense there. So the last figure compares with the largest number of the array.

# %% [markdown]
# Where may the order of additions change? Only in what adds many numbers up. Look for it in the graph of `signal` (in JupyterLab: search for `sum` and `mean` in the widget).

# %%
npc.settings.tier = "aten"  # no need for speed
report = npc.explain(signal, v)
npc.settings.tier = "auto"
adding = [node.op for node in report.graph.numpy[0].nodes if node.op.endswith(("sum", "mean"))]
print(adding)
assert len(adding) == 2
GraphWidget(report)

# %% [markdown]
# In a cell, `--check` does the same as `npc.compare`. The cell runs in NumPy; then a copy runs compiled, from the same random numbers.

# %%
source = np.random.default_rng(8)

# %%
# %%npcompile --check
noise = source.normal(size=1000)
walk = np.cumsum(noise)
top = walk.max()

# %% [markdown]
# ### dtype traps
#
# Small dtypes have rules that surprise. The rules are NumPy's, and compiled code has to keep them. Each row is one expression, its result, and whether the compiled form gives exactly the same.

# %%
a8 = np.array([200, 100], np.uint8)
a32 = np.array([1, 2], np.float32)
i32 = np.array([50_000, 3], np.int32)
traps = {
    "a8 + a8 (wraps around)": lambda: a8 + a8,
    "a8.sum() (a wider integer)": lambda: a8.sum(),
    "a8 - 201 (wraps below zero)": lambda: a8 - 201,
    "a32 + 1.0 (stays single)": lambda: a32 + 1.0,
    "a32 + np.float64(1) (double)": lambda: a32 + np.float64(1),
    "i32 * i32 (overflows)": lambda: i32 * i32,
    "i32 / 2 (double)": lambda: i32 / 2,
    "a32.mean() (a NumPy scalar)": lambda: a32.mean(),
}
npc.settings.tier = "aten"  # no need for speed
for name, trap in traps.items():
    result, compiled = trap(), npc.compile(trap, ahead=True)()
    same = type(result) is type(compiled) and result.dtype == compiled.dtype
    same = same and np.array_equal(result, compiled)
    print(f"{name:30} {result!s:26} {result.dtype.name:8} {'same' if same else 'DIFFERENT'}")
    assert same
npc.settings.tier = "auto"
assert (a8 + a8).tolist() == [144, 200] and (i32 * i32)[0] < 0

# %% [markdown]
# ### Random numbers
#
# NumPy's generators draw the numbers, also for compiled code. So a seed gives the same numbers, and afterwards the generator stands at the same place.


# %%
def throw(generator):
    points = generator.random((50_000, 2))
    return 4 * ((points**2).sum(axis=1) < 1).mean()


plain, other = np.random.default_rng(1), np.random.default_rng(1)
throw_compiled = npc.compile(throw, ahead=True)
for _ in range(3):
    assert throw(plain) == throw_compiled(other)
assert plain.bit_generator.state == other.bit_generator.state
print("π is about", throw(plain))

# %% [markdown]
# ## Break it
#
# The finder has never found anything here. Does it find anything at all? A check that cannot fail is worthless. So we plant a fault: inside the package, we make the compiled form of `np.sin` wrong by a hair. (This reaches into the package. Do it only to learn.)

# %%
import contextlib

from jupyter_npcompile.tracer.lowering import interpreter
from jupyter_npcompile.tracer.lowering.values import Value
from jupyter_npcompile.tracer.table import lowering_of


@contextlib.contextmanager
def fault(op):
    """Make the lowering of one NumPy call wrong: results are a millionth too large."""
    name, true = lowering_of(op).lowering, interpreter.find_lowering

    def find(lowering):
        found = true(lowering)

        def wrong(trace, *args, **kwargs):
            result = found(trace, *args, **kwargs)
            return (result.read() if isinstance(result, Value) else result) * (1 + 1e-6)

        return wrong if lowering == name else found

    interpreter.find_lowering = find
    try:
        yield
    finally:
        interpreter.find_lowering = true


def roughness(v):
    smooth = (v[1:] + v[:-1]) / 2
    steps = np.cumsum(smooth)
    jumps = np.sin(steps)
    return jumps.std()


with fault("numpy.sin"):
    found = npc.compare(roughness, v[:1000], tier="aten")
found

# %%
difference = found.differences[0]
print("function:", difference.function)
print("smallest call that differs:", difference.smallest)
assert not found.equal and difference.function == "np.sin"

# %% [markdown]
# The finder names the call, its line, and the smallest arguments for which that call alone differs. That is what to put into a bug report.
#
# ## Fix it
#
# Outside the `with`, the fault is gone. And without `compare`, what would have happened? The first compiled result of every segment is compared with NumPy's. With `first_run_check = "replace"`, the default, NumPy's result would have been used.

# %%
assert npc.compare(roughness, v[:1000], tier="aten").equal

npc.settings.tier = "aten"
with fault("numpy.sin"):
    before = npc.stats()["replaced"]
    result = npc.compile(roughness, ahead=True)(v[:1000])
    replaced = npc.stats()["replaced"] - before
npc.settings.tier = "auto"
print("results replaced by NumPy's:", replaced)
assert replaced >= 1 and np.isclose(result, roughness(v[:1000]), rtol=1e-12)

# %% [markdown]
# ### Check a gradient
#
# `npc.check_grads(f)` compares derivatives with finite differences, in both directions, up to second order. It says nothing when all is well. Here a library function has a derivative that somebody registered, with the wrong sign.


# %%
def library_sinc(t):  # stands for code that cannot be followed
    return np.frompyfunc(lambda value: float(np.sinc(value)), 1, 1)(t).astype(float)


def slope(g, result, t):
    return g * (np.cos(np.pi * t) + result) / t  # should be a minus


npc.register_vjp(library_sinc, slope)
at = np.array([0.3, 0.8])
try:
    npc.check_grads(lambda t: np.sum(library_sinc(t)), modes=("rev",), order=1)(at)
    caught = ""
except AssertionError as error:
    caught = str(error)
print(caught)
assert "central differences" in caught

# %%
npc.register_vjp(library_sinc, lambda g, result, t: g * (np.cos(np.pi * t) - result) / t)
npc.check_grads(lambda t: np.sum(library_sinc(t)), modes=("rev",), order=1)(at)
print("the derivative is right")

# %% [markdown]
# ## Measure
#
# "Five times as fast" means nothing without answers to four questions. For which size? First call, or later ones? Compared with what? Best, or typical? We ask them for one function. Both forms run in turns, so that both have the same luck.


# %%
def bell(x):
    return np.exp(-0.5 * x * x) * np.cos(3 * x) + 0.1 * x


def times_of(f, x, repeats):
    times = []
    for _ in range(repeats):
        began = perf_counter()
        f(x)
        times.append(perf_counter() - began)
    return np.array(times)


sizes = [100, 10_000, 1_000_000]
numpy_times, compiled_times, first_calls = [], [], []
for n in sizes:
    x = np.linspace(-3, 3, n)
    compiled = npc.compile(bell, ahead=True)
    first_calls.append(times_of(compiled, x, 1)[0])
    for _ in range(30):
        compiled(x)
    npc.wait()
    repeats = 40 if n < 100_000 else 4
    turns = [[times_of(f, x, 5) for f in (bell, compiled)] for _ in range(repeats)]
    for found, times in zip((numpy_times, compiled_times), zip(*turns)):
        found.append(np.concatenate(times))

# %% tags=["times", "picture"]
figure, axes = plt.subplots(1, 2, figsize=(9, 3.6))
ratio = [np.median(a) / np.median(b) for a, b in zip(numpy_times, compiled_times)]
axes[0].semilogx(sizes, ratio, "o-")
axes[0].axhline(1, color="grey", linewidth=1)
axes[0].set(title="For which size?", xlabel="elements", ylabel="times as fast (median)")
axes[0].set_ylim(bottom=0)
axes[1].loglog(sizes, [1e6 * t.min() for t in numpy_times], "o-", label="NumPy")
later = [1e6 * t.min() for t in compiled_times]
axes[1].loglog(sizes, later, "o-", label="compiled, later calls")
axes[1].loglog(sizes, [1e6 * t for t in first_calls], "o-", label="compiled, first call")
axes[1].set(title="First call, or later?", xlabel="elements", ylabel="time (µs)")
axes[1].legend(fontsize=9)
figure.tight_layout()
plt.show()
for n, a, b, first in zip(sizes, numpy_times, compiled_times, first_calls):
    best, median = a.min() / b.min(), np.median(a) / np.median(b)
    gain = np.median(a) - np.median(b)
    paid = f"after {first / gain:,.0f} calls" if gain > 0 else "never"
    print(f"{n:8} elements: best {best:5.2f}x, median {median:5.2f}x; paid back {paid}")
assert numpy_times[-1].min() > 1.5 * compiled_times[-1].min()
assert first_calls[-1] > np.median(numpy_times[-1])

# %% [markdown]
# The ratio is not one number, it is a curve. On small arrays a call costs as much as the work. And compiling has a price, which only many calls pay back. An honest figure shows all of it, and the code that NumPy was given. (Notebook 1 gave NumPy a better algorithm.)

# %% [markdown]
# ## Exercises
#
# ### Exercise 1: which dtype?
#
# Predict the names of three dtypes, without running the expressions: `a8 * 2`, `np.sqrt(a8)`, `a32 + i32`.

# %% tags=["exercise"]
dtypes = ["...", "...", "..."]

# %% tags=["check"]
check(
    lambda: dtypes == [r.dtype.name for r in (a8 * 2, np.sqrt(a8), a32 + i32)],
    "Python numbers adapt; roots of small integers are small floats; int32 has more digits",
)

# %% [markdown] tags=["solution"]
# <details><summary>Solution</summary>
#
# ```python
# dtypes = ["uint8", "float16", "float64"]
# ```
#
# The root of a uint8 is a float16, with three digits! And float32 cannot hold every int32.
# </details>

# %% [markdown]
# ### Exercise 2: find the culprit
#
# Somewhere in `report_card` a planted fault makes the compiled result wrong. Use the finder to say which function is to blame, as the finder writes it (`"np.sin"`).

# %%
hidden = [f"numpy.{name}" for name in ("sqrt", "tanh", "exp", "cosh")][int(v.size) % 4]


def report_card(marks):
    scaled = np.exp(-marks)
    bent = np.tanh(scaled)
    total = np.sqrt(bent + 1) + np.cosh(scaled)
    return total.mean()


# %% tags=["exercise"]
culprit = "np...."

# %% tags=["check"]
with fault(hidden):
    check(
        lambda: culprit
        == npc.compare(report_card, v[:500], tier="aten").differences[0].function,
        "in a cell: with fault(hidden): print(npc.compare(report_card, v[:500], tier='aten'))",
    )

# %% [markdown] tags=["solution"]
# <details><summary>Solution</summary>
#
# ```python
# with fault(hidden):
#     culprit = npc.compare(report_card, v[:500], tier="aten").differences[0].function
# ```
# </details>

# %% [markdown]
# ### Exercise 3: a right derivative
#
# Register the derivative of this function, so that `check_grads` is content. `g` is the gradient that arrives.


# %%
def library_log1p(t):
    return np.frompyfunc(lambda value: float(np.log1p(value)), 1, 1)(t).astype(float)


# %% tags=["exercise"]
_ = npc.register_vjp(library_log1p, lambda g, result, t: g * t)


# %% tags=["check"]
def passes():
    try:
        npc.check_grads(lambda t: np.sum(library_log1p(t)), modes=("rev",), order=1)(at)
    except AssertionError:
        return False
    return True


check(passes, "the slope of log(1 + t) is 1 / (1 + t)")

# %% [markdown] tags=["solution"]
# <details><summary>Solution</summary>
#
# ```python
# _ = npc.register_vjp(library_log1p, lambda g, result, t: g / (1 + t))
# ```
# </details>

# %% [markdown]
# ## What you can do now
#
# - Tell rounding from a fault, and count it in ulp.
# - Check a function or a cell against NumPy, and read what the finder says.
# - Predict dtypes, and know that seeds hold.
# - Check a gradient before you trust it.
# - Ask four questions about every benchmark, your own first.
#
# You have worked through all eight. `CONTRIBUTING.md` shows how the inside is built.
