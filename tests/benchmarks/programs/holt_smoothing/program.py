"""Exponential smoothing of many series, with a trend.

Holt's linear method (1957): a level and a trend for each series, one step of
time after the other; the result is the forecast for the next step, and the
mean squared error of the forecasts.
"""

import numpy as np

CLASS = "recurrences along an axis"
SIZES = {
    "small": {"steps": 40, "series": 50},
    "medium": {"steps": 500, "series": 3_000},
    "large": {"steps": 2_000, "series": 10_000},
}
RTOL, ATOL = 1e-10, 1e-12

ALPHA, BETA = 0.4, 0.1


def make(steps, series):
    rng = np.random.default_rng(22)
    slopes = rng.normal(size=series)
    return (np.arange(steps)[:, None] * slopes + rng.normal(size=(steps, series)),)


def run(values):
    level = values[0].copy()
    trend = values[1] - values[0]
    squares = np.zeros_like(level)
    for t in range(1, len(values)):
        forecast = level + trend
        squares += (values[t] - forecast) ** 2
        new = ALPHA * values[t] + (1 - ALPHA) * forecast
        trend = BETA * (new - level) + (1 - BETA) * trend
        level = new
    return level + trend, squares / (len(values) - 1)


def bytes_moved(steps, series):
    return 8 * steps * series


def check(result, values):
    forecast, errors = result
    assert np.corrcoef(forecast, values[-1])[0, 1] > 0.99
    assert np.all(errors > 0)
