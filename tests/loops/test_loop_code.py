"""What the runtime finds in a translated loop: its inputs, and what a run has printed."""

from __future__ import annotations

import numpy as np
import pytest

from jupyter_npcompile.loops.loop_code import LoopCode
from jupyter_npcompile.loops.records import Step
from jupyter_npcompile.runtime.loop_check import Prediction
from jupyter_npcompile.runtime.loop_form import Form
from tests.loops.test_program import translated

PLACES = {"p.dt": ("p", Step(dict, "dt"))}


def test_values_are_looked_up_by_name_or_path() -> None:
    code = LoopCode("", ("x", "p.dt"), (), {}, (), (), (), paths=PLACES)
    assert code.values({"x": 1, "p": {"dt": 0.5}}) == [1, 0.5]
    for names in ({"x": 1}, {"x": 1, "p": {}}, {"p": {"dt": 0.5}}):
        with pytest.raises(LookupError):
            code.values(names)


def test_what_is_printed_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    code = LoopCode("", (), (), {}, (), (), (), printed=["one\n", "two"])
    code.show()
    code.show()
    assert capsys.readouterr().out == "one\ntwo"


def test_inputs_and_outputs_of_a_translated_loop() -> None:
    code = translated("for i in range(9):\n    t = a[i]\n    b[i] = t", a=np.ones(9), b=np.ones(9))
    assert set(code.inputs) == {"a", "b"}
    assert set(code.outputs) == {"i", "t"}
    assert code.values({"a": 1, "b": 2}) == [{"a": 1, "b": 2}[name] for name in code.inputs]
    assert code.written == ("b",)
    assert not code.draws_legacy


def test_single_precision_leaves_fewer_digits() -> None:
    text = "for i in range(9):\n    t = np.sqrt(a[i:]).mean() * 2.0"
    one = translated(text, a=np.ones(9, np.float32))
    assert one.precision == float(np.finfo(np.float32).eps)
    other = translated(text, a=np.ones(9))
    assert other.precision == float(np.finfo(np.float64).eps)


def test_a_number_that_was_computed_with_fewer_digits_is_compared_with_fewer() -> None:
    text = "for i in range(9):\n    s = a.sum()\n    t = float(s)"
    code = translated(text, a=np.ones(9, np.float32))
    form = Form(code, lambda *_: None, None)
    said = Prediction(form, {"t": 1.0 + 3e-7}, [], 1.0, 0)
    assert said.differences({"t": 1.0}) == []
    assert said.differences({"t": 1.0 + 1e-3}) != []
