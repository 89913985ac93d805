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
# # 6 · Beyond the gradient
#
# ## Question
#
# A gradient says which way is down. What else can be asked of a function that a program computes: how it bends, what each single example wants, how a *solution* moves when the problem changes?
#
# At the end you will run time backwards: from the temperatures of a bar now, find those of an hour ago.

# %%
from statistics import NormalDist
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
# Rosenbrock's valley is a famous test: long, narrow, curved. From the same starting point, how many steps does Newton's method need to get to the bottom? Four hundred steps down the gradient do not get there.

# %%
my_guess = 100

# %% [markdown]
# ## Run
#
# ### Forwards: jvp
#
# A gradient runs the tape backwards: one output, all inputs. The other direction asks: how does *everything* change when the inputs move in *one* direction? That is a **jvp**, a Jacobian times a vector. One pass is enough, for any number of outputs.


# %%
def wave(p, t):
    """A swinging spring: amplitude, frequency, damping."""
    return p[0] * np.exp(-p[2] * t) * np.cos(p[1] * t)


t = np.linspace(0, 10, 200)
p = np.array([1.0, 3.0, 0.2])
direction = np.array([0.0, 1.0, 0.0])  # only the frequency moves
value, change = npc.jvp(lambda q: wave(q, t), (p,), (direction,))

h = 1e-6
difference = (wave(p + h * direction, t) - wave(p - h * direction, t)) / (2 * h)
assert np.allclose(change, difference, atol=1e-7)

figure, axes = plt.subplots(figsize=(6.6, 3.4))
axes.plot(t, value, label="the swing")
axes.plot(t, value + 0.05 * change, "--", label="predicted for frequency + 0.05")
axes.plot(t, wave(p + 0.05 * direction, t), ":", color="black", label="computed for it")
axes.set(title="One derivative for 200 outputs", xlabel="time (s)", ylabel="position (cm)")
axes.legend(fontsize=9)
plt.show()

# %% [markdown]
# ### How it bends: the Hessian, and Newton's method
#
# The **Hessian** is the table of second derivatives. It says how the slope changes. Newton's method uses it to jump to where the slope would be zero, if the bend stayed as it is.


# %%
def valley(q):
    return (1 - q[0]) ** 2 + 100 * (q[1] - q[0] ** 2) ** 2


slope, bend = npc.grad(valley), npc.hessian(valley)
newton = [np.array([-1.2, 1.0])]
while np.linalg.norm(slope(newton[-1])) > 1e-8 and len(newton) < 100:
    newton.append(newton[-1] - np.linalg.solve(bend(newton[-1]), slope(newton[-1])))

downhill = [newton[0]]
for _ in range(400):
    downhill.append(downhill[-1] - 0.001 * slope(downhill[-1]))

newton, downhill = np.array(newton), np.array(downhill)
print(f"Newton: {len(newton) - 1} steps, you guessed {my_guess}")
print(f"400 steps downhill are still {np.linalg.norm(downhill[-1] - 1):.2f} away")
assert len(newton) < 12 and np.allclose(newton[-1], 1)
assert np.linalg.norm(downhill[-1] - 1) > 0.5

# %%
figure, axes = plt.subplots(figsize=(6.6, 4))
left, up = np.meshgrid(np.linspace(-1.6, 1.6, 200), np.linspace(-3.5, 2.0, 220))
levels = np.geomspace(0.05, 3000, 16)
axes.contour(left, up, valley((left, up)), levels=levels, colors="grey", linewidths=0.6)
axes.plot(*downhill.T, ".-", markersize=2, label="400 steps downhill")
axes.plot(*newton.T, "o-", color="#cc3311", label="Newton")
axes.plot(1, 1, "k*", markersize=12, label="the bottom")
axes.set(title="Rosenbrock's valley", xlabel="x", ylabel="y", ylim=(-3.5, 2.0))
axes.legend(fontsize=9, loc="lower left")
plt.show()

# %% [markdown]
# ## Look
#
# ### One gradient for each example
#
# The gradient of a mean hides who pulls. `npc.vmap_grad` gives the gradient for each example. Here a line is fitted to points, and one of them is wrong. Which one?

# %%
rng = np.random.default_rng(4)
x = np.linspace(0, 1, 25)
y = 2 * x + 0.5 + 0.05 * rng.normal(size=x.size)
y[17] -= 1.5


def error_of_one(line, xi, yi):
    return (line[0] * xi + line[1] - yi) ** 2


line = np.polyfit(x, y, 1)
each = npc.vmap_grad(error_of_one, in_axes=(None, 0, 0))(line, x, y)
pull = np.linalg.norm(each, axis=1)
assert np.allclose(each.mean(axis=0), 0, atol=1e-12)  # together they balance
assert pull.argmax() == 17

