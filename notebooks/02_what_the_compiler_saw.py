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
# # 2 · What the compiler saw
#
# ## Question
#
# Between your line of NumPy and the machine code that runs stand three forms of the same program. What do they look like, and what was gained on the way?
#
# You will follow a photo filter down all three, and see what becomes of a line that writes into an array.

# %%
import contextlib
import io
import re
import tracemalloc
from pathlib import Path
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
# The filter makes a picture brighter, bends the contrast with the curve `3t² - 2t³`, and turns it into its negative.

# %% tags=["picture"]
rng = np.random.default_rng(12)
down, right = np.mgrid[0:512, 0:512] / 512
picture = 0.35 + 0.1 * rng.random((512, 512))
for _ in range(40):  # craters on a moon
    y, x, radius = rng.random(), rng.random(), 0.02 + 0.08 * rng.random()
    distance = np.hypot(down - y, right - x) / radius
    picture += 0.12 * np.exp(-8 * (distance - 1) ** 2) - 0.1 * np.exp(-2 * distance**2)


def filtered(picture):
    bright = picture * 1.61803 - 0.3
    bent = bright * bright * (3 - 2 * bright)
    clipped = np.clip(bent, 0.0, 1.0)
    return 1 - clipped


figure, axes = plt.subplots(1, 2, figsize=(7, 3.5))
for ax, title, shown in zip(axes, ("before", "after"), (picture, filtered(picture))):
    ax.imshow(shown, cmap="gray", vmin=0, vmax=1)
    ax.set(title=title, xlabel="column", ylabel="row")
figure.tight_layout()
plt.show()

# %% [markdown]
# ## Predict
#
# How many loops over all the pixels does NumPy run for `filtered`? And the compiled code?

# %%
my_guess = {"NumPy": 4, "compiled": 2}

# %% [markdown]
# ## Run
#
# Whether NumPy or compiled code is faster is usually raced. Here we always want to see compiled code, so we choose its tier.

# %%
npc.settings.tier = "inductor"
report = npc.explain(filtered, picture)
print(report.summary)

# %% [markdown]
# ## Look
#
# ### Level 1: the NumPy level
#
# The **NumPy level** of the captured graph has one operation for each NumPy call. Each of them is a loop in NumPy, over all pixels, from memory to memory.

# %%
print(report.graph.to_text("numpy"))
graph = report.graph.numpy[0]
loops_of_numpy = sum(node.view_of is None for node in graph.nodes)
print(f"{loops_of_numpy} loops in NumPy; you guessed {my_guess['NumPy']}")
assert loops_of_numpy == 8

# %% [markdown]
# ### Level 2: the ATen level
#
# ATen is PyTorch's library of basic operations. The **ATen level** is what each NumPy call was *lowered* to.

# %%
print(report.graph.to_text("aten"))
assert len(report.graph.aten[0].nodes) > len(graph.nodes)

# %% [markdown]
# There is more than you wrote. The extra lines that multiply by `0.0` and compare with `0.0` are a *check*. A number times zero is zero, unless it is infinite or NaN. Where NumPy might have to warn of an overflow, the check fails, the result is thrown away, and NumPy runs.
#
# ### Level 3: kernels
#
# A **kernel** is a piece of machine code that runs as one. The third level says what the compiler put together into one kernel, and how many bytes that must move.

# %%
print(report.graph.to_text("kernels"))
kernels = [node for node in report.graph.kernels[0].nodes if node.types]  # that give arrays
print(f"a picture has {picture.nbytes / 1e6:.1f} MB")
assert len(kernels) == 1

# %% [markdown]
# All your lines are in one kernel. It moves two pictures: one is read, one is written. What was computed for the check adds a few bytes.
#
# In JupyterLab the next line shows a widget, with a tab for each level. Click an operation to see which line it comes from. (Elsewhere you get the report with a picture.)

# %%
GraphWidget(report)

# %% [markdown]
# The compiler writes the kernel in C++ first. The text lies in the cache of compiled code. We look for the number 1.61803 in it, and for the number of pixels.

