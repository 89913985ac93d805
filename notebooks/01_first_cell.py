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
# # 1 · Your first compiled cell
#
# ## Question
#
# NumPy runs one call after the other, and each call writes its whole result to memory. What happens when somebody reads all the calls of a cell first, and then runs them as one program?
#
# You will run k-means in plain NumPy. Then you will add one line, `%%npcompile`, and run the same cell again. You will see what was captured, break it on purpose, and mend it.
#
# Reading takes a quarter of an hour, running a minute at most.

# %%
from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np

import jupyter_npcompile as npc

# %load_ext jupyter_npcompile
plt.rcParams.update({"figure.dpi": 100, "font.size": 11})

# %% [markdown]
# Two helpers. A stopwatch remembers how long the cell before took, everything included. `check` tells you at once whether an exercise is solved.


# %%
class Stopwatch:
    began = perf_counter()

    def start(self, info):
        self.began = perf_counter()

    def stop(self, result):
        self.seconds = perf_counter() - self.began


watch = Stopwatch()
get_ipython().events.register("pre_run_cell", watch.start)
get_ipython().events.register("post_run_cell", watch.stop)


def check(test, hint):
    try:
        solved, why = test(), ""
    except Exception as error:  # an unfinished answer may be anything
        solved, why = False, f" ({type(error).__name__}: {error})"
    print("✓ solved" if solved else f"✗ not yet: {hint}{why}")


# %% [markdown]
# ### The data
#
# Eight round clouds in the plane, 400 000 points in all. The seed is fixed, so you will get the same points.

# %%
rng = np.random.default_rng(64)
n, k = 400_000, 8

true_centres = rng.uniform(-10, 10, size=(2, k))
cloud = rng.integers(k, size=n)
x, y = true_centres[:, cloud] + rng.normal(size=(2, n))

start = np.stack([x[:k], y[:k]])  # the first eight points: where the search begins

# %% [markdown]
# ### k-means in plain NumPy
#
# k-means repeats two steps:
#
# 1. Give each point the label of the **nearest** centre.
# 2. Move each centre to the **mean** of the points that bear its label.
#
# Each step is a function. `centres` has one row for *x* and one for *y*. In `nearest`, `across` is a table with 8 rows and 400 000 columns.


# %%
def nearest(x, y, centres):
    across = x - centres[0][:, None]
    up = y - centres[1][:, None]
    return (across**2 + up**2).argmin(axis=0)


def means(x, y, label):
    member = label == np.arange(k)[:, None]
    totals = [np.where(member, values, 0).sum(axis=1) for values in (x, y)]
    return np.stack(totals) / member.sum(axis=1)


# %%
centres = start
for step in range(10):
    label = nearest(x, y, centres)
    centres = means(x, y, label)

# %%
numpy_seconds = watch.seconds
numpy_centres, numpy_label = centres, label
print(f"NumPy: {numpy_seconds:.2f} s for ten steps")

# %% tags=["picture"]
shown = slice(0, 4000)
figure, axes = plt.subplots(figsize=(6, 4.4))
axes.scatter(x[shown], y[shown], s=3, c=label[shown], cmap="tab10")
axes.plot(*centres, "k+", markersize=13, markeredgewidth=2.2, label="centres after ten steps")
axes.set(title="k-means: 4000 of the 400 000 points", aspect="equal")
axes.set(xlabel="x (arbitrary units)", ylabel="y (arbitrary units)")
axes.legend(loc="best", fontsize=10)
plt.show()
missed = np.hypot(*(true_centres[:, :, None] - centres[:, None, :])).min(axis=1)
assert (missed > 2).sum() == 2  # clouds without a centre of their own

# %% [markdown]
# Look at the crosses: two clouds share one, and another cloud has two. k-means finds good places near its start, not the best ones. Here only its work matters.
#
# ## Predict
#
# One step makes many arrays. Most of them are used once and thrown away. How much faster can the loop be if those are never written to memory? Change the guess before you go on.

# %%
my_guess = 3  # times as fast as NumPy

# %% [markdown]
# ## Run
#
# The same cell with one line more. `--ahead` means: compile first, then run. Without it the cell runs in NumPy at once and is compiled in the background, for the next time.

