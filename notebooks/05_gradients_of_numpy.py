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
# # 5 · Gradients of NumPy
#
# ## Question
#
# In which direction should the inputs change so that the output falls? The *gradient* answers that: one number for each input. How can a machine find the gradient of code that you wrote without thinking of gradients?
#
# You will estimate gradients, build an engine for them in 40 lines, and then let `npc.grad` do it for unmodified NumPy, across prints and loops.

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
# ### Finite differences
#
# The derivative of `f` at `x` is the slope. Take two points that are close, and divide: `(f(x + h) - f(x - h)) / 2h`. That needs no knowledge about `f`. How close is close?

# %%
x0 = 1.0
steps = 10.0 ** np.arange(-15, 0)
estimates = (np.sin(x0 + steps) - np.sin(x0 - steps)) / (2 * steps)
errors = np.abs(estimates - np.cos(x0))

figure, axes = plt.subplots(figsize=(6, 3.4))
axes.loglog(steps, errors, "o-")
axes.set(title="Finite differences of sin at 1", xlabel="step h", ylabel="error of the slope")
axes.grid(alpha=0.3)
plt.show()
best_step = steps[errors.argmin()]
print(f"best step {best_step:.0e}, error {errors.min():.0e}")
assert 1e-7 < best_step < 1e-3 and errors.min() > 1e-15

# %% [markdown]
# A large step sees the curve bend. A small step subtracts two nearly equal numbers, and rounding wins. Even the best step loses some digits. And each input needs two runs of `f`.
#
# ## Predict
#
# A function of a million inputs takes one second. Finite differences need two million seconds for its gradient: 23 days. How many times longer than the function does the *best* method take?

# %%
my_guess = 1_000_000  # times as long as the function itself
assert round(2_000_000 / (24 * 3600)) == 23

# %% [markdown]
# ## Run
#
# The method is to write down every operation as it runs, and to go through the list backwards. The list is called the **tape**. Here is a complete engine. A `Var` is a number or array that remembers how it was made: its parents, and for each of them a function that passes a gradient on.
#
# How does a gradient flow? Every operation knows only its own slope. When a gradient arrives at its result, it multiplies it by that slope and hands it to its parents. Where a value was used twice, two gradients arrive, and are added. That is the chain rule, and it is all that `backwards` does.


# %%
class Var:
    def __init__(self, value, parents=()):
        self.value, self.parents = np.asarray(value, float), parents
        self.gradient = np.zeros_like(self.value)

    def __add__(self, other):
        other = to_var(other)
        return Var(self.value + other.value, [(self, lambda g: g), (other, lambda g: g)])

    def __mul__(self, other):
        other = to_var(other)
        a, b = self.value, other.value
        return Var(a * b, [(self, lambda g: g * b), (other, lambda g: g * a)])

    __radd__, __rmul__ = __add__, __mul__

    def __sub__(self, other):
        return self + to_var(other) * -1.0

    def tanh(self):
        t = np.tanh(self.value)
        return Var(t, [(self, lambda g: g * (1 - t**2))])

    def sum(self):
        return Var(self.value.sum(), [(self, lambda g: g * np.ones_like(self.value))])


def to_var(value):
    return value if isinstance(value, Var) else Var(value)


def backwards(result):
    order, seen = [], set()

    def visit(node):  # what comes before a node is visited before it
        if id(node) not in seen:
            seen.add(id(node))
            for parent, _ in node.parents:
                visit(parent)
            order.append(node)

    visit(result)
    result.gradient = np.ones_like(result.value)
    for node in reversed(order):
        for parent, pass_on in node.parents:
            # An array may have been stretched to fit: its gradient is added up.
            passed = np.asarray(pass_on(node.gradient))
            parent.gradient = parent.gradient + (
                passed if parent.value.shape == passed.shape else passed.sum()
            )


# %% [markdown]
# Fit a curve: `tanh(a * x + b)` to measured points. The loss is the sum of squared errors.

# %%
rng = np.random.default_rng(3)
x = np.linspace(-2, 2, 60)
y = np.tanh(1.7 * x - 0.6) + 0.1 * rng.normal(size=x.size)


