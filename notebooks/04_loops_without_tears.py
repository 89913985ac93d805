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
# # 4 · Loops without tears
#
# ## Question
#
# "Never write a loop over elements in NumPy", people say. Why are loops slow, and must they be?
#
# You will draw a fractal, play the game of life and cool a bar of metal, all with plain loops. You will watch a loop change gear while it runs, stop it from doing so, and mend that.

# %%
import contextlib
import io
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
# The Mandelbrot set: start with `z = 0` and repeat `z = z² + c`. Points `c` for which `z` stays small belong to the set. For each point we count the rounds until `|z| > 2`. This is the textbook loop, one point after the other.


# %%
def mandelbrot(width, height, rounds):
    counts = np.zeros((height, width), np.int64)
    for row in range(height):
        for column in range(width):
            a = -2.2 + 3.2 * column / width
            b = -1.2 + 2.4 * row / height
            x = 0.0
            y = 0.0
            count = 0
            while x * x + y * y <= 4.0 and count < rounds:
                x, y = x * x - y * y + a, 2 * x * y + b
                count += 1
            counts[row, column] = count
    return counts


# %% [markdown]
# Python needs some hundred nanoseconds for each round of the inner loop. A processor needs some ten. How much faster will the loop be when it is compiled as a whole?

# %%
my_guess = 10  # times

# %% [markdown]
# ## Run
#
# First in Python, on a small picture.

# %% tags=["times"]
began = perf_counter()
expected = mandelbrot(80, 60, 100)
python_seconds = perf_counter() - began
nanoseconds = 1e9 * python_seconds / expected.sum()
print(f"Python: {python_seconds:.2f} s, {nanoseconds:.0f} ns for each round")
assert 40 < nanoseconds < 2000

# %% [markdown]
# Where does that time go? For every `*` and `+`, Python looks up what the names hold, asks both objects for their types, finds the function for these types, and makes a new object for the result. The arithmetic is the least of it. Whoever knows the types beforehand can leave out all the rest.
#
# Now compiled. `npc.compile` is for functions what `%%npcompile` is for cells. With `ahead=True` the first call compiles and waits.

# %% tags=["times"]
compiled = npc.compile(mandelbrot, ahead=True)
assert np.array_equal(compiled(80, 60, 100), expected)
npc.wait()
for _ in range(3):  # the runtime compares and decides
    compiled(80, 60, 100)

times = []
for _ in range(5):
    began = perf_counter()
    counts = compiled(80, 60, 100)
    times.append(perf_counter() - began)
factor = python_seconds / min(times)
print(f"compiled: {1e3 * min(times):.1f} ms, {factor:.0f} times as fast; you guessed {my_guess}")
assert np.array_equal(counts, expected)
assert factor > 10 and 1e9 * min(times) / counts.sum() < 100

# %% [markdown]
# A **native loop** is a loop that was translated as a whole to C++, compiled, and runs without Python. That buys resolution:

# %% tags=["picture"]
picture = compiled(700, 525, 100)
figure, axes = plt.subplots(figsize=(6.4, 4.2))
shown = axes.imshow(picture, extent=(-2.2, 1.0, -1.2, 1.2), cmap="magma", origin="lower")
axes.set(title="The Mandelbrot set", xlabel="real part of c", ylabel="imaginary part of c")
figure.colorbar(shown, label="rounds until |z| > 2 (at most 100)")
plt.show()

# %% [markdown]
# ## Look
#
# The report of a loop has one more row: the loop itself, with the tier `native-loop`.

# %%
for region in npc.last_report().regions:
    print(f"lines {region.lines}: tier {region.tier}")
assert "native-loop" in [region.tier for region in npc.last_report().regions]

# %% [markdown]
# ### Three ways to compile a loop
#
# - **Unrolled.** The tracer follows the loop round by round, and every round becomes part of one graph. This happens to loops in helper functions. The graph grows with the number of rounds, so it is only good for a few.
# - **Body once.** In a cell or a compiled function the body of the loop is a region. It is captured in the first round and compiled once, whatever the number of rounds. Each round costs a call. That is little when the body works on large arrays.
# - **Native.** The whole loop is translated. Then a round costs what its arithmetic costs. Types must be known beforehand: what cannot be proven is not translated, and the report says why.
#
# Count operations to see the first two apart. The same loop, in a helper and in the function itself:


