"""The numbers by which it is decided what runs, with their units."""

from __future__ import annotations

from jupyter_npcompile.dataclass import dataclass

SHORT = 1e-3
"""Seconds; a single sample that takes less says little."""

LONG = 0.05
"""Seconds; samples that take longer show after a few rounds who is faster, and rounds cost more."""

LONG_MARGINS = (1.3, 1.02)
"""The margins of a rule for such samples."""

APART = 4
"""Up to so many rounds, each sample of the winner must be shorter than all of the other."""

TICK = 1e-9
"""Seconds: nothing takes less."""


@dataclass(frozen=True, slots=True)
class Rule:
    """When the samples of two sides are enough.

    Parameters
    ----------
    margins : tuple of float
        How many times as fast one side must be after so many rounds; then the faster one wins.
    fewest : int
        Rounds at the least, of samples that are short.
    chances : int
        Rounds at the least for compiled code to lose: the first may have waited for memory that
        it keeps.
    dear : float
        Seconds that one more of these rounds may cost; if it costs more, it has lost.
    budget : float
        Seconds of samples that are enough, however close the sides are.
    limit : float
        Seconds of a single round that are.
    """

    margins: tuple[float, ...] = ()
    fewest: int = 1
    chances: int = 1
    dear: float = float("inf")
    budget: float = float("inf")
    limit: float = float("inf")


CALLS = Rule((5.0, 2.0, 1.12, 1.08, 1.06, 1.05, 1.04, 1.03), fewest=3, chances=2, dear=1.0)
"""Calls of a function, and runs of a cell: they go on, so a close result may become clear."""

SEGMENTS = Rule(CALLS.margins, fewest=3, chances=3, dear=0.03, budget=0.02, limit=0.01)
"""Compiled segments against NumPy, while the user's code waits."""

COLD = Rule((3.0,), fewest=2, chances=2)
"""The very first run of a segment and of NumPy: memory that is used for the first time costs NumPy
more, so only what is clear counts, and nobody loses."""

LOOPS = Rule((3.0, 3.0))
"""Runs of a native loop against what Python is known to take."""

GRADIENTS = Rule((1.1, 1.05), chances=2, dear=1.0)
"""Compiled gradients against the tape."""

# -- leases: calls that run on the side that has won

BRIEF_CALL = 500e-6
"""Seconds; to look at the arguments of each call that takes less would show."""

BLIND = 64
"""So many calls are made without a look then."""

LENT = 4096
"""So many more are where the sizes of arguments are looked at in another way."""

GLANCE = 8
"""After so many of them the clock is asked whether they take as little as they did."""

TIMING = 0.01
"""Part of the time that races may cost."""

LEAST, MOST = 64, 1 << 20
"""Calls between two races."""

FEWEST_LONG = 16
"""The least number of them after a race of long calls, which was short."""

ASSUMED = 8
"""Calls until the first race where a single call of NumPy has said who is faster: it may have
waited for memory."""

MAX_SIZES = 64
"""Sizes of arguments that are told apart."""

FREE = 2
"""Calls with guards, one after the other, that may show nothing, for something was recorded."""

LEARNING = 0.1
"""Part of the time that more of them may cost."""

STUBBORN = 16
"""After so many, only that `TIMING` of it that races may cost."""

# -- back-off: looks that were in vain

PATIENCE = 16
"""So often in a row one looks in vain before the first pause."""

SOON = 3
"""Calls in a row in which one looks in vain while something is being compiled."""

LONGEST = 4096
"""Executions without a look, at the most."""

WAITING = 64
"""The same while something is being compiled."""

HOPELESS = PATIENCE + 6
"""So often in a row one looks in vain before a loop goes on without guards."""

BRIEF = 50e-6
"""Seconds between two executions, above which guards hardly matter: a loop that would not
come back from its twin keeps them."""

AMPLE = 1e-3
"""The same for one that comes back, where a few guards are less than a hundredth of the time."""

# -- native loops: iterations that are timed, in Python and here

SAMPLES = 6
"""Attempts at timing iterations in Python in which nothing else happens."""

ENOUGH = 3
"""Iterations of Python's that are timed: the first are slow."""

BRIEF_ITERATION = 1e-3
"""Seconds of an iteration beyond which one is enough, or two where native code gains little."""

LONG_ITERATION = 1e-4
"""Seconds of an iteration in which arrays are so large that segments may be faster."""

TRIAL = 0.02
"""Seconds in Python of the iterations that run here to see what they take."""

FEWEST_TRIED = 4
"""Such iterations, at the least."""

NARROW = 1.5
"""The same where loops are in it: then it is hardly arrays that take the time."""

# -- turns of segments, where a native loop gains little over Python

FAR = 6.0
"""How many times as fast as Python it must be where iterations are long; else segments have
a turn."""

ALWAYS = float("inf")
"""The same where segments run on a device, which may be faster yet: they have the first turn."""

TURNS = 6
"""Runs in segments after which it is clear what they are worth: the first ones are checked."""

FEW, LASTING = 3, 0.5
"""The same where runs take long: so many, which have taken so many seconds together."""

WORTH = 1.1
"""How many times as fast as they it must be then."""

FAIR = 1.5
"""How many times as long as Python's own an iteration here may take for a whole run to be tried.

Where Python takes so many times as long as native code, that goes first."""

# -- gradients: the tape, and what is compiled of it

TAPES = 2
"""Calls on the tape before anything is recorded for replay."""

LONG_TAPES = 20
"""The same for what takes minutes to compile."""

VARIANTS = 4
"""Replays of one signature: other arguments, or what is closed over, may differ between calls."""

HELD = 256 << 20
"""Bytes that a recording may hold."""

# -- the allowance: what our own work may cost

AT_ONCE = 0.02
"""Seconds that the first run may lose."""

SHARE = 0.02
"""Part of its length that it may lose besides."""

GRACE = 0.01
"""Seconds besides for a recording that has begun: what it has done would be lost."""

LATER = 2
"""How many times as much later runs may lose, in which results are checked."""

RECORDING = 8
"""How many times as much later runs may lose to a recording that they have begun in time: it is
made once, and what it has done would be lost."""

ONCE = 0.3
"""Seconds that a run may lose to what is done once, where all runs together have earned them."""

PATIENT = 3
"""Runs with an allowance each: what runs more often must not have lost more than its share of all
the time since the first run, either. So what calls itself a thousand times in a millisecond has
not become worth seconds."""

EARNED = 0.02
"""Seconds that all runs together must have earned before a recording begins that may never be
needed, for all of the function may run natively: a second or so has passed then."""

COPIED = 5e8
"""Bytes that are copied in a second, into memory that is used for the first time."""
