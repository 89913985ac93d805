"""Signals: transforms, filters, sequences in time."""

import numpy as np


def dft(x):
    n = len(x)
    k = np.arange(n)
    matrix = np.exp(-2j * np.pi * np.outer(k, k) / n)
    spectrum = matrix @ x
    return spectrum, np.abs(spectrum) ** 2 / n, np.allclose(spectrum, np.fft.fft(x))


def fft_recursive(x):
    n = len(x)
    if n <= 2:
        return np.array([x[0] + x[1], x[0] - x[1]]) if n == 2 else np.asarray(x, dtype=complex)
    even, odd = fft_recursive(x[::2]), fft_recursive(x[1::2])
    turned = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
    return np.concatenate([even + turned, even - turned])


def moving_average(x, width):
    total = np.cumsum(x, dtype=float)
    total[width:] = total[width:] - total[:-width]
    valid = total[width - 1 :] / width
    same = np.convolve(x, np.ones(width) / width, mode="same")
    return valid, same, np.correlate(x, np.ones(width), "valid")


def exponential_smoothing(x, alpha):
    out = np.empty_like(x)
    out[0] = x[0]
    for t in range(1, len(x)):
        out[t] = alpha * x[t] + (1 - alpha) * out[t - 1]
    return out


def iir(b, a, x):
    y = np.zeros_like(x)
    for n in range(len(x)):
        for k in range(len(b)):
            if n - k >= 0:
                y[n] += b[k] * x[n - k]
        for k in range(1, len(a)):
            if n - k >= 0:
                y[n] -= a[k] * y[n - k]
        y[n] /= a[0]
    return y


def spectrogram(x, width, hop):
    window = np.hanning(width)
    starts = range(0, len(x) - width + 1, hop)
    frames = np.array([x[s : s + width] * window for s in starts])
    power = np.abs(np.fft.rfft(frames, axis=1)) ** 2
    with np.errstate(divide="ignore"):
        decibel = 10 * np.log10(power / power.max())
    return np.maximum(decibel, -80), np.fft.rfftfreq(width, 1 / 100)


def peaks(x, height):
    inner = x[1:-1]
    found = (inner > x[:-2]) & (inner >= x[2:]) & (inner > height)
    places = np.where(found)[0] + 1
    if places.size == 0:
        print("no peaks")
        return places, None
    return places, x[places], np.diff(places).mean() if len(places) > 1 else 0


def zero_crossings(x):
    s = np.sign(x)
    s[s == 0] = 1
    at = np.nonzero(s[1:] != s[:-1])[0]
    exact = at - x[at] / (x[at + 1] - x[at])
    return exact, len(at)


def haar(x):
    out = []
    while len(x) > 1 and len(x) % 2 == 0:
        pairs = x.reshape(-1, 2)
        out.append((pairs[:, 0] - pairs[:, 1]) / np.sqrt(2))
        x = pairs.sum(axis=1) / np.sqrt(2)
    return x, out


def autocorrelation(x, lags):
    c = x - x.mean()
    var = c @ c
    return np.array([1.0 if k == 0 else (c[k:] @ c[:-k]) / var for k in range(lags)])


def lms(x, target, taps, mu):
    w = np.zeros(taps)
    errors = np.zeros(len(x))
    for n in range(taps, len(x)):
        window = x[n - taps : n][::-1]
        errors[n] = target[n] - w @ window
        w = w + 2 * mu * errors[n] * window
    return w, errors


def resample(t, x, step):
    at = np.arange(t[0], t[-1], step)
    linear = np.interp(at, t, x)
    index = np.searchsorted(t, at, side="right") - 1
    held = x[index]
    return at, linear, held, np.gradient(x, t)


def dtw(a, b):
    n, m = len(a), len(b)
    cost = np.full((n + 1, m + 1), np.inf)
    cost[0, 0] = 0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost[i, j] = abs(a[i - 1] - b[j - 1]) + min(
                cost[i - 1, j], cost[i, j - 1], cost[i - 1, j - 1]
            )
    return cost[n, m], cost[1:, 1:]


def quantise(x, bits):
    levels = 2**bits
    scaled = np.floor((x + 1) / 2 * levels)
    codes = np.clip(scaled, 0, levels - 1).astype(np.int8)
    back = (codes + 0.5) / levels * 2 - 1
    noise = np.mean((x - back) ** 2)
    return codes, back, 10 * np.log10(np.mean(x**2) / noise)


def goertzel(x, k):
    n = len(x)
    w = 2 * np.pi * k / n
    s1 = s2 = 0.0
    for sample in x:
        s1, s2 = sample + 2 * np.cos(w) * s1 - s2, s1
    return s1 * s1 + s2 * s2 - 2 * np.cos(w) * s1 * s2


def phase(x):
    spectrum = np.fft.fft(x)
    half = spectrum[: len(x) // 2]
    angle = np.angle(half)
    half[np.abs(half) < 1] = 0
    return np.unwrap(angle), half.real, half.imag, np.fft.ifft(spectrum).real


def delay_lines(x, delays, gains):
    out = x.copy()
    for d, g in zip(delays, gains):
        if d == 0:
            out += g * x
        elif d < len(x):
            out[d:] += g * out[:-d]
    peak = np.abs(out).max(initial=0)
    return out / peak if peak > 1 else out


PROGRAMS = {
    dft: lambda rng, n: (rng.normal(size=n),),
    fft_recursive: lambda rng, n: (rng.normal(size=2 ** (n % 4 + 1)),),
    moving_average: lambda rng, n: (rng.normal(size=n + 3), 3),
    exponential_smoothing: lambda rng, n: (rng.normal(size=n), 0.3),
    iir: lambda rng, n: (rng.normal(size=3), np.array([1.0, -0.5, 0.1]), rng.normal(size=n)),
    spectrogram: lambda rng, n: (rng.normal(size=4 * n), 8, 3),
    peaks: lambda rng, n: (rng.normal(size=n), 0.2),
    zero_crossings: lambda rng, n: (rng.normal(size=n),),
    haar: lambda rng, n: (rng.normal(size=4 * n),),
    autocorrelation: lambda rng, n: (rng.normal(size=n), 4),
    lms: lambda rng, n: (rng.normal(size=n), rng.normal(size=n), 3, 0.01),
    resample: lambda rng, n: (np.cumsum(rng.random(n) + 0.1), rng.normal(size=n), 0.25),
    dtw: lambda rng, n: (rng.normal(size=n), rng.normal(size=n + 2)),
    quantise: lambda rng, n: (rng.uniform(-1.1, 1.1, n), 4),
    goertzel: lambda rng, n: (rng.normal(size=n), 3),
    phase: lambda rng, n: (rng.normal(size=2 * n),),
    delay_lines: lambda rng, n: (rng.normal(size=n), [0, 2, 5, 100], [0.5, 0.3, -0.2, 9]),
}
