"""Tables, dates, records, texts and other things that are more than numbers."""

import numpy as np


def records(n, seed):
    rng = np.random.default_rng(seed)
    people = np.zeros(n, dtype=[("name", "U8"), ("age", "i4"), ("height", "f8")])
    people["name"] = [f"p{k}" for k in range(n)]
    people["age"] = rng.integers(10, 90, n)
    people["height"] = rng.normal(1.7, 0.1, n)
    order = np.sort(people, order=["age", "name"])
    adults = people[people["age"] >= 18]
    return people, order["name"], adults["height"].mean(), people["age"] * 2 + 1


def group_means(keys, values):
    groups, inverse = np.unique(keys, return_inverse=True)
    sums = np.bincount(inverse, weights=values)
    counts = np.bincount(inverse)
    table = {str(g): m for g, m in zip(groups, sums / counts)}
    spread = {g: values[inverse == k].std() for k, g in enumerate(groups.tolist())}
    return table, spread, max(table, key=table.get)


def days(start, n, values):
    dates = np.arange(start, n, dtype="datetime64[D]")
    weekday = (dates.astype("int64") - 4) % 7
    weekend = weekday >= 5
    gaps = np.diff(dates)
    by_day = np.array([values[weekday == k].sum() for k in range(7)])
    return dates[weekend][:2], gaps[0], by_day, values[~weekend].mean(), str(dates[0])


def masked(x, limit):
    m = np.ma.masked_greater(x, limit)
    y = x * 2
    return m.mean(), m.count(), m.filled(0).sum(), y.sum(), np.ma.median(m)


def missing(table):
    known = ~np.isnan(table)
    filled = np.where(known, table, np.nanmean(table, axis=0))
    complete = table[known.all(axis=1)]
    share = known.mean(axis=0)
    print(f"{(~known).sum()} missing, {len(complete)} complete rows")
    # A median of zeros of both signs may have either.
    return filled, complete, share, np.nanmedian(table) + 0.0


def columns(table, names):
    data = {name: table[:, k] for k, name in enumerate(names)}
    data["sum"] = sum(data[name] for name in names)
    data["scaled"] = (data["sum"] - data["sum"].mean()) / data["sum"].std()
    best = {name: int(column.argmax()) for name, column in data.items()}
    for name, column in data.items():
        print(f"{name:>8} {column.mean():8.3f} {column.max():.2e}")
    return data, best


def returns(prices):
    r = np.diff(prices) / prices[:-1]
    log = np.diff(np.log(prices))
    growth = np.cumprod(1 + r)
    peak = np.maximum.accumulate(prices)
    drawdown = (prices - peak) / peak
    volatility = log.std(ddof=1) * np.sqrt(252)
    at = drawdown.argmin()
    return r, growth, drawdown[at], prices[: at + 1].argmax(), volatility, r[r < 0].mean()


def crossover(prices, short, long):
    ones = np.ones
    s = np.convolve(prices, ones(short) / short, "valid")[long - short :]
    lo = np.convolve(prices, ones(long) / long, "valid")
    signal = np.where(s > lo, 1, -1)
    trades = np.flatnonzero(signal[1:] != signal[:-1])
    profit = (signal[:-1] * np.diff(prices[long - 1 :])).sum()
    return signal, trades, profit


def binomial_tree(s, k, r, sigma, t, n):
    dt = t / n
    u = np.exp(sigma * np.sqrt(dt))
    p = (np.exp(r * dt) - 1 / u) / (u - 1 / u)
    prices = s * u ** np.arange(n, -n - 1, -2.0)
    values = np.maximum(k - prices, 0)
    for step in range(n - 1, -1, -1):
        prices = prices[:-1] / u
        values = np.exp(-r * dt) * (p * values[:-1] + (1 - p) * values[1:])
        values = np.maximum(values, k - prices)
    return values[0], p