figure, axes = plt.subplots(1, 2, figsize=(8.8, 3.3))
axes[0].plot(x, y, "o", markersize=4)
axes[0].plot(x, np.polyval(line, x), color="#cc3311")
axes[0].set(title="The best line", xlabel="x", ylabel="y")
axes[1].bar(range(x.size), pull, color="#4477aa")
axes[1].set(title="How much each point pulls", xlabel="number of the point")
axes[1].set(ylabel="size of its gradient")
figure.tight_layout()
plt.show()

# %% [markdown]
# And the gradient of the mean? In JupyterLab the last line opens a widget; elsewhere, a picture.

# %%
# %%npcompile --grad error --wrt line --quiet
error = np.mean((line[0] * x + line[1] - y) ** 2)

# %%
# %npcompile grad
assert np.allclose(grads["line"], 0, atol=1e-12)

# %% [markdown]
# Nothing but rounding. It is zero, because this line is the best one. Twenty-five pulls are hidden in it.
#
# ### The derivative of a solution
#
# Some values are not computed by a formula; they *solve an equation*. Where does a hanging weight come to rest? A stiffening spring pulls back with `k z + z³`, the weight with `m`. The place `z` solves `k z + z³ = m`. How does `z` move when `k` changes?
#
# Going through all steps of the solver works, but there is a better way: **implicit differentiation**. The equation stays true while `k` changes. So the change of its left side that comes from `k` must be undone by `z`: `dz/dk = -(∂F/∂k) / (∂F/∂z)`.


# %%
def balance(z, k, m):
    return k * z + z**3 - m


def rest(k, m):
    z = m / k
    for _ in range(20):  # Newton's method, in plain NumPy
        z = z - balance(z, k, m) / (k + 3 * z**2)
    return z


k, m = 2.0, 5.0
z = rest(k, m)
through_equation = -npc.grad(balance, 1)(z, k, m) / npc.grad(balance, 0)(z, k, m)
through_steps = npc.grad(rest)(k, m)
print("through the equation:", through_equation)
print("through all 20 steps:", through_steps)
assert np.isclose(through_equation, through_steps, rtol=1e-10)

# %% [markdown]
# ## Break it
#
# Often the solver is in a library, and nobody can follow its steps. Python's own `statistics` solves `Φ(z) = p`: which value `z` does a normally distributed number stay below with probability `p`? A gradient through it is lost, and that is an error, not a zero.

# %%
normal = NormalDist()


def quantile(p):
    return normal.inv_cdf(p)


def squared(p):
    return quantile(p) ** 2


try:
    npc.grad(squared)(0.9)
except npc.GradientError as error:
    lost = error
print(lost.reason)
print(lost.hint)

# %% [markdown]
# ## Fix it
#
# `npc.register_vjp` teaches the derivative of a function that is not followed. Implicit differentiation gives it, from the result alone. The slope of `Φ` is the bell curve, so `dz/dp` is one over the bell curve at `z`. In the code `g` is the gradient that arrives, and `z` the result.


# %%
def quantile_vjp(g, z, p):
    bell = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    return g / bell


_ = npc.register_vjp(quantile, quantile_vjp)
learned = npc.grad(squared)(0.9)
difference = (squared(0.9 + h) - squared(0.9 - h)) / (2 * h)
print("learned:          ", learned)
print("finite difference:", difference)
assert np.isclose(learned, difference, rtol=1e-6)

# %% [markdown]
# ## Measure
#
# A bar of metal was heated somewhere an hour ago. Now its temperatures are measured, with small errors. Where was it hot? Heat only spreads; to go back in time directly would blow up every error. Instead we *guess* a beginning, run time forwards, compare, and improve the guess by the gradient: an **inverse problem**.


# %% tags=["picture"]
cells, steps = 200, 25


def later(u):
    for _ in range(steps):
        u = u + 0.4 * (np.roll(u, 1) - 2 * u + np.roll(u, -1))
    return u


truth = np.zeros(cells)
truth[80:87], truth[96:104] = 80.0, 50.0
measured = later(truth) + 0.05 * rng.normal(size=cells)


def misfit(u):
    return np.sum((later(u) - measured) ** 2) + 1e-4 * np.sum(u**2)


value_and_grad = npc.value_and_grad(misfit)
guess, moving = measured.copy(), np.zeros(cells)
history = []
began = perf_counter()
for _ in range(100):
    value, gradient = value_and_grad(guess)
    moving = 0.9 * moving - 0.1 * gradient  # a heavy ball rolls downhill
    guess = np.maximum(guess + moving, 0.0)  # nothing was colder than the room
    history.append(value)
seconds = perf_counter() - began

