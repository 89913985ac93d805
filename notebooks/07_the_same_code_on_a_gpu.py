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
# # 7 · The same code on a GPU
#
# ## Question
#
# A graphics processor (GPU) reads its memory ten or more times as fast as a CPU reads its own. When does that help NumPy code? What must one know about copies, and about single precision?
#
# **What was recorded here.** The machine that ran this notebook has no GPU. So its cells ran on the **stand-in**, a device without hardware: it copies inputs to memory that NumPy never sees, runs what was captured there, and copies results back. What is copied when is decided by the same code as for a GPU. Times are another matter: the stand-in is slower than NumPy. So no time here was measured on a GPU. Where one is computed from data sheets, the text says so. Where there is a GPU, the same cells use it; nobody has tried that yet.

# %%
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
# ## Predict
#
# A GPU with 800 GB/s of memory bandwidth, a CPU with 30. An array of 800 MB lies in the memory of the CPU. You compute `np.sqrt(x * x + 1)` once, and want the result back. How many times as fast is the GPU?

# %%
my_guess = 25

# %% [markdown]
# ## Run
#
# `--device cuda` asks for a GPU. Where there is none, nothing runs, and one line says why. There is no fallback in silence: you asked for a device. Then we take the stand-in.

# %%
try:
    npc.compile(np.sqrt, device="cuda")
    device = "cuda"
except ValueError as error:
    device = "standin"
    print(*str(error).split(". "), sep=".\n")
    assert "nothing was run" in str(error)
npc.settings.device = device  # for all cells that do not name one
print("cells run on:", device)

# %% [markdown]
# A cell needs no other change. (`%%npcompile --device standin` would say it for one cell.)

# %%
x = np.linspace(0, 1, 1_000_000)

# %% name="on-the-device"
# %%npcompile --ahead
y = np.sqrt(x * x + 1)

# %%
def crossings():
    """MB that the last run of the last cell copied there and back, found there, and left there."""
    megabytes = {"to device": 0.0, "to host": 0.0, "there already": 0.0, "not back": 0.0}
    for region in npc.last_report().regions:
        for _, way, size in region.copies.arrays if region.copies else ():
            megabytes[way] += size / 1e6
    return megabytes


once = crossings()
print(once)
assert type(y) is np.ndarray and np.allclose(y, np.sqrt(x * x + 1), rtol=1e-15)
assert once["to device"] == once["to host"] == 8

# %% [markdown]
# `x` went there, `y` came back: 8 MB each. `y` is an ordinary ndarray, as if nothing had happened. Open the report under the cell: the row of the region says what was copied.
#
# ### Bandwidth arithmetic
#
# Would it have been worth it? Two roads matter: between a processor and its own memory, and between the two memories (the bus). We measure the first for the CPU. The others are what `%npcompile whatif cuda` assumes where there is no GPU: data sheets of middling cards.

# %% tags=["times"]
ASSUMED_GPU = 800e9  # bytes a second between GPU and its memory
ASSUMED_BUS = 12e9  # bytes a second between the two memories, one direction
ASSUMED_LAUNCH = 10e-6  # seconds to start one kernel

source = np.ones(4_000_000)
target = np.empty_like(source)
times = []
for _ in range(10):
    began = perf_counter()
    np.copyto(target, source)
    times.append(perf_counter() - began)
cpu = 2 * source.nbytes / min(times)
print(f"CPU, one thread, measured: {cpu / 1e9:.0f} GB/s")


def on_cpu(n, rounds=1):
    return rounds * 16 * n / cpu  # reads 8 bytes and writes 8 bytes for each element


def on_gpu(n, rounds=1, copies=True):
    crossing = 16 * n / ASSUMED_BUS if copies else 0.0  # there and back
    return crossing + rounds * (ASSUMED_LAUNCH + 16 * n / ASSUMED_GPU)


n = 100_000_000
guess = on_cpu(n) / on_gpu(n)
ideal = on_cpu(n) / on_gpu(n, copies=False)
print(f"one call on 800 MB, copies included: the GPU would be {guess:.1f} times as fast")
print(f"without copies it would be {ideal:.0f} times as fast; you guessed {my_guess}")
assert guess < ideal / 50

