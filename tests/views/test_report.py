"""The object a user holds, and the bundle Jupyter gets."""

from __future__ import annotations

import json

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from jupyter_npcompile.views import MIME_TYPE, Report, mime_bundle, to_html, to_text
from tests.support.graph_examples import hostile_report, report


def test_same_attributes() -> None:
    data = report()
    shown = Report.of(data)
    assert shown.lines == data.lines
    assert shown.summary == data.summary
    assert shown.to_dict() == data.to_dict()
    assert Report.from_dict(data.to_dict()) == shown


def test_repr_is_the_text_form() -> None:
    assert repr(Report.of(report())) == to_text(report())


def test_bundle() -> None:
    bundle = mime_bundle(report())
    assert list(bundle) == ["text/plain", "text/html", MIME_TYPE]
    assert bundle["text/html"] == to_html(report())
    assert bundle["text/plain"] == to_text(report())
    assert "graph" not in bundle[MIME_TYPE]
    json.dumps(bundle, allow_nan=False)


def test_bundle_of_hostile_strings_is_json() -> None:
    json.dumps(mime_bundle(hostile_report()), allow_nan=False)


def test_formatters_choose() -> None:
    shown = Report.of(report())
    assert list(shown._repr_mimebundle_(include={"text/plain"})) == ["text/plain"]
    assert "text/html" not in shown._repr_mimebundle_(exclude={"text/html"})


def test_show_prints_in_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    Report.of(report()).show()
    assert "3 of 5 lines compiled" in capsys.readouterr().out


def test_show_displays_in_ipython() -> None:
    shell = InteractiveShell.instance()
    try:
        with capture_output() as captured:
            Report.of(report()).show()
    finally:
        shell.clear_instance()
    (output,) = captured.outputs
    assert MIME_TYPE in output.data