def loss_of_vars(a, b):
    error = (a * x + b).tanh() - y
    return (error * error).sum()


a, b = Var(0.5), Var(0.0)
backwards(loss_of_vars(a, b))
print("our engine:       ", a.gradient, b.gradient)

# %% [markdown]
# Our engine needs code that is written for it: `.tanh()` as a method, and `Var` everywhere. `npc.grad` takes NumPy code as it is:


# %%
def loss(p):
    error = np.tanh(p[0] * x + p[1]) - y
    return np.sum(error**2)


start = np.array([0.5, 0.0])
gradient = npc.grad(loss)(start)
h = 1e-5
differences = [(loss(start + h * e) - loss(start - h * e)) / (2 * h) for e in np.eye(2)]
print("npc.grad:         ", gradient)
print("finite difference:", np.array(differences))
assert np.allclose(gradient, [a.gradient, b.gradient], rtol=1e-12)
assert np.allclose(gradient, differences, rtol=1e-7)

# %% [markdown]
# With the gradient, fitting is walking downhill.

# %% tags=["picture"]
p = start.copy()
path = [p.copy()]
value_and_grad = npc.value_and_grad(loss)
for step in range(60):
    value, gradient = value_and_grad(p)
    p = p - 0.02 * gradient
    path.append(p.copy())
path = np.array(path)

figure, axes = plt.subplots(1, 2, figsize=(9, 3.6))
aa, bb = np.meshgrid(np.linspace(0, 2.5, 60), np.linspace(-1.5, 0.8, 60))
landscape = np.array([loss(q) for q in zip(aa.ravel(), bb.ravel())]).reshape(aa.shape)
axes[0].contour(aa, bb, landscape, levels=np.geomspace(landscape.min() * 1.05, 60, 12))
axes[0].plot(*path.T, "o-", color="#cc3311", markersize=3)
axes[0].set(title="The way downhill", xlabel="a", ylabel="b")
axes[1].plot(x, y, ".", color="grey", label="measured")
axes[1].plot(x, np.tanh(p[0] * x + p[1]), color="#cc3311", label="fitted")
axes[1].set(title=f"a = {p[0]:.2f}, b = {p[1]:.2f}", xlabel="x", ylabel="y")
axes[1].legend(fontsize=9)
figure.tight_layout()
plt.show()
assert np.linalg.norm(npc.grad(loss)(p)) < 0.05 * np.linalg.norm(npc.grad(loss)(start))

# %% [markdown]
# ## Look
#
# In a cell, `--grad` asks for gradients of a name. It binds `grads`, a dict, and shows the gradient view: values and gradients as maps, and how large the gradient is at each operation. The cell prints in the middle. That is no obstacle: the code runs as it is, and the tape goes on after the print.

# %%
w = 0.5 * rng.normal(size=(2, 8))
v = 0.5 * rng.normal(size=8)
points = np.stack([x, x**2], axis=1)

# %%
# %%npcompile --grad total --wrt w,v
hidden = np.tanh(points @ w)
print("largest activation:", np.abs(hidden).max())
total = np.mean((hidden @ v - y) ** 2)

# %% [markdown]
# In JupyterLab the next line opens the gradients as a widget: each variable large, with its values spread out, and how the gradients change from run to run. Run the cell above some more times, with other numbers in `w`, and open it again. After a call such as `npc.grad(f)(x)` the same line shows the gradients of `f`.

# %%
# %npcompile grad

# %%
h = 1e-6
w_up, w_down = w.copy(), w.copy()
w_up[1, 3] += h
w_down[1, 3] -= h


def network(w, v):
    return np.mean((np.tanh(points @ w) @ v - y) ** 2)


difference = (network(w_up, v) - network(w_down, v)) / (2 * h)
print("the view's gradient of w[1, 3]:", grads["w"][1, 3])
print("finite difference:             ", difference)
assert np.isclose(grads["w"][1, 3], difference, rtol=1e-5)

# %% [markdown]
# ### Kinks
#
# `np.maximum(x, 0)` has a corner at 0: no slope there. Any number between the slopes on both sides would do. Where two elements are the maximum, they share the gradient.