# %% name="compiled"
# %%npcompile --ahead
centres = start
for step in range(10):
    label = nearest(x, y, centres)
    centres = means(x, y, label)

# %% [markdown]
# The **summary line** under the cell says how many of the lines that hold NumPy work are in compiled code, how often captured code is split, and where it runs. **Click it**: it opens to the source with a mark on every line, a picture of what was captured, and how each part ran.
#
# That run included the compiling, and a race: compiled code is kept where it is faster than NumPy. So the same cell runs faster from now on. Here it is again:

# %%
first_seconds = watch.seconds
print(f"first run, compiling included: {first_seconds:.2f} s")

# %% name="compiled-again"
# %%npcompile --ahead
centres = start
for step in range(10):
    label = nearest(x, y, centres)
    centres = means(x, y, label)

# %% tags=["times"]
compiled_seconds = watch.seconds
factor = numpy_seconds / compiled_seconds
print(f"NumPy                  {numpy_seconds:6.2f} s")
print(f"compiled, first run    {first_seconds:6.2f} s")
print(f"compiled, second run   {compiled_seconds:6.2f} s: {factor:.1f} times as fast as NumPy")
print(f"you guessed                      {my_guess} times")

# One run can have bad luck. One step was timed more than once, NumPy and compiled in turns.
raced = next(part for part in npc.last_report().regions if "compiled_us" in part.timings)
fair_factor = raced.timings["numpy_us"] / raced.timings["compiled_us"]
print(f"one step, timed in turns         {fair_factor:.1f} times")
if raced.tier == "numpy":
    print("NumPy won, so NumPy runs. Is the computer busy? Restart, and try again later.")
else:
    assert fair_factor > 1.2

# %% [markdown]
# ### Is the result the same?
#
# Compiled code may round differently, because sums are added in another order. Everything else has to be equal: values, dtypes, shapes, types. The first compiled run was compared with NumPy for you. Check once more yourself:

# %%
assert np.array_equal(label, numpy_label)
assert type(centres) is np.ndarray and centres.dtype == numpy_centres.dtype
assert np.allclose(centres, numpy_centres, rtol=1e-9)
print("labels: all", label.size, "equal")
print("centres: largest difference", np.abs(centres - numpy_centres).max())

# %% [markdown]
# ## Look
#
# The first time a part of the cell runs, a **tracer** follows it and writes down every NumPy call: which call, on what, with which result. The list is the **captured graph**. It also looks into your own functions: `nearest` and `means` are in it.

# %%
report = npc.last_report()
print(report.graph.to_text())

# %% [markdown]
# Read one line of it, from the right: `# 4:12, in nearest` means that the call comes from line 4 (the line `%%npcompile` is line 1), column 12, inside `nearest`. `float64[8,400000]` is the dtype and shape of its result. `view of centres` says that the result shares memory with `centres`.
#
# Words that the reports use:
#
# - A **region** is a run of statements that can be captured together. Here it is the body of the loop: lines 4 and 5.
# - A **segment** is a piece of captured graph that is compiled as one program. Here the region has one segment.
# - The **signature** says what a segment is valid for: dtypes, shapes, and the Python values that it depends on, such as `k = 8`. Other inputs are captured anew.
# - The **tier** is what runs a region now: `numpy`, `inductor`, the compiler of PyTorch, or `native-loop`, the whole loop in C++ (then there may be no graph).
# - **Plain Python**, such as line 2 and the `for`, stays plain Python.
#
# The report is an object. You can ask it:

# %%
region = next(part for part in report.regions if part.segments)
print(f"lines {region.lines}: tier {region.tier}, {region.segments} segment")
print(f"    valid for {region.signature}")
assert region.lines in ((4, 5), (3, 5)) and region.segments == 1  # the loop, or what is in it

# %% [markdown]
# And the graph can be opened. In JupyterLab the next line shows a widget: close and open `nearest` and `means`, search for `where`, click an operation to see its line and its size. Where no widget can be shown, you get the report, with the graph as a picture.

# %%
# %npcompile graph

