"""``try`` in native code: whatever raises is Python's, from the beginning."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jupyter_npcompile.loops.kinds import Declined
from tests.loops.test_program import translated
from tests.runtime.dispatch.test_whole_function import whole
from tests.support.loops.native_loops import define, differences, outcome

TEXT = """
def f(a, n, d):
    t, failed, done = 0.0, 0, 0
    for i in range(n):
        try:
            a[i] += 1.0
            print(i)
            t += 1.0 / d
            if i > 5:
                raise ValueError(i)
        except ZeroDivisionError:
            failed += 1
            continue
        except (IndexError, ValueError) as error:
            t = -1.0
            break
        else:
            done += 1
        finally:
            t += 2.0
    return t, failed, done, a
"""


def test_handlers_are_pythons(capsys: Any) -> None:
    function = define(TEXT)
    made, state = whole(function, [np.ones(4), 3, 2.0])
    assert not state.closed, state.closed
    (form,) = state.forms
    form.checked = True
    ran = []
    for n, d in ((3, 2.0), (3, 0.0), (4, 1.0), (5, 1.0), (8, 1.0), (0, 0.0)):
        form.refusals = form.iterations = 0
        outcomes, printed = [], []
        for called in (function, made):
            outcomes.append(outcome(called, [np.ones(8 if n > 5 else 4), n, d]))
            printed.append(capsys.readouterr().out)
        assert not differences(*outcomes)
        assert printed[0] == printed[1]
        ran.append(form.iterations)
    assert ran == [1, 0, 1, 0, 0, 1]


@pytest.mark.parametrize(
    ("handler", "reason"),
    [
        ("except: t = 1", "every exception"),
        ("except Exception: t = 1", "Exception, by which one may be interrupted"),
        ("except (ValueError, KeyboardInterrupt): t = 1", "may be interrupted"),
        ("except TimeoutError: t = 1", "may be interrupted"),
        ("finally: t = 2", "a jump out of a try"),
        ("except ValueError: t = nothing.at.all", ""),
        ("except np.linalg.LinAlgError: t = 1\n    finally: pass", ""),
    ],
)
def test_what_it_may_hold(handler: str, reason: str) -> None:
    text = f"for i in range(9):\n    try:\n        t = 2 * i\n        if t: break\n    {handler}"
    if not reason:
        translated(text, np=np)
        return
    with pytest.raises(Declined, match=reason):
        translated(text, np=np)