# %%
ramp = npc.grad(lambda t: np.maximum(t, 0.0))
print("left of the corner, on it, right of it:", [float(ramp(t)) for t in (-1.0, 0.0, 1.0)])
shared = npc.grad(np.max)(np.array([3.0, 1.0, 3.0]))
print("gradient of the maximum of [3, 1, 3]:", shared)
assert [float(ramp(t)) for t in (-1.0, 0.0, 1.0)] == [0.0, 0.5, 1.0]
assert shared.tolist() == [0.5, 0.0, 0.5]

# %% [markdown]
# ### Vanishing and exploding
#
# Backwards through many steps, a gradient is multiplied again and again. Factors below one make it vanish, factors above one make it explode.


# %%
def chain(t, factor, steps):
    for _ in range(steps):
        t = np.tanh(factor * t)
    return t


lengths = np.arange(1, 31, 3)
figure, axes = plt.subplots(figsize=(6, 3.4))
for factor in (0.5, 1.0, 1.5):
    slopes = [npc.grad(chain)(0.0, factor, int(n)) for n in lengths]
    assert np.allclose(slopes, factor ** lengths.astype(float))
    axes.semilogy(lengths, slopes, "o-", label=f"tanh({factor} t), repeated")
axes.set(title="The slope at 0 of a chain", xlabel="number of steps", ylabel="derivative")
axes.legend(fontsize=9)
plt.show()

# %% [markdown]
# ## Break it
#
# An integer has no slope. When a value is rounded to an integer on the way, the gradient is lost. `npc.grad` does not return a zero in silence: it says where.


# %%
def rounded_loss(p):
    steps = np.int64(p[0] * 10)
    return np.sum((steps * x - y) ** 2)


try:
    npc.grad(rounded_loss)(start)
except npc.GradientError as error:
    lost = error
print("line  ", lost.line, "column", lost.column)
print("reason", lost.reason)
print("hint  ", lost.hint)

# %% [markdown]
# ## Fix it
#
# Keep it a float, or say that the cut is meant, with `npc.stop_gradient`.


# %%
def float_loss(p):
    steps = p[0] * 10
    return np.sum((steps * x - y) ** 2)


def cut_loss(p):
    steps = np.floor(npc.stop_gradient(p[0]) * 10)
    return np.sum((steps * x - y) ** 2) + p[1] ** 2


print("float:", npc.grad(float_loss)(start))
print("cut:  ", npc.grad(cut_loss)(start + 1))
assert npc.grad(float_loss)(start)[0] != 0
assert npc.grad(cut_loss)(start + 1).tolist() == [0.0, 2.0]

# %% [markdown]
# ## Measure
#
# How long does a gradient take, as a multiple of the function? Finite differences need two runs for each input. The tape needs a fixed number, whatever the number of inputs. A function that only computes is compiled in the background, value and gradient as one graph.


# %% tags=["times"]
def energy(u):
    return np.sum(np.tanh(u) ** 2 + 0.5 * np.cos(u) * u)


def best(f, u, repeats=7):
    times = []
    for _ in range(repeats):
        began = perf_counter()
        f(u)
        times.append(perf_counter() - began)
    return min(times)


u = rng.normal(size=200_000)
both = npc.value_and_grad(energy)
for _ in range(5):
    both(u)
npc.wait()
for _ in range(5):  # the compiled form is checked, timed, and kept if it is faster
    both(u)
function, gradient = best(energy, u), best(both, u)
print(f"the function               {1e3 * function:8.2f} ms")
print(f"value and gradient         {1e3 * gradient:8.2f} ms, {gradient / function:.1f} times")
print(f"finite differences, about  {1e3 * function * 2 * u.size:8.0f} ms")
assert gradient < 20 * function

# %% [markdown]
# The answer to the question in the beginning: less than twenty times as long here, not a million. (Compiled, value and gradient together can even be faster than the function in NumPy.) The factor does not depend on the number of inputs. That is why one can train models with billions of parameters.