# %%
def kernel_with(number, size):
    """The C++ of a segment that uses a number, in loops over so many elements."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        get_ipython().run_line_magic("npcompile", "cache")
    folder = Path(said.getvalue().split(": ")[0].removesuffix(" (until this kernel ends)"))
    texts = [file.read_text() for file in folder.glob("entries/*/kernels.cpp")]
    found = [text for text in texts if str(number) in text and f"({size}L)" in text]
    return min(found, key=lambda text: text.count(".store(out_ptr"))  # with fewest results


def loops_in(text):
    """How many loops over more than a hundred elements a kernel has."""
    stops = re.findall(r"for\(int64_t .*?<static_cast<int64_t>\((\d+)L\)", text)
    return sum(int(stop) > 100 for stop in stops)


text = kernel_with(1.61803, picture.size)
lines = [line.strip() for line in text.splitlines()]
first = next(k for k, line in enumerate(lines) if line.startswith("for(int64_t"))
last = next(k for k, line in enumerate(lines) if ".store(out_ptr" in line)
print("\n".join(lines[first : last + 1]))

# %%
loops_of_kernel = loops_in(text)
print(f"{loops_of_kernel} loop in the kernel; you guessed {my_guess['compiled']}")
assert loops_of_kernel == 1

# %% [markdown]
# Eight loops have become one. That is **fusion**. Each pixel is read once, goes through all the arithmetic in registers of the processor, and is written once. `VectorizedN` means that the processor works on several pixels at a time.
#
# ### Temporaries
#
# What NumPy makes on the way and throws away are *temporaries*. They cost time, and memory. Python can tell how much memory was in use at most:

# %%
def peak_pictures(f):
    """Memory in use at most during a call, in pictures; the least of some calls."""
    peaks = []
    for _ in range(10):
        tracemalloc.start()
        f(picture)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    return min(peaks) / picture.nbytes


compiled = npc.compile(filtered, ahead=True)
for _ in range(20):  # compile, check, and decide what is faster
    compiled(picture)
npc.wait()
numpy_peak, compiled_peak = peak_pictures(filtered), peak_pictures(compiled)
print(f"NumPy needs {numpy_peak:.1f} pictures of memory, compiled code {compiled_peak:.1f}")
assert numpy_peak > 1.9 and compiled_peak < 1.1

# %% [markdown]
# ### A line that writes
#
# Compilers like programs in which nothing ever changes: then the order of operations is free. But NumPy code writes: `y[1:-1] *= 2`. **Functionalisation** turns writes into new values. Step by step, on six numbers:


# %%
def doubled_inside(x):
    y = x * 1.0
    y[1:-1] *= 2
    return y


npc.settings.tier = "aten"
steps = npc.explain(doubled_inside, np.arange(6.0))
npc.settings.tier = "inductor"
print(steps.graph.to_text("numpy"))

# %% [markdown]
# NumPy's own three steps: take a *view* of the inner part (no copy), multiply it in place (it says `writes`), and store it where it came from. Now the same after functionalisation. Look for `slice` and `slice_scatter`; the rest is the check.

# %%
for line in steps.graph.to_text("aten").splitlines():
    if "slice" in line or "mul.Tensor" in line and "0.0)" not in line or "return" in line:
        print(line)

# %% [markdown]
# - `slice` takes the inner part, as a value of its own.
# - `mul` makes a new value, twice as large.
# - `slice_scatter` makes a new `y`: the old one, with the inner part replaced. The old `y` still exists, unchanged.
#
# There are two of them, because Python understands `y[1:-1] *= 2` as two things: multiply the view in place, *and* store it back.
#
# Here is that in NumPy, with nothing written to:


# %%
def slice_scatter(whole, part, start, stop):
    return np.concatenate([whole[:start], part, whole[stop:]])


def pure(x):
    y0 = x * 1.0
    inner = y0[1:5]
    twice = inner * 2
    y1 = slice_scatter(y0, twice, 1, 5)
    return y1


assert np.array_equal(pure(np.arange(6.0)), doubled_inside(np.arange(6.0)))
assert "slice_scatter" in steps.graph.to_text("aten")
print(pure(np.arange(6.0)))

# %% [markdown]
# Is that not slower, with all those copies? No: in the kernel, `slice_scatter` becomes a choice inside the one loop ("is this element in the inner part?"). And when the *input* is written to, its new value is put back at the very end. If anything fails before, nothing was changed, and NumPy runs.

# %% [markdown]
# ## Break it
#
# Fusion has an enemy: names. In a *cell*, every name can be used by later cells. So every named array must be written to memory.

# %%
# %%npcompile --ahead
bright = picture * 1.61803 - 0.3
bent = bright * bright * (3 - 2 * bright)
clipped = np.clip(bent, 0.0, 1.0)
negative = 1 - clipped

# %%
outputs = [output.name for output in npc.last_report().graph.numpy[0].outputs]
print("the segment must write:", outputs)
assert len(outputs) == 4

# %% [markdown]
# ## Fix it
#
# In a function, names end with the call. So put into a function what belongs together, as `filtered` does, and return what you need.

# %%
# %%npcompile --ahead
negative = filtered(picture)

# %%
outputs = [output.name for output in npc.last_report().graph.numpy[0].outputs]
print("the segment must write:", outputs)
assert outputs == ["negative"]

# %% [markdown]
# ## Measure
#
# A larger picture, 34 MB, that few caches hold: 16 copies of the small one.


# %% tags=["times"]
large = np.tile(picture, (4, 4))
assert round(large.nbytes / 1e6) == 34


def all_names(picture):
    """What the cell has to do."""
    bright = picture * 1.61803 - 0.3
    bent = bright * bright * (3 - 2 * bright)
    clipped = np.clip(bent, 0.0, 1.0)
    return bright, bent, clipped, 1 - clipped


def best(f):
    for _ in range(4):
        f(large)
    npc.wait()
    times = []
    for _ in range(10):
        began = perf_counter()
        f(large)
        times.append(perf_counter() - began)
    return 1e3 * min(times)


milliseconds = {
    "NumPy": best(filtered),
    "compiled, four results": best(npc.compile(all_names, ahead=True)),
    "compiled, one result": best(compiled),
}
figure, axes = plt.subplots(figsize=(6.4, 2.4))
axes.barh(list(milliseconds), list(milliseconds.values()), color="#4477aa")
axes.set(title="The filter on 2048 x 2048 pixels", xlabel="time (ms)")
axes.invert_yaxis()
plt.show()
for name, value in milliseconds.items():
    print(f"{name:24} {value:6.2f} ms")
assert milliseconds["compiled, one result"] < 0.7 * milliseconds["NumPy"]
assert milliseconds["compiled, one result"] < milliseconds["compiled, four results"]

# %% [markdown]
# All three do the same arithmetic. The difference is memory.

# %% [markdown]
# ## Exercises
#
# ### Exercise 1: count the arrays
#
# How many new arrays does NumPy make for `np.sqrt((a - b) ** 2 + 1)[10:20]`? A view is not a new array.

# %% tags=["exercise"]
new_arrays = ...

# %% tags=["check"]
npc.settings.tier = "aten"
exercise = npc.explain(lambda a, b: np.sqrt((a - b) ** 2 + 1)[10:20], np.ones(50), np.ones(50))
npc.settings.tier = "inductor"
check(
    lambda: new_arrays == sum(node.view_of is None for node in exercise.graph.numpy[0].nodes),
    "one for each call that computes; a slice computes nothing",
)

# %% [markdown] tags=["solution"]
# <details><summary>Solution</summary>
#
# ```python
# new_arrays = 4
# ```
#
# Subtract, square, add, root. The slice is a view.
# </details>

# %% [markdown]
# ### Exercise 2: functionalise by hand
#
# Write `pure_version` so that it gives the same as `in_place` and writes to nothing.


# %%
def in_place(x):
    z = x.copy()
    z[::2] += 10
    return z


# %% tags=["exercise"]
def pure_version(x):
    z = x.copy()
    z[::2] += 10
    return z


# %% tags=["check"]
def writes_of(f):
    npc.settings.tier = "aten"
    graphs = npc.explain(f, np.arange(7.0)).graph.numpy
    npc.settings.tier = "inductor"
    return [node.op for graph in graphs for node in graph.nodes if node.writes]


check(
    lambda: np.array_equal(pure_version(np.arange(7.0)), in_place(np.arange(7.0)))
    and not writes_of(pure_version),
    "np.where with a test on the place of each element",
)

# %% [markdown] tags=["solution"]
# <details><summary>Solution</summary>
#
# ```python
# def pure_version(x):
#     even = np.arange(x.size) % 2 == 0
#     return np.where(even, x + 10, x)
# ```
#
# This is close to what the kernel does: a choice for each element.
# </details>

# %% [markdown]
# ### Exercise 3: one loop or more?
#
# `share` divides every element by the sum of all. How many loops over the elements does its kernel need? Think about what must be known before the first result can be written.


# %%
def share(x):
    return x * 0.57721 / x.sum()


# %% tags=["exercise"]
loops = ...

# %% tags=["check"]
npc.explain(share, rng.random(5000) + 1)
check(
    lambda: loops == loops_in(kernel_with(0.57721, 5000)),
    "the sum needs all elements, and every result needs the sum",
)

# %% [markdown] tags=["solution"]
# <details><summary>Solution</summary>
#
# ```python
# loops = 2
# ```
#
# A reduction ends a loop. Fusion goes up to it, and begins again after it.
# </details>

# %% [markdown]
# ## What you can do now
#
# - Read the same program at three levels.
# - Explain fusion, and why temporaries cost more than arithmetic.
# - Turn a write into new values, by hand.
# - Keep names from getting into the way of fusion.
#
# **Next:** notebook 3 shows why captured code stops.
