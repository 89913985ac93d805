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
# A graphics processor (GPU) reads memory ten or more times as fast as a CPU. When does that help NumPy code, and what must one know about copies and about single precision?
#
# **What was recorded here.** The machine that ran this notebook has no GPU, and this version of the package runs segments on the CPU only. So no cell below shows a GPU at work, and no time in it was measured on one. What can be measured without a GPU is measured: bytes, and the errors of single precision. What cannot is computed from numbers of data sheets, and says so.

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
# A GPU with 3000 GB/s of memory bandwidth, a CPU with 30. An array of 800 MB lies in the memory of the CPU. You compute `np.sqrt(x * x + 1)` once, and want the result back. How many times as fast is the GPU?

# %%
my_guess = 100

# %% [markdown]
# ## Run
#
# First: what does a cell say that asks for a GPU? The option is `--device cuda`. Where there is none, nothing runs, and one line says why. There is no fallback in silence: you asked for a device.

# %%
message = ""
try:
    npc.compile(np.sqrt, device="cuda")
except ValueError as error:
    message = str(error)
print(message or "there is a CUDA device")
assert not message or "nothing was run" in message

# %%
shell = get_ipython()
with shell.builtin_trap:
    asked = shell.run_cell("%%npcompile --device cuda\nbig = np.sqrt(np.ones(4))")
ran = "big" in globals()
print("the cell ran:", ran)
assert ran == asked.success

# %% [markdown]
# ### Bandwidth arithmetic
#
# So we compute. Two roads matter: between a processor and its own memory, and between the two memories (the bus). The figures for the GPU and the bus are from data sheets, rounded; the one for the CPU is measured now.

# %%
ASSUMED_GPU = 3000e9  # bytes a second between GPU and its memory, data sheet of a large GPU
ASSUMED_BUS = 50e9  # bytes a second between the two memories, one direction
ASSUMED_LAUNCH = 10e-6  # seconds to start one compiled segment

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
print(f"one call on 800 MB, copies included: the GPU would be {guess:.1f} times as fast")
print(f"you guessed {my_guess}")
assert guess < 5 and 0.2 < ASSUMED_BUS / cpu < 10 and ASSUMED_LAUNCH * cpu / 16 > 1000

# %% [markdown]
# The answer is sobering. The bus is the narrow road: about as fast as the memory of the CPU itself. A GPU that has to fetch its data for one call wins nothing worth mentioning.
#
# ## Look
#
# Where does an array lie? Its **residency** says on which device its current value is. The way out of the narrow road: leave the data where it is, and bring back only what Python looks at. Then the bus is crossed once, for many calls.

# %% tags=["picture"]
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
assert many > 10 * guess and small < 1

# %% [markdown]
# Two rules follow. **Large arrays**: starting a segment on a GPU costs about ten microseconds, in which a CPU has worked through thousands of elements. **Many calls in a row** on data that stays.
#
# How many bytes does your own code move? The captured graph knows, without a GPU.


# %%
def step(u, v):
    laplace = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
    return 2 * u[1:-1, 1:-1] - v[1:-1, 1:-1] + 0.2 * laplace


npc.settings.tier = "aten"
graph = npc.explain(step, np.ones((500, 500)), np.ones((500, 500))).graph.numpy[0]
npc.settings.tier = "auto"


def size(nodes):
    return sum(np.prod(t.shape) * np.dtype(t.dtype).itemsize for node in nodes for t in node.types)


outputs = [graph.by_id()[output.value.id] for output in graph.outputs]
print(f"one step of a wave: in {size(graph.inputs) / 1e6:.1f} MB, out {size(outputs) / 1e6:.1f} MB")
assert size(graph.inputs) == 2 * 500 * 500 * 8

# %% [markdown]
# ## Break it
#
# Many GPUs are far slower in double precision (float64, NumPy's default) than in single precision (float32). And float32 halves the bytes. So people convert. What does that break? Solve a linear system whose matrix is known to be touchy, the Hilbert matrix, and follow a planet for many small steps.


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
# The solution of the small system is wrong by more than a tenth in float32. In the orbit, ten times as many steps make the error a hundred times smaller. But each step adds rounding, and in float32 that wins: 30 000 steps are *worse* than 10 000.
#
# ## Fix it
#
# Not everything needs float64. Keep what is large and forgiving in float32; add up in float64. NumPy lets you say so: `dtype=np.float64` in a sum makes the sum double, and leaves the array single.

# %%
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
assert npc.compare(two_passes, values).equal

# %% [markdown]
# ## Measure
#
# float32 halves the bytes. On a CPU that is also worth having, where memory is the limit. This can be measured here.


# %%
def chain(v):
    return np.sqrt(v * v + 1) * v


def best(f, v):
    times = []
    for _ in range(15):
        began = perf_counter()
        f(v)
        times.append(perf_counter() - began)
    return min(times)


compiled = npc.compile(chain, ahead=True)
seconds = {}
for dtype in (np.float64, np.float32):
    v = rng.normal(size=2_000_000).astype(dtype)
    for _ in range(4):
        compiled(v)
    npc.wait()
    seconds[dtype.__name__] = best(compiled, v)
    print(f"{dtype.__name__}: {1e3 * seconds[dtype.__name__]:.2f} ms on the CPU, compiled")
print(f"float32 takes {seconds['float32'] / seconds['float64']:.2f} of the time")
assert seconds["float32"] < 0.9 * seconds["float64"]

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
# 40 MB against 80 000 MB. With the assumed bus that is less than a millisecond against more than a second.
# </details>

# %%
assert 40e6 / ASSUMED_BUS < 1e-3 and 80e9 / ASSUMED_BUS > 1

# %% [markdown]
# ## What you can do now
#
# - Say what `--device cuda` does where there is no GPU.
# - Estimate from bytes whether a GPU would help, before you rent one.
# - Say what residency is, and why it decides.
# - Choose between float32 and float64 from measured errors.
#
# **Next:** notebook 8 is about trust.