# %% [markdown]
# The answer is sobering. The bus is the narrow road. A GPU that has to fetch its data for one call loses nearly all that it could gain, and may well be slower.
#
# ## Look
#
# Where does an array lie? Its **residency** says on which device its current value is. Run these two cells one directly after the other:

# %%
# %%npcompile --ahead
y = np.sqrt(x * x + 1)

# %%
# %%npcompile --ahead
z = y * 2 + x

# %%
twice = crossings()
print(twice)
assert twice["to device"] == 0 and twice["there already"] == 16, "an open widget?"

# %% [markdown]
# Nothing was copied to the device for `z`: `x` and `y` were there already. A copy is good as long as nobody can have written into the array. Between the two cells nothing ran, so nobody can. When *any* other cell runs in between, all copies are forgotten, and that is why `crossings()` comes last. An open widget ends it, too: its buttons can run code. Results come back at the end of a cell. In a loop they wait on the device until something may look at them.
#
# That is the way out of the narrow road: leave the data where it is. Then the bus is crossed once, for many calls.

# %% tags=["times", "picture"]
sizes = np.logspace(3, 8, 60)
figure, axes = plt.subplots(figsize=(6.8, 4))
for rounds in (1, 10, 1000):
    name = f"{rounds} call{'s, copied once' if rounds > 1 else ''}"
    axes.loglog(sizes, on_cpu(sizes, rounds) / on_gpu(sizes, rounds), label=name)
axes.axhline(1, color="grey", linewidth=1)
axes.set(title="GPU against CPU: computed, not measured", xlabel="float64 elements")
axes.set(ylabel="times as fast as the CPU")
axes.legend(fontsize=9)
plt.show()
many = on_cpu(n, 1000) / on_gpu(n, 1000)
small = on_cpu(1000, 1000) / on_gpu(1000, 1000)
print(f"100 million elements, 1000 calls: {many:.0f} times; 1000 elements: {small:.2f} times")
assert many > 10 * guess and small < many / 10

# %% [markdown]
# Two rules follow. **Large arrays**: starting a kernel on a GPU costs about ten microseconds, in which a CPU has worked through thousands of elements. **Many calls in a row** on data that stays.
#
# The captured graph knows every size. So a computer can do this arithmetic for your own cell:

# %%
# %npcompile whatif cuda

# %% [markdown]
# And this is the graph it was computed from. In JupyterLab it is a widget: click an operation to see its size.

# %%
# %npcompile graph

# %% [markdown]
# ## Break it
#
# ### Copies
#
# A bar of metal cools for ten steps. Between two statements of each step we call a function that Python runs, as one that plots would be.


# %%
seen = []


def look(u):
    seen.append(float(u.max()))


bar = np.zeros(100_000)
bar[40_000:60_000] = 100.0

# %%
# %%npcompile --ahead
u = bar
for step in range(10):
    flow = np.diff(u)
    look(u)
    u = u + 0.4 * np.pad(np.diff(flow), 1)

# %%
looked = crossings()
print("the last step:", looked)
assert np.isclose(looked["to device"], 1.6, rtol=0.01)

# %% [markdown]
# `look` could write into `u`: nobody can see that it does not. So after each call the copies of `u` and `flow`, 0.8 MB each, are forgotten, and the next statement copies both anew.
#
# ### Single precision
#
# Many GPUs are far slower in double precision (float64, NumPy's default) than in single precision (float32). And float32 halves the bytes. So people convert. What does that break? Solve a linear system whose matrix is known to be touchy, the Hilbert matrix, and follow a planet for many small steps. (This is NumPy, on the CPU: rounding is the same everywhere.)

# %%
def solve_error(n, dtype):
    i = np.arange(n)
    matrix = (1 / (i[:, None] + i + 1)).astype(dtype)
    truth = np.ones(n, dtype)
    return float(np.abs(np.linalg.solve(matrix, matrix @ truth) - truth).max())


def orbit(steps, dtype):
    """A planet around a sun, one round; returns by how much it misses its start."""
    place, speed = np.array([1, 0], dtype), np.array([0, 1], dtype)
    h = dtype(2 * np.pi / steps)
    speed = speed - h / 2 * place
    for _ in range(steps):
        place = place + h * speed
        speed = speed - h * place / np.sqrt((place**2).sum()) ** 3
    return float(np.abs(place - [1, 0]).max())