# %% [markdown]
# ## Break it
#
# Now we want to watch the search. We display the labels in the middle of the loop. (NumPy shortens the many labels to six.)
#
# Does the whole loop fall back to NumPy? Guess, then run.

# %% name="broken"
# %%npcompile --ahead
centres = start
for step in range(10):
    label = nearest(x, y, centres)
    display(label)
    centres = means(x, y, label)

# %%
broken = npc.last_report()
for point in broken.breaks:
    print(f"line {point.line}, column {point.column}: break point")
    print("  reason:", point.reason)
    print("  hint:  ", point.hint)
print(len(broken.graph.numpy), "segments")
assert len(broken.breaks) == 1 and len(broken.graph.numpy) == 2

# %% [markdown]
# A **break point** is a place that splits captured code. It has a line, a column, a **reason** and a **hint**. Displaying must happen in Python, at that moment, with the real array. So the loop body is now two segments: `nearest` before it, `means` after it. `label` is a real ndarray in between.
#
# It costs its own line and nothing else: lines 4 and 6 are still captured.

# %% [markdown]
# ## Fix it
#
# The hint says: display after the loop.

# %%
# %%npcompile --ahead
centres = start
for step in range(10):
    label = nearest(x, y, centres)
    centres = means(x, y, label)
display(label)

# %%
fixed = npc.last_report()
print(fixed.summary)
assert not fixed.breaks and len(fixed.graph.numpy) == 1
assert np.array_equal(label, numpy_label)

# %% [markdown]
# ## Measure
#
# NumPy writes every array of the graph to memory and reads it back. The compiled segment reads its inputs and writes its outputs. What lies between stays in the processor. The graph knows the shapes, so we can count the bytes.


# %%
def size(node):
    return sum(np.prod(t.shape) * np.dtype(t.dtype).itemsize for t in node.types)


def traffic(graph):
    """Bytes that NumPy moves, and bytes that one program has to move."""
    nodes = graph.by_id()
    calls = [node for node in graph.nodes if node.view_of is None]
    read = sum(size(nodes[i]) for node in calls for i in set(node.references()))
    outputs = {output.value.id for output in graph.outputs}
    ends = sum(map(size, graph.inputs)) + sum(size(nodes[i]) for i in outputs)
    return read + sum(map(size, calls)), ends


moved, needed = traffic(report.graph.numpy[0])
print(f"NumPy moves {moved / 1e6:.0f} MB in one step")
print(f"one program has to move {needed / 1e6:.0f} MB")
assert moved > 10 * needed

# %% [markdown]
# That gives a bound. No program can be faster than the time it takes to move those bytes: the **memory-bandwidth bound**. We measure the bandwidth with a copy.

# %% tags=["times"]
source = np.ones(4_000_000)
target = np.empty_like(source)
times = []
for _ in range(10):
    began = perf_counter()
    np.copyto(target, source)  # reads 32 MB and writes 32 MB
    times.append(perf_counter() - began)
bandwidth = 2 * source.nbytes / min(times)
bound = needed / bandwidth

print(f"memory bandwidth, one thread   {bandwidth / 1e9:6.1f} GB/s")
print(f"bound for one step             {bound * 1e3:6.1f} ms")
print(f"compiled, measured             {compiled_seconds * 100:6.1f} ms")
print(f"NumPy, measured                {numpy_seconds * 100:6.1f} ms")
assert bound < compiled_seconds / 10 and 10 * bound < numpy_seconds / 10

# %% [markdown]
# NumPy cannot come near the bound: it takes more than ten times as long, for it moves far more bytes. The compiled step does not reach it either. Finding the nearest of eight centres takes arithmetic, not only traffic.
#
# ### Read the number honestly
#
# The factor above compares the *same* code. That is fair if this is the code you would write. But NumPy has a faster way for the second step: `np.bincount` adds up each group without the large tables. Let NumPy use its best:


# %% tags=["times"]
def means_by_counting(x, y, label):
    totals = [np.bincount(label, weights=values, minlength=k) for values in (x, y)]
    return np.stack(totals) / np.bincount(label, minlength=k)


