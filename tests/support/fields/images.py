"""Images: filters, morphology, transforms, geometry."""

import numpy as np


def grey(rgb):
    y = rgb @ np.array([0.299, 0.587, 0.114])
    low, high = y.min(), y.max()
    if high == low:
        return np.zeros(y.shape, dtype=np.uint8)
    return ((y - low) / (high - low) * 255).round().astype(np.uint8)


def convolve(image, kernel):
    kh, kw = kernel.shape
    ph, pw = kh // 2, kw // 2
    padded = np.pad(image, ((ph, ph), (pw, pw)), mode="edge")
    out = np.zeros(image.shape)
    for i in range(kh):
        for j in range(kw):
            out += (
                kernel[kh - 1 - i, kw - 1 - j]
                * padded[i : i + image.shape[0], j : j + image.shape[1]]
            )
    return out


def sobel(image):
    kx = np.array([[1, 0, -1], [2, 0, -2], [1, 0, -1]])
    gx, gy = convolve(image, kx), convolve(image, kx.T)
    size = np.hypot(gx, gy)
    angle = np.rad2deg(np.arctan2(gy, gx)) % 180
    sector = np.digitize(angle, [22.5, 67.5, 112.5, 157.5]) % 4
    return size, sector, (size > size.mean()).astype(np.uint8) * 255


def gaussian_kernel(size, sigma):
    x = np.arange(size) - size // 2
    g = np.exp(-(x**2) / (2 * sigma**2))
    kernel = np.outer(g, g)
    return kernel / kernel.sum()


def blur(image, sigma):
    return convolve(image, gaussian_kernel(3, sigma)), gaussian_kernel(3, sigma)


def median_windows(image, size):
    windows = np.lib.stride_tricks.sliding_window_view(image, (size, size))
    return np.median(windows, axis=(-2, -1)), windows.max(axis=(2, 3)) - windows.min((2, 3))


def dilate(mask, times):
    for _ in range(times):
        grown = mask.copy()
        grown[1:, :] |= mask[:-1, :]
        grown[:-1, :] |= mask[1:, :]
        grown[:, 1:] |= mask[:, :-1]
        grown[:, :-1] |= mask[:, 1:]
        mask = grown
    border = mask & ~(np.roll(mask, 1, 0) & np.roll(mask, -1, 0))
    return mask, border.sum(), np.argwhere(mask)[:1]


def equalise(image):
    counts = np.bincount(image.ravel(), minlength=256)
    cdf = counts.cumsum()
    low = cdf[cdf > 0].min()
    table = np.clip((cdf - low) / max(image.size - low, 1) * 255, 0, 255).astype(np.uint8)
    return table[image], cdf[-1]


def otsu(image):
    counts, _ = np.histogram(image, bins=256, range=(0, 256))
    p = counts / counts.sum()
    omega = np.cumsum(p)
    mu = np.cumsum(p * np.arange(256))
    with np.errstate(divide="ignore", invalid="ignore"):
        between = (mu[-1] * omega - mu) ** 2 / (omega * (1 - omega))
    threshold = np.nanargmax(between)
    return threshold, image > threshold


def bilinear(image, rows, columns):
    h, w = image.shape
    y = np.linspace(0, h - 1, rows)
    x = np.linspace(0, w - 1, columns)
    y0 = np.floor(y).astype(int)
    x0 = np.floor(x).astype(int)
    y1, x1 = np.minimum(y0 + 1, h - 1), np.minimum(x0 + 1, w - 1)
    fy, fx = (y - y0)[:, None], (x - x0)[None, :]
    top = image[np.ix_(y0, x0)] * (1 - fx) + image[np.ix_(y0, x1)] * fx
    low = image[np.ix_(y1, x0)] * (1 - fx) + image[np.ix_(y1, x1)] * fx
    return top * (1 - fy) + low * fy


def rotate(points, degrees, centre):
    a = np.deg2rad(degrees)
    r = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    turned = (points - centre) @ r.T + centre
    return turned, np.linalg.det(r), np.column_stack([turned, np.ones(len(turned))])


def brightness(image, amount):
    brighter = image + np.uint8(amount)
    safe = np.clip(image.astype(np.int16) + amount, 0, 255).astype(np.uint8)
    inverted = 255 - image
    return brighter, safe, inverted, ~image, image // 2, image << 1


def integral(image, size):
    s = np.zeros((image.shape[0] + 1, image.shape[1] + 1), dtype=np.int64)
    s[1:, 1:] = image.cumsum(0).cumsum(1)
    k = size
    box = s[k:, k:] - s[:-k, k:] - s[k:, :-k] + s[:-k, :-k]
    return box / k**2, s


def dither(image):
    out = image.astype(float)
    h, w = out.shape
    for y in range(h - 1):
        for x in range(1, w - 1):
            old = out[y, x]
            new = np.round(old / 255) * 255
            out[y, x] = new
            error = old - new
            out[y, x + 1] += error * 7 / 16
            out[y + 1, x - 1] += error * 3 / 16
            out[y + 1, x] += error * 5 / 16
            out[y + 1, x + 1] += error / 16
    return out.clip(0, 255).astype("uint8")


def run_lengths(row):
    change = np.flatnonzero(np.diff(row)) + 1
    starts = np.r_[0, change]
    lengths = np.diff(np.append(starts, len(row)))
    return list(zip(row[starts].tolist(), lengths.tolist())), np.repeat(row[starts], lengths)


def blocks(image, size):
    h, w = image.shape[0] // size, image.shape[1] // size
    tiles = image[: h * size, : w * size].reshape(h, size, w, size).swapaxes(1, 2)
    means = tiles.mean(axis=(2, 3))
    return tiles, means, np.kron(means, np.ones((size, size)))


def mandelbrot(width, height, most):
    y, x = np.mgrid[-1.3 : 1.3 : height * 1j, -2 : 0.6 : width * 1j]
    c = x + 1j * y
    z = np.zeros_like(c)
    counts = np.zeros(c.shape, dtype=int)
    for k in range(most):
        active = np.abs(z) <= 2
        z[active] = z[active] ** 2 + c[active]
        counts[active] = k
    return counts, counts.max()


def _photo(rng, n):
    return rng.integers(0, 256, (n + 2, n + 3), dtype=np.uint8)


PROGRAMS = {
    grey: lambda rng, n: (rng.integers(0, 256, (n, n + 1, 3), dtype=np.uint8),),
    sobel: lambda rng, n: (rng.random((n + 2, n + 1)),),
    blur: lambda rng, n: (_photo(rng, n), 1.2),
    median_windows: lambda rng, n: (rng.random((n + 3, n + 2)), 3),
    dilate: lambda rng, n: (rng.random((n, n)) < 0.1, 2),
    equalise: lambda rng, n: (_photo(rng, n),),
    otsu: lambda rng, n: (_photo(rng, n),),
    bilinear: lambda rng, n: (rng.random((n, n + 1)), n + 3, 2 * n),
    rotate: lambda rng, n: (rng.normal(size=(n, 2)), 30, np.array([0.5, 0.25])),
    brightness: lambda rng, n: (_photo(rng, n), 77),
    integral: lambda rng, n: (_photo(rng, n), 2),
    dither: lambda rng, n: (_photo(rng, n),),
    run_lengths: lambda rng, n: (rng.integers(0, 2, 3 * n),),
    blocks: lambda rng, n: (rng.random((n + 1, n + 2)), 2),
    mandelbrot: lambda rng, n: (n + 2, n, 8),
}
