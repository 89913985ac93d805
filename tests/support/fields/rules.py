"""Small programs in which a rule of Python or NumPy decides what comes out."""

import math

import numpy as np


def fails_late(x, k):
    for i in range(len(x)):
        x[i] *= 2
        if i == 2:
            print("third", x[i])
    return x[len(x) + k]


def warns_late(x, y):
    x += 1
    x[0] = 3
    y[:] = np.cumsum(x)
    return np.log(y - y[0])


def draws_then_fails(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    total = 0.0
    for k in range(n):
        total += x[k] * rng.random()
    if n % 2:
        raise RuntimeError(f"odd: {n}")
    return total, rng.integers(0, 100)


def legacy_draws_and_logs(n):
    x = np.random.rand(n)
    np.random.shuffle(x)
    return np.log(x - x.min()), np.random.randint(0, 9, 3)


def generator_arguments(seed, n):
    state = seed
    out = np.empty(n)
    for k in range(n):
        state = (6364136223846793005 * state + 1442695040888963407) % 2**64
        out[k] = (state >> 11) / 2**53
    return out, state


def fibonacci(n):
    a, b = 0, 1
    values = np.zeros(n, dtype=object)
    for k in range(n):
        values[k] = a
        a, b = b, a + b
    return values, a, math.factorial(n)


def fibonacci_doubles(n):
    a = np.zeros(n)
    a[:2] = 1
    for k in range(2, n):
        a[k] = a[k - 1] + a[k - 2]
    ratio = a[1:] / a[:-1]
    power = 1
    for _ in range(n * 8):
        power *= 3
    return a, ratio, power


def modular(base, exponent, modulus):
    result = 1
    base %= modulus
    while exponent > 0:
        if exponent & 1:
            result = result * base % modulus
        base = base * base % modulus
        exponent >>= 1
    return result, pow(7, 13, modulus), divmod(-7, 3), -7 // 2, -7 % 3, 7 % -3


def last_one(x):
    for i in range(len(x)):
        last = x[i]
    return last, i


def nested_ends(a, target):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] > target:
                break
        else:
            continue
        break
    else:
        return None
    while j > 0:
        j -= 1
        if a[i, j] < 0:
            break
    else:
        return i, "all positive"
    return i, j


def scalar_rules(x, k):
    a, b = x[0], x[1]
    return (
        a / b,
        a // b,
        a % b,
        a**2,
        a**0.5,
        -a,
        abs(a),
        round(a),
        round(a, 2),
        a > b,
        not a,
        a and b,
        a or b,
        a == b,
        bool(a),
        float(a),
        x[k] + 1,
        1 - x[k],
        2**a,
        x[0] * 1j,
        max(a, b),
        min(a, b),
        divmod(a, b),
        a.item(),
        a.dtype.name,
        np.float64(3) / 2,
        7 / 2,
    )


def conversions(x):
    found = []
    for v in x:
        try:
            found.append((int(v), math.floor(v), round(v), f"{v:.2f}", f"{v!r}", str(v)))
        except (ValueError, OverflowError) as error:
            found.append((type(error).__name__, str(error)))
    return found, [int(v) for v in np.nan_to_num(x[:2])], x.tolist()


def math_errors(x):
    found = []
    for v in x:
        try:
            found.append(math.sqrt(v) + math.log(v) + math.exp(v * 100))
        except ValueError:
            found.append(-1.0)
        except OverflowError:
            found.append(-2.0)
    return found


def python_powers(n):
    x = n - 9.5
    y = x**0.5
    z = (-8) ** (1 / 3)
    return x, y, z, 2**-n, 0.0**0, (-2.0) ** 3, 10**n, n**2.0