times = []
for _ in range(2):
    began = perf_counter()
    centres = start
    for step in range(10):
        label = nearest(x, y, centres)
        centres = means_by_counting(x, y, label)
    times.append(perf_counter() - began)
best_numpy_seconds = min(times)

assert np.array_equal(label, numpy_label)
assert best_numpy_seconds < 1.1 * numpy_seconds
for name, seconds in [
    ("NumPy, the same code", numpy_seconds),
    ("NumPy, rewritten for speed", best_numpy_seconds),
    ("compiled, the same code", compiled_seconds),
]:
    print(f"{name:27} {seconds:6.2f} s   {seconds / compiled_seconds:5.1f} x compiled")

# %% [markdown]
# These are numbers of the machine that ran this notebook, with whatever else it was doing. Small arrays, and work that is spent inside one call such as `np.linalg.solve`, gain little or nothing. Then NumPy runs them.

# %% [markdown]
# ## Exercises
#
# ### Exercise 1: read a report
#
# The report of the cell that you broke is `broken`. On which line is the break point? How many NumPy calls does its *first* segment hold? Find both in the report, and write them down.

# %% tags=["exercise"]
break_line = ...
calls_in_first_segment = ...

# %% tags=["check"]
check(
    lambda: (break_line, calls_in_first_segment)
    == (broken.breaks[0].line, len(broken.graph.numpy[0].nodes)),
    "open the report under the cell, or print broken.breaks and broken.graph.numpy[0].nodes",
)

# %% [markdown] tags=["solution"]
# <details><summary>Solution</summary>
#
# ```python
# break_line = broken.breaks[0].line
# calls_in_first_segment = len(broken.graph.numpy[0].nodes)
# ```
#
# Line 5 is the `print`. Counting the magic line as line 1 is what editors show, too.
# </details>

# %% [markdown]
# ### Exercise 2: one segment
#
# `npc.explain(f, ...)` gives the report of a function. This one has a break point. Change it so that it has none, and still returns the same.


# %% tags=["exercise"]
def spread(v):
    centre = v.mean()
    print("the mean is", centre)
    return np.sqrt(((v - centre) ** 2).mean())


# %% tags=["check"]
check(
    lambda: not npc.explain(spread, x[:1000]).breaks and np.isclose(spread(x), np.std(x)),
    "the report still has a break point, or the result is another",
)

# %% [markdown] tags=["solution"]
# <details><summary>Solution</summary>
#
# ```python
# def spread(v):
#     centre = v.mean()
#     result = np.sqrt(((v - centre) ** 2).mean())
#     print("the mean is", centre)
#     return result
# ```
#
# The print comes after the last array operation, so it splits nothing.
# </details>

# %% [markdown]
# ### Exercise 3: count the bytes
#
# `a` and `b` hold a million float64 numbers each: 8 MB. How many MB does NumPy move for `np.sqrt(a * a + b * b)`, and how many must one program move? Count an array that a call reads twice once.

# %% tags=["exercise"]
numpy_megabytes = ...
program_megabytes = ...


# %% tags=["check"]
def length(a, b):
    return np.sqrt(a * a + b * b)


check(
    lambda: (numpy_megabytes * 1e6, program_megabytes * 1e6)
    == traffic(npc.explain(length, np.ones(10**6), np.ones(10**6)).graph.numpy[0]),
    "go through the four calls: each reads its arguments and writes its result",
)

# %% [markdown] tags=["solution"]
# <details><summary>Solution</summary>
#
# ```python
# numpy_megabytes = (8 + 8) + (8 + 8) + (16 + 8) + (8 + 8)
# program_megabytes = 16 + 8
# ```
#
# NumPy moves three times as much. That is about what you can win, if memory is what the program waits for.
# </details>

# %% [markdown]
# ## What you can do now
#
# - Compile a cell with `%%npcompile`, and read the summary line.
# - Read a captured graph, and say what a region, a segment, a signature and a tier are.
# - Find a break point, its reason and its hint, and mend it.
# - Compute the memory-bandwidth bound, and say what a comparison leaves out.
#
# **Next:** notebook 2 opens the compiler and follows one line down to machine code.
