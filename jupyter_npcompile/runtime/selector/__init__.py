"""The selector: which of two ways a piece of the user's code runs, as it was written or compiled.

Everything that is timed is a `race` of two sides, whose samples are judged by one rule and one
statistic. A `selector` holds one race for each size of what a function is called with, and a
lease: calls that run on the side that has won, until they are timed again. `back_off` says when
one looks again where looking has been in vain, and `allowance` what all of it may cost. The
numbers are in `thresholds`.
"""
