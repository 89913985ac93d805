"""What a test changes ends with it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jupyter_npcompile.runtime.settings import settings


@pytest.fixture
def _raises() -> Iterator[None]:
    before, settings.first_run_check = settings.first_run_check, "raise"
    yield
    settings.first_run_check = before


@pytest.mark.usefixtures("_raises")
def test_a_patch_remembers_what_a_fixture_has_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """Undone when the fixture is over, it would bring that back."""
    monkeypatch.setattr(settings, "first_run_check", "off")
    assert settings.first_run_check == "off"


def test_and_the_next_one_hears_nothing_of_it() -> None:
    assert settings.first_run_check == "replace"