def text_table(x):
    with np.printoptions(precision=3, suppress=True, linewidth=60):
        print(x)
        text = str(x * 1000)
    short = np.array2string(x.ravel()[:4], precision=2, separator=", ")
    return text, short, f"{x.sum():.3f}", f"{x.shape}", repr(x[0])


def letters(text):
    codes = np.frombuffer(text.encode(), dtype=np.uint8)
    letter = codes[(codes >= 97) & (codes <= 122)] - 97
    counts = np.bincount(letter, minlength=26)
    shifted = (letter + 3) % 26 + 97
    return counts, shifted.tobytes().decode(), "".join(map(chr, shifted)), counts.argmax()


def words(texts):
    a = np.array(texts)
    lengths = np.char.str_len(a)
    upper = np.char.upper(a)
    values, counts = np.unique(a, return_counts=True)
    return upper, lengths.mean(), values[counts.argmax()], a == values[0], a[np.argsort(lengths)]


def objects(n):
    a = np.empty(n, dtype=object)
    for k in range(n):
        a[k] = list(range(k))
    lengths = np.array([len(v) for v in a])
    return a, lengths, lengths.sum(), [v[-1] if v else None for v in a]


def two_by_two(x):
    m = np.asmatrix(x)
    y = x @ x
    return m * m, y, (m.T * m).A1, np.asarray(m)[0]


def buffers(x):
    view = memoryview(x)
    raw = x.tobytes()
    back = np.frombuffer(raw, dtype=x.dtype).reshape(x.shape)
    bits = x.view(np.uint8)[..., :2]
    y = back + x
    return view.nbytes, back, bits, y, back.flags.writeable


def parse(lines):
    rows = []
    for line in lines:
        try:
            rows.append([float(part) for part in line.split(",")])
        except ValueError as error:
            print("skipped:", error)
    table = np.array(rows)
    return table, table.mean(axis=0), table[table[:, 0] > 1]


def pivot(rows, columns, values):
    r, ri = np.unique(rows, return_inverse=True)
    c, ci = np.unique(columns, return_inverse=True)
    table = np.zeros((len(r), len(c)))
    np.add.at(table, (ri, ci), values)
    count = np.zeros(table.shape, int)
    np.add.at(count, (ri, ci), 1)
    with np.errstate(invalid="ignore"):
        mean = table / count
    return table, mean, table.sum(0), r, c


def _holes(rng, n):
    x = rng.normal(size=(n, 3))
    x[rng.random((n, 3)) < 0.2] = np.nan
    x[0] = 1
    return x


PROGRAMS = {
    records: lambda rng, n: (n, n),
    group_means: lambda rng, n: (rng.choice(["a", "b", "c"], n), rng.random(n)),
    days: lambda rng, n: ("2024-01-01", np.datetime64("2024-01-01") + n, rng.random(n)),
    masked: lambda rng, n: (rng.random(n), 0.7),
    missing: lambda rng, n: (_holes(rng, n),),
    columns: lambda rng, n: (rng.random((n, 3)), ["a", "b", "c"]),
    returns: lambda rng, n: (100 * np.exp(np.cumsum(rng.normal(0, 0.1, n))),),
    crossover: lambda rng, n: (100 + np.cumsum(rng.normal(size=n + 6)), 2, 5),
    binomial_tree: lambda rng, n: (100.0, 95.0 + n, 0.05, 0.2, 1.0, n),
    text_table: lambda rng, n: (rng.normal(size=(n % 5 + 1, 3)),),
    letters: lambda rng, n: ("the quick brown fox jumps"[:n],),
    words: lambda rng, n: (list(rng.choice(["ab", "b", "cde"], n)),),
    objects: lambda rng, n: (n,),
    two_by_two: lambda rng, n: (rng.random((n, n)),),
    buffers: lambda rng, n: (rng.random((n, 2)),),
    parse: lambda rng, n: ([f"{k},{k * n}" for k in range(n)] + ["x,1"],),
    pivot: lambda rng, n: (rng.integers(0, 3, n), rng.integers(0, 4, n), rng.random(n)),
}