def divisions(n, d):
    found = []
    for k in range(n):
        try:
            found.append(k / (k - d) + k // (k - d) + k % (k - d))
        except ZeroDivisionError as error:
            found.append(str(error))
    return found


def builtins_on_arrays(x):
    return (
        sum(x),
        max(x),
        min(x),
        sorted(x)[:2],
        any(x > 0),
        all(x > 0),
        len(x),
        abs(x).sum(),
        [*reversed(x)][:2],
        list(enumerate(x[:2], 1)),
        list(zip(x, range(2))),
        round(sum(x), 3),
        max(x, key=abs),
        sum(v > 0 for v in x),
        min(x, default=0),
        max(0.5, *x),
        sum(x, 10),
    )


def methods(x):
    y = x.copy()
    y.sort()
    z = np.zeros_like(x)
    z.fill(x.max())
    z.put([0, -1], [7, 8])
    w = x.repeat(2).reshape(2, -1)
    v = x.take([0, 0, 1], mode="clip")
    y.clip(0, 1, out=y)
    u = x.astype(int).astype(str)
    w.flat[1] = -5
    x.partition(1)
    return y, z, w, v, u, x.min(), x.argsort().tolist(), x.item(0), x.nbytes, x.searchsorted(0)


def real_and_imaginary(z):
    w = z * 1j + 1
    w.real[0] = 5
    w.imag *= 2
    return w, w.conj(), abs(w), np.angle(w), w.real.sum(), w * w.conj(), w.view(float).shape


def repeated_indices(x, i):
    a, b, c = np.zeros(8), np.zeros(8), np.zeros(8)
    a[i] += x
    np.add.at(b, i, x)
    np.maximum.at(c, i, x)
    c[i] = x
    np.subtract.at(a, i[::2], 1)
    return a, b, c, np.bincount(i, x, 8)


def masks(x, y):
    x[x > y] = y[x > y]
    x[np.isnan(x)] = 0
    y[y < 0] **= 2
    x[~(y > 1)] += 10
    z = np.where(x > y)
    x[z] = -1
    return x, y, z, x[[True] + [False] * (len(x) - 1)], np.extract(x > 0, x)


def shifted(x):
    x[1:] = x[:-1]
    x[:-1] += x[1:]
    x[::-1] -= x
    x[2:], x[:-2] = x[:-2].copy(), x[2:].copy()
    x[:] = x[::-1]
    return x


def transposed_writes(a):
    b = a.T
    b[0] = 7
    a[:, 1] += b[1]
    a.ravel()[2] = -3
    c = a.reshape(-1)
    c[3] = 11
    d = b.reshape(-1)
    d[0] = 99
    a.T[...] += 1
    return a, b, c, d, a[::-1].base is a, c.base is a


def unsigned(x, k):
    y = x - k
    z = -x
    w = x.astype(np.uint8) - np.uint8(200)
    return y, z, w, x >> 1, x * 2, np.subtract(x, x[::-1]), np.diff(x), x.sum() - 1, ~x, x / 2


def wide_sums(x):
    y = x.astype(np.int8)
    return y.sum(), y.sum(dtype=np.int8), y + y, y.prod(), np.add.reduce(y), np.dot(y, y), y.mean()


def float32_rules(x):
    y = x.astype(np.float32)
    k = np.float32(3)
    return (
        y + 1,
        y * 2.5,
        y + k,
        y * np.float64(2),
        y.sum(),
        y.mean(),
        y / 3,
        y[0] * 2,
        y[0] + x[0],
        y**2,
        y @ y,
    )


def empty_cases(x):
    e = x[:0]
    found = [e.sum(), e.prod(), e.any(), e.all(), np.concatenate([e, x[:1]]), e.mean()]
    for call in (np.max, np.argmin, np.min):
        try:
            found.append(call(e))
        except ValueError as error:
            found.append(str(error))
    return found


def shapes_that_differ(a, b):
    total = 0
    for k in range(3):
        total = total + a * k
    return total + b[:-1]


def prints_numbers(x):
    for k in range(2):
        print(k, x[k], [x[k]], (float(x[k]), k), f"{x[k]:8.3f}|{k:03d}|{x[k]:.1e}|{x[k]!s}", -x[k])
    print(
        x[:3], [1.5, 2], {"a": x[0]}, x[0] > 0, None, "%5.2f %d" % (x[0], 3), sep=" / ", end="!\n"
    )
    print(np.float32(0.1), 1e20, 1e-7, 100000.0, 2**70, float("nan"), -0.0, 1 / 3)
    return None


def counts_in_place(text, letters):
    counts = np.zeros(len(letters), dtype=int)
    for c in text:
        if c in letters:
            counts[letters.index(c)] += 1
    return dict(zip(letters, counts.tolist())), counts


def logical(x, y):
    inside = (x > 0) & (y > 0) | (x < -1)
    ok = x.size > 2 and y.any() or None
    chain = 0 < x[0] < 1
    return inside, ok, chain, not inside.all(), inside.sum() if inside.any() else "none", x is y


PROGRAMS = {
    fails_late: lambda rng, n: (rng.random(n), 3),
    warns_late: lambda rng, n: (rng.random(n), np.zeros(n)),
    draws_then_fails: lambda rng, n: (n, n),
    legacy_draws_and_logs: lambda rng, n: (n,),
    generator_arguments: lambda rng, n: (n * 977, n),
    fibonacci: lambda rng, n: (12 * n,),
    fibonacci_doubles: lambda rng, n: (n,),
    modular: lambda rng, n: (3 + n, 1000 + n, 10**9 + 7),
    last_one: lambda rng, n: (rng.random(n),),
    nested_ends: lambda rng, n: (rng.normal(size=(n, 3)), 1.5),
    scalar_rules: lambda rng, n: (rng.random(n) + 0.1, -1),
    conversions: lambda rng, n: (rng.normal(size=n) * 3,),
    math_errors: lambda rng, n: (rng.normal(size=n) * 4,),
    python_powers: lambda rng, n: (n,),
    divisions: lambda rng, n: (n, 4),
    builtins_on_arrays: lambda rng, n: (rng.normal(size=n),),
    methods: lambda rng, n: (rng.normal(size=n),),
    real_and_imaginary: lambda rng, n: (rng.normal(size=n) + 1j * rng.normal(size=n),),
    repeated_indices: lambda rng, n: (rng.random(n), rng.integers(0, 5, n)),
    masks: lambda rng, n: (rng.normal(size=n), rng.normal(size=n)),
    shifted: lambda rng, n: (rng.random(n),),
    transposed_writes: lambda rng, n: (rng.random((n, 4)),),
    unsigned: lambda rng, n: (rng.integers(0, 500, n).astype(np.uint32), 3),
    wide_sums: lambda rng, n: (rng.normal(size=n) * 50,),
    float32_rules: lambda rng, n: (rng.normal(size=n),),
    empty_cases: lambda rng, n: (rng.random(n),),
    shapes_that_differ: lambda rng, n: (rng.random(n), rng.random(n + 1 + n % 2)),
    prints_numbers: lambda rng, n: (rng.normal(size=n),),
    counts_in_place: lambda rng, n: ("hello world"[:n], "lod"),
    logical: lambda rng, n: (rng.normal(size=n), rng.normal(size=n)),
}