orders = np.arange(2, 11)
steps = [100, 300, 1000, 3000, 10_000, 30_000]
missed = {dtype: [orbit(k, dtype) for k in steps] for dtype in (np.float32, np.float64)}
figure, axes = plt.subplots(1, 2, figsize=(9, 3.6))
for dtype in (np.float32, np.float64):
    name = dtype.__name__
    axes[0].semilogy(orders, [solve_error(k, dtype) for k in orders], "o-", label=name)
    axes[1].loglog(steps, missed[dtype], "o-", label=name)
axes[0].set(title="Solving with a Hilbert matrix", xlabel="rows", ylabel="largest error")
axes[1].set(title="One orbit in small steps", xlabel="steps", ylabel="missed by (radii)")
axes[0].legend(fontsize=9)
axes[1].legend(fontsize=9)
figure.tight_layout()
plt.show()

# %%
print("8 rows:      float32", solve_error(8, np.float32), "float64", solve_error(8, np.float64))
print("30000 steps: float32", missed[np.float32][-1], "float64", missed[np.float64][-1])
assert solve_error(8, np.float32) > 0.1 and solve_error(8, np.float64) < 1e-5
assert 50 < missed[np.float64][2] / missed[np.float64][4] < 200
assert missed[np.float32][-1] > missed[np.float32][-2] > 5 * missed[np.float64][-2]

# %% [markdown]
# All numbers of the solution of the small system should be 1. In float32 the worst of them is off by more than a tenth, and often by much more. In the orbit, ten times as many steps make the error a hundred times smaller. But each step adds rounding, and in float32 that wins: 30 000 steps are *worse* than 10 000.
#
# ## Fix it
#
# ### Copies
#
# Give Python numbers instead of arrays, or let it look after the loop. A number that is appended to a list is no danger to any array.

# %%
# %%npcompile --ahead
v = bar
seen = []
for step in range(10):
    flow = np.diff(v)
    seen.append(float(v[50_000]))
    v = v + 0.4 * np.pad(np.diff(flow), 1)

# %%
mended = crossings()
print("the last step:", mended)
assert mended["to device"] == 0 and np.array_equal(u, v)

# %% [markdown]
# Nothing goes there any more. `v` comes back in each step, for Python reads an element of it. `flow` stays: nobody looks at it in the loop, and each step has a new one. Only the last one was copied back. Read the row of the region in the report: it says what came back when, and what never did.
#
# ### Single precision
#
# Not everything needs float64. Keep what is large and forgiving in float32; add up in float64. NumPy lets you say so: `dtype=np.float64` in a sum makes the sum double, and leaves the array single.

# %%
npc.settings.device = "cpu"  # from here on it is about rounding, not about copies

rng = np.random.default_rng(2)
values = (1000 + rng.normal(size=200_000)).astype(np.float32)
truth = values.astype(np.float64).var()


def variance(v, dtype):
    mean = v.sum(dtype=dtype) / dtype(v.size)
    return (v * v).sum(dtype=dtype) / dtype(v.size) - mean * mean


def two_passes(v):
    centred = v - v.mean(dtype=np.float64).astype(np.float32)
    return (centred * centred).mean(dtype=np.float64)


for name, result in [
    ("float32 throughout", variance(values, np.float32)),
    ("float32 array, centred first, sums in float64", two_passes(values)),
]:
    print(f"{name:46} {result:9.5f}, off by {abs(result / truth - 1):.1e}")
assert abs(variance(values, np.float32) / truth - 1) > 0.001
assert abs(two_passes(values) / truth - 1) < 1e-5
assert npc.compare(two_passes, values, tier="aten").equal

# %% [markdown]
# ## Measure
#
# How fast the stand-in is says nothing about a GPU, so we do not measure it. But float32 halves the bytes, and on a CPU that is worth having, too, where memory is the limit. This can be measured here: both dtypes in turns, so that both have the same luck.


# %% tags=["times"]
def chain(v):
    return np.sqrt(v * v + 1) * v