# %% [markdown]
# ## Exercises
#
# ### Exercise 1: teach the engine
#
# Our engine cannot compute `exp`. Write the method. It needs one line for the value, and one function that passes the gradient on.


# %% tags=["exercise"]
def exp(self):
    return Var(np.exp(self.value), [(self, lambda g: g * 0.0)])


# %% tags=["check"]
Var.exp = exp


def engine_gradient(at):
    t = Var(at)
    backwards((t.exp() * t).sum())
    return t.gradient


check(
    lambda: np.allclose(
        engine_gradient([0.3, -1.0]),
        npc.grad(lambda t: np.sum(np.exp(t) * t))(np.array([0.3, -1.0])),
    ),
    "the slope of exp at t is exp(t)",
)

# %% [markdown] tags=["solution"]
# <details><summary>Solution</summary>
#
# ```python
# def exp(self):
#     value = np.exp(self.value)
#     return Var(value, [(self, lambda g: g * value)])
# ```
# </details>

# %% [markdown]
# ### Exercise 2: a starting value
#
# A ball is thrown at angle `angle` (radians) with `speed`. How far it flies comes out of a loop with small time steps. Find the angle at which it flies farthest, with gradient steps. Nothing in `distance` may be changed.


# %%
def distance(angle, speed=20.0, step=0.01):
    vx, vy = speed * np.cos(angle), speed * np.sin(angle)
    x, y = 0.0, 1.5
    while y > 0:
        before = x, y
        drag = 0.01 * np.sqrt(vx**2 + vy**2)
        vx, vy = vx - step * drag * vx, vy - step * (9.81 + drag * vy)
        x, y = x + step * vx, y + step * vy
    part = before[1] / (before[1] - y)  # where it crosses the ground
    return before[0] + part * (x - before[0])


# %% tags=["exercise"]
best_angle = 0.2

# %% tags=["check"]
check(
    lambda: distance(best_angle, 20.0, 0.05)
    > max(distance(angle, 20.0, 0.05) for angle in np.linspace(0.2, 1.4, 121)) - 0.01,
    "walk uphill: angle = angle + 0.01 * npc.grad(distance)(angle, 20.0, 0.05)",
)

# %% [markdown] tags=["solution"]
# <details><summary>Solution</summary>
#
# ```python
# best_angle = 0.2
# for _ in range(25):
#     best_angle = best_angle + 0.01 * npc.grad(distance)(best_angle, 20.0, 0.05)
# ```
#
# With larger time steps (0.05) the loop is short, and the tape, too. The gradient goes through the `while`: the test is decided by the values, the arithmetic is followed. It never becomes exactly zero: where the number of rounds changes, the slope jumps a little. That is a kink.
# </details>

# %% [markdown]
# ### Exercise 3: find the lost gradient
#
# This loss should have a gradient with respect to `p`, but raises a `GradientError`. Mend `model` so that the result stays nearly the same and the gradient flows.


# %% tags=["exercise"]
def model(p):
    levels = (np.exp(p) * 100).astype(int) / 100
    return np.sum(levels**2)


# %% tags=["check"]
somewhere = np.array([0.1, 0.7])
check(
    lambda: np.allclose(npc.grad(model)(somewhere), 2 * np.exp(somewhere) ** 2, rtol=0.02)
    and np.isclose(model(somewhere), np.sum(np.exp(somewhere) ** 2), rtol=0.02),
    "what makes integers?",
)

# %% [markdown] tags=["solution"]
# <details><summary>Solution</summary>
#
# ```python
# def model(p):
#     levels = np.exp(p)
#     return np.sum(levels**2)
# ```
#
# `np.floor` instead of `astype(int)` raises nothing, but its slope is zero almost everywhere: then the gradient is zero, by definition, and the gradient view notes it.
# </details>

# %% [markdown]
# ## What you can do now
#
# - Estimate a gradient, and say why the estimate loses digits.
# - Explain a tape, and write a small engine with one.
# - Get gradients of unmodified NumPy, and read the gradient view.
# - Recognise kinks, vanishing and exploding gradients, and a gradient that is lost.
#
# **Next:** notebook 6 goes beyond the gradient.