# %%
def helper(v, rounds):
    for _ in range(rounds):
        v = v * 0.5 + 1
    return v


def unrolled(v):
    return helper(v, 20) * 1.0


def body_once(v):
    for _ in range(20):
        v = v * 0.5 + 1
    return v


npc.settings.tier = "aten"  # we only look at graphs here
for f in (body_once, unrolled):
    report = npc.explain(f, np.ones(1000))
    graphs = report.graph.numpy
    print(f"{f.__name__:10} segments with {[len(graph.nodes) for graph in graphs]} operations")
    sizes = [len(graph.nodes) for graph in graphs]
    assert max(sizes) >= 40 if f is unrolled else max(sizes) == 2
npc.settings.tier = "auto"

# %% [markdown]
# In JupyterLab the next line opens the graph of `unrolled`: the loop of `helper`, written out twenty times.

# %%
GraphWidget(report)

# %% [markdown]
# ### Watch a loop change gear
#
# A loop need not end before it gets faster. **On-stack replacement** means: a running loop changes its tier between two rounds. The game of life below looks at its clock in every round, so you can see when. There is no `--ahead` here: the cell begins in NumPy at once, and the compiler works in the background.
#
# The rule of the game: a living cell with two or three living neighbours lives on; a dead one with exactly three is born.


# %%
def neighbours(board):
    total = np.zeros_like(board)
    total[1:-1, 1:-1] = (
        board[:-2, :-2] + board[:-2, 1:-1] + board[:-2, 2:]
        + board[1:-1, :-2] + board[1:-1, 2:]
        + board[2:, :-2] + board[2:, 1:-1] + board[2:, 2:]
    )
    return total


rng = np.random.default_rng(11)
board = (rng.random((300, 300)) < 0.3).astype(np.int64)
clock, compiled_rounds = [perf_counter()], []
before, until = npc.stats()["dispatches"], clock[0] + 90


def going_on():
    """Whether fewer than 2000 rounds were compiled; gives up after a minute and a half."""
    clock.append(perf_counter())
    compiled_rounds.append(npc.stats()["dispatches"] - before)
    return compiled_rounds[-1] < 2000 and clock[-1] < until


# %%
# %%npcompile
while going_on():
    total = neighbours(board)
    board = ((total == 3) | ((board == 1) & (total == 2))).astype(np.int64)

# %% tags=["times"]
rounds = 1e3 * np.diff(clock[1:])
switch = int(np.argmax(np.asarray(compiled_rounds) > 0))  # the first round that ran compiled
fast = np.median(rounds[-1000:])
figure, axes = plt.subplots(1, 2, figsize=(8.4, 3.6), width_ratios=[3, 2])
axes[0].plot(rounds, ".", markersize=2)
axes[0].axvline(switch, color="#cc3311", linewidth=1, label="the tier changes")
axes[0].legend(fontsize=9)
axes[0].set(title="Each round of one running loop", yscale="log")
axes[0].set(xlabel="number of the round", ylabel="time for one round (ms)")
axes[1].imshow(board, cmap="binary")
axes[1].set(title=f"The board after {rounds.size} rounds", xlabel="column", ylabel="row")
figure.tight_layout()
plt.show()
assert compiled_rounds[-1] >= 2000
if switch < 60:
    print("The compiled code was found in the cache on disk: there was nothing to wait for.")
    print("To see the change, run `%npcompile cache clear`, and this notebook again.")
else:
    slow = np.median(rounds[20 : switch - 20])
    print(f"round {switch}: from {slow:.2f} to {fast:.2f} ms, {slow / fast:.1f} times as fast")
    assert slow > 1.2 * fast

# %% [markdown]
# The loop began in NumPy. When the compiler was done, one round was compared with NumPy and both were timed. From then on the rounds ran compiled. The cell never stopped.
#
# ## Break it
#
# A bar of metal, hot in the middle, its ends kept cold. Heat flows from each point to its neighbours: the heat equation. We write it with loops over elements, and keep the temperatures in the middle in a dictionary, by the step.