npc.settings.tier = "inductor"  # compiled code for both, whatever the race says
compiled = npc.compile(chain, ahead=True)
double = rng.normal(size=2_000_000)
arrays = {"float64": double, "float32": double.astype(np.float32)}
for v in arrays.values():
    for _ in range(4):  # compile, check, and decide what is faster
        compiled(v)
npc.wait()
seconds = dict.fromkeys(arrays, np.inf)
for _ in range(40):
    for name, v in arrays.items():
        began = perf_counter()
        compiled(v)
        seconds[name] = min(seconds[name], perf_counter() - began)
npc.settings.tier = "auto"
for name, value in seconds.items():
    print(f"{name}: {1e3 * value:.2f} ms on the CPU, compiled")
print(f"float32 takes {seconds['float32'] / seconds['float64']:.2f} of the time")
assert seconds["float32"] < seconds["float64"]

# %% [markdown]
# ## Exercises
#
# ### Exercise 1: when is it worth it?
#
# However many calls there are, the GPU cannot gain more than the ratio of the two bandwidths. With 10 million elements and one copy there and back: from how many calls on does it gain at least *half* of that? Find the smallest number of calls.

# %% tags=["exercise"]
calls = ...


# %% tags=["check"]
def gain(calls):
    return on_cpu(10_000_000, calls) / on_gpu(10_000_000, calls)


half = 0.5 * ASSUMED_GPU / cpu
check(
    lambda: gain(calls) >= half > gain(calls - 1),
    "try numbers of calls in on_cpu(...) / on_gpu(...)",
)

# %% [markdown] tags=["solution"]
# <details><summary>Solution</summary>
#
# ```python
# calls = 1
# while on_cpu(10_000_000, calls) / on_gpu(10_000_000, calls) < 0.5 * ASSUMED_GPU / cpu:
#     calls += 1
# ```
# </details>

# %% [markdown]
# ### Exercise 2: single, but careful
#
# `norm32` overflows in float32 for large numbers. Change it so that the result is right, without any float64 array. (A float64 *number* is allowed.)


# %% tags=["exercise"]
def norm32(v):
    return np.sqrt((v * v).sum())


# %% tags=["check"]
large = np.full(1000, 1e25, np.float32)


def right():
    with np.errstate(over="ignore"):
        return np.isclose(norm32(large), 1e25 * np.sqrt(1000), rtol=1e-5)


check(right, "divide by the largest element first, and multiply at the end")

# %% [markdown] tags=["solution"]
# <details><summary>Solution</summary>
#
# ```python
# def norm32(v):
#     top = np.abs(v).max()
#     return top * np.sqrt(((v / top) ** 2).sum())
# ```
# </details>

# %% [markdown]
# ### Exercise 3: what crosses the bus?
#
# A simulation keeps ten arrays of 5 million float64 numbers on a GPU. After each of 200 steps it needs one *number* on the CPU, and at the end one of the arrays. How many MB must come back over the bus, if the data stays where it is? And how many if all ten arrays come back after each step?

# %% tags=["exercise"]
staying = ...
always = ...

# %% tags=["check"]
check(
    lambda: np.isclose(staying, (200 * 8 + 5e6 * 8) / 1e6, rtol=0.01)
    and np.isclose(always, 200 * 10 * 5e6 * 8 / 1e6, rtol=0.01),
    "a float64 number has 8 bytes",
)

# %% [markdown] tags=["solution"]
# <details><summary>Solution</summary>
#
# ```python
# staying = (200 * 8 + 5_000_000 * 8) / 1e6
# always = 200 * 10 * 5_000_000 * 8 / 1e6
# ```
#
# 40 MB against 80 000 MB. With the assumed bus that is a few milliseconds against more than five seconds.
# </details>

# %%
assert 40e6 / ASSUMED_BUS < 5e-3 and 80e9 / ASSUMED_BUS > 5

# %% [markdown]
# ## What you can do now
#
# - Run a cell on another device, and say what happens where it is missing.
# - Read in a report what was copied, and keep data where it is.
# - Estimate from bytes whether a GPU would help, before you rent one.
# - Choose between float32 and float64 from measured errors.
#
# **Next:** notebook 8 is about trust.