figure, axes = plt.subplots(1, 2, figsize=(9.2, 3.5), width_ratios=[3, 2])
axes[0].plot(measured, color="grey", label="measured now")
axes[0].plot(truth, color="black", linewidth=1, label="an hour ago, the truth")
axes[0].plot(guess, color="#cc3311", label="an hour ago, found")
axes[0].set_xlim(50, 135)
axes[0].set(title="The inverse heat equation", xlabel="place (cells)", ylabel="above room (°C)")
axes[0].legend(fontsize=9)
axes[1].semilogy(history)
axes[1].set(title="The misfit", xlabel="step", ylabel="squared error (°C²)")
figure.tight_layout()
plt.show()
print(f"{1e3 * seconds / 100:.1f} ms for each gradient")
start_error, end_error = np.linalg.norm(measured - truth), np.linalg.norm(guess - truth)
print(f"error of the profile: {start_error:.0f} before, {end_error:.0f} after")
assert history[-1] < 0.03 * history[0] and end_error < 0.75 * start_error
assert measured[89:95].min() > 15 > 5 > guess[89:95].max()
assert 0.75 < guess[80:87].max() / truth[80] < 1.33
assert 0.75 < guess[96:104].max() / truth[96] < 1.33

# %% [markdown]
# In the measurement the two hot places have run into each other. In what was found they are apart again, and about as hot as they were. Their corners are round: the finest detail is lost for good. The gradient went through 25 steps of physics that nobody wrote with gradients in mind.
#
# What would finite differences have cost? Two runs for each of the 200 cells. Compare:

# %% tags=["times"]
began = perf_counter()
for _ in range(2 * cells):
    misfit(guess)
by_differences = perf_counter() - began
times = []
for _ in range(10):
    began = perf_counter()
    value_and_grad(guess)
    times.append(perf_counter() - began)
print(f"finite differences {1e3 * by_differences:7.1f} ms for one gradient")
print(f"npc.value_and_grad {1e3 * min(times):7.1f} ms for one gradient")
assert min(times) < by_differences

# %% [markdown]
# ## Exercises
#
# ### Exercise 1: a direction
#
# How fast does the *energy* of the swing, `np.sum(wave(p, t)**2)`, change when amplitude and damping both grow by the same small amount and the frequency stays? Use one `npc.jvp`, not a gradient.

# %% tags=["exercise"]
rate = ...

# %% tags=["check"]
check(
    lambda: np.isclose(
        rate, npc.grad(lambda q: np.sum(wave(q, t) ** 2))(p) @ np.array([1.0, 0.0, 1.0])
    ),
    "npc.jvp(f, (p,), (direction,)) gives the value and the change",
)

# %% [markdown] tags=["solution"]
# <details><summary>Solution</summary>
#
# ```python
# _, rate = npc.jvp(lambda q: np.sum(wave(q, t) ** 2), (p,), (np.array([1.0, 0.0, 1.0]),))
# ```
# </details>

# %% [markdown]
# ### Exercise 2: is it a minimum?
#
# The slope of `saddle` is zero at the origin. Is that a minimum? Give the *smallest* eigenvalue of the Hessian there. (Negative means: it bends down in some direction.)


# %%
def saddle(q):
    return q[0] ** 2 + 3 * q[0] * q[1] + q[1] ** 2 + q[0] ** 4


# %% tags=["exercise"]
smallest = ...

# %% tags=["check"]
check(
    lambda: np.isclose(smallest, np.linalg.eigvalsh(npc.hessian(saddle)(np.zeros(2)))[0]),
    "npc.hessian(saddle), then np.linalg.eigvalsh",
)

# %% [markdown] tags=["solution"]
# <details><summary>Solution</summary>
#
# ```python
# smallest = np.linalg.eigvalsh(npc.hessian(saddle)(np.zeros(2)))[0]
# ```
#
# It is -1: not a minimum. Going along `(1, -1)`, the function falls.
# </details>

# %%
assert np.isclose(np.linalg.eigvalsh(npc.hessian(saddle)(np.zeros(2)))[0], -1)

# %% [markdown]
# ### Exercise 3: a cube root, from its equation
#
# Somebody's library computes cube roots: `z` solves `z³ = a`. Register its vjp by implicit differentiation. Use only `g`, `z` and `a`, and no cube root.


# %%
def library_cbrt(a):  # text stands for code that cannot be followed
    return np.array([float(str(np.cbrt(float(value)))) for value in a])


# %% tags=["exercise"]
_ = npc.register_vjp(library_cbrt, lambda g, z, a: g * a)


# %% tags=["check"]
numbers = np.array([1.0, 8.0, 30.0])
check(
    lambda: np.allclose(
        npc.grad(lambda a: np.sum(library_cbrt(a)))(numbers),
        npc.grad(lambda a: np.sum(np.cbrt(a)))(numbers),
    ),
    "differentiate z**3 = a on both sides: 3 z**2 dz = da",
)

# %% [markdown] tags=["solution"]
# <details><summary>Solution</summary>
#
# ```python
# _ = npc.register_vjp(library_cbrt, lambda g, z, a: g / (3 * z**2))
# ```
# </details>

# %% [markdown]
# ## What you can do now
#
# - Choose between forwards (jvp, few inputs) and backwards (gradient, few outputs).
# - Use a Hessian, for Newton's method and to tell a minimum from a saddle.
# - See which example pulls.
# - Differentiate a solution through its equation, and teach a library function its derivative.
# - Solve an inverse problem with code that was written for the forward one.
#
# **Next:** notebook 7 asks what a GPU would change.