# %%
def cool(start, steps):
    u = start.copy()
    new = start.copy()
    middle = {}
    for step in range(steps):
        for i in range(1, u.size - 1):
            new[i] = u[i] + 0.4 * (u[i - 1] - 2 * u[i] + u[i + 1])
        u[:] = new
        middle[step] = u[u.size // 2]
    return u, np.array(list(middle.values()))


start = np.zeros(200)
start[70:130] = 100.0


def loops(f, *args):
    """Print how the loops of a function run; return the lines of those that run natively."""
    report = npc.explain(f, *args)
    native = []
    for region in report.regions:
        first, last = (number - report.first_line for number in region.lines)
        text = report.source.splitlines()[first].strip()
        if text.startswith(("for", "while")):
            print(f"{region.tier:12} {text:40} {region.note}")
            native += [text] if region.tier == "native-loop" else []
    return native


broken = loops(cool, start, 1500)
assert broken == ["for i in range(1, u.size - 1):"]

# %% [markdown]
# The inner loop runs natively, the outer one does not. The report says why: `middle` is a dictionary (a `dict`). A native loop can append to a list of numbers, but it has no dictionaries. So Python runs 1500 rounds and calls native code in each.
#
# ## Fix it
#
# The number of steps is known. An array can hold the values, and a native loop can write into an array.


# %%
def cool_into_array(start, steps):
    u = start.copy()
    new = start.copy()
    middle = np.zeros(steps)
    for step in range(steps):
        for i in range(1, u.size - 1):
            new[i] = u[i] + 0.4 * (u[i - 1] - 2 * u[i] + u[i + 1])
        u[:] = new
        middle[step] = u[u.size // 2]
    return u, middle


fixed = loops(cool_into_array, start, 1500)
assert "for step in range(steps):" in fixed

# %% [markdown]
# ## Measure
#
# The same physics in five forms. `with_slices` is what people write to avoid the inner loop.


# %%
def with_slices(start, steps):
    u = start.copy()
    middle = np.zeros(steps)
    for step in range(steps):
        u[1:-1] = u[1:-1] + 0.4 * (u[:-2] - 2 * u[1:-1] + u[2:])
        middle[step] = u[u.size // 2]
    return u, middle


def best(f, repeats=5):
    for _ in range(4):  # compile, check, and decide what is faster
        f(start, 1500)
    npc.wait()
    times = []
    for _ in range(repeats):
        began = perf_counter()
        f(start, 1500)
        times.append(perf_counter() - began)
    return min(times)


began = perf_counter()
expected_bar, expected_middle = cool(start, 1500)
seconds = {
    "loops in Python": perf_counter() - began,
    "slices in NumPy": best(with_slices),
    "dict kept, compiled": best(npc.compile(cool, ahead=True)),
    "slices, compiled": best(npc.compile(with_slices, ahead=True)),
    "loops, compiled": best(npc.compile(cool_into_array, ahead=True)),
}
for f in (with_slices, cool_into_array, npc.compile(cool_into_array)):
    bar, middle = f(start, 1500)
    assert np.allclose(bar, expected_bar) and np.allclose(middle, expected_middle)

# %% tags=["times"]
figure, axes = plt.subplots(1, 2, figsize=(8.8, 3.4), width_ratios=[3, 2])
names = list(seconds)
axes[0].barh(names, [1e3 * seconds[name] for name in names], color="#4477aa")
axes[0].set(title="1500 steps of the heat equation", xlabel="time (ms), logarithmic")
axes[0].set(xscale="log")
axes[0].invert_yaxis()
axes[1].plot(start, label="at the beginning")
axes[1].plot(expected_bar, label="after 1500 steps")
axes[1].set(title="The bar", xlabel="place (cells)", ylabel="temperature (°C)", ylim=(0, 145))
axes[1].legend(fontsize=9)
figure.tight_layout()
plt.show()
for name in names:
    print(f"{name:20} {1e3 * seconds[name]:8.2f} ms")
assert seconds["loops in Python"] > 20 * seconds["loops, compiled"]
assert 0.3 < seconds["slices, compiled"] / seconds["loops, compiled"] < 3
assert seconds["slices in NumPy"] > 3 * seconds["loops, compiled"]
assert seconds["dict kept, compiled"] > 3 * seconds["loops, compiled"]

# %% [markdown]
# Compiled, the loops that one must not write are about as fast as compiled slices, and faster than everything else. Slices in NumPy are slower: NumPy makes several small arrays in each step. And the dictionary costs more than all the arithmetic.
#
# Read the figure honestly: the first call of the compiled form had to wait for the compiler. For a loop that runs once for a second, Python is done before the compiler is. Without `ahead` you would not wait, though: the loop would begin in Python and change gear.

# %% [markdown]
# ## Exercises
#
# ### Exercise 1: which one is native?
#
# Which of these loops runs natively as a whole? Write the set of the names.


# %%
def longest_rise(v):
    best = 0
    run = 1
    for k in range(1, len(v)):
        run = run + 1 if v[k] > v[k - 1] else 1
        best = max(best, run)
    return best


def rises(v):
    found = {}
    for k in range(1, len(v)):
        if v[k] > v[k - 1]:
            found[k] = v[k]
    return found


def count_rises(v):
    count = 0
    for k in range(1, len(v)):
        if v[k] > v[k - 1]:
            count += 1
    return count


walk = np.cumsum(rng.normal(size=60_000))

# %% tags=["exercise"]
native = {...}

# %% tags=["check"]
def truly_native():
    with contextlib.redirect_stdout(io.StringIO()):  # the answer is not shown
        return {f.__name__ for f in (longest_rise, rises, count_rises) if loops(f, walk)}


check(
    lambda: native == truly_native(),
    "loops(longest_rise, walk) shows how its loop runs",
)

# %% [markdown] tags=["solution"]
# <details><summary>Solution</summary>
#
# ```python
# native = {"longest_rise", "count_rises"}
# ```
#
# `rises` fills a dictionary, which native loops do not have.
# </details>

# %% [markdown]
# ### Exercise 2: make it native
#
# `steps_to_one` counts the steps of the Collatz rule (halve an even number, else triple it and add one) for each number below `n`. Its outer loop is not native. Change what it collects in.


# %% tags=["exercise"]
def steps_to_one(n):
    counts = {0: 0}
    for first in range(1, n):
        x = first
        steps = 0
        while x != 1:
            x = x // 2 if x % 2 == 0 else 3 * x + 1
            steps += 1
        counts[first] = steps
    return np.array(list(counts.values()))


# %% tags=["check"]
check(
    lambda: "for first in range(1, n):" in loops(steps_to_one, 3000)
    and steps_to_one(28)[27] == 111,
    "an array of n zeros can be written element by element",
)

# %% [markdown] tags=["solution"]
# <details><summary>Solution</summary>
#
# ```python
# def steps_to_one(n):
#     counts = np.zeros(n, np.int64)
#     for first in range(1, n):
#         x = first
#         steps = 0
#         while x != 1:
#             x = x // 2 if x % 2 == 0 else 3 * x + 1
#             steps += 1
#         counts[first] = steps
#     return counts
# ```
#
# Dtype and size of an array are known beforehand; of a dictionary, neither.
# </details>

# %% [markdown]
# ### Exercise 3: write the loop
#
# The *drawdown* of a walk is the largest fall from any earlier point to a later one. Write it as one plain loop over `v` that runs natively.


# %% tags=["exercise"]
def drawdown(v):
    return ...


# %% tags=["check"]
check(
    lambda: np.isclose(drawdown(walk), np.max(np.maximum.accumulate(walk) - walk))
    and loops(drawdown, walk),
    "remember the highest value so far, and the largest distance below it",
)

# %% [markdown] tags=["solution"]
# <details><summary>Solution</summary>
#
# ```python
# def drawdown(v):
#     top = v[0]
#     worst = 0.0
#     for value in v:
#         top = max(top, value)
#         worst = max(worst, top - value)
#     return worst
# ```
# </details>

# %% [markdown]
# ## What you can do now
#
# - Say why a loop in Python is slow, and what unrolling, compiling the body once, and a native loop do about it.
# - See in a report whether a loop is native, and read the reason when it is not.
# - Mend a loop by collecting in arrays.
# - Explain on-stack replacement with a figure that you measured.
#
# **Next:** notebook 5 runs code backwards, for gradients.
