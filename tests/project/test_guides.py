"""The guides are short, and name what there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.paths import CHECKOUT

PACKAGE = CHECKOUT / "jupyter_npcompile"
ROOTS = (CHECKOUT, PACKAGE, PACKAGE / "runtime", PACKAGE / "loops", PACKAGE / "autodiff")

WORDS = {
    "README.md": 1800,
    "CONTRIBUTING.md": 800,
    "docs/dev/architecture.md": 2500,
    **{
        f"docs/dev/{name}.md": 1200
        for name in (
            *("tracer", "compile", "dispatch", "loops", "devices", "autodiff"),
            *("testing", "glossary"),
        )
    },
}

GUIDES = (*WORDS, "docs/dev/core.md")


def text_of(name: str) -> str:
    """The text of a guide, without the programs in it."""
    text = (CHECKOUT / name).read_text(encoding="utf-8")
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", WORDS)
def test_a_guide_is_short(name: str) -> None:
    text = (CHECKOUT / name).read_text(encoding="utf-8")
    assert len(text.split()) <= WORDS[name]


def anchors(path: Path) -> set[str]:
    """What links can lead to in a page, as the places that show it name its headings."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", GUIDES)
def test_links_lead_somewhere(name: str) -> None:
    folder = (CHECKOUT / name).parent
    for link, anchor in re.findall(r"\]\(([^)#]*)(?:#([^)]+))?\)", text_of(name)):
        if "://" in link:
            continue
        target = folder / link if link else CHECKOUT / name
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), f"{link}#{anchor}"


@pytest.mark.parametrize("name", GUIDES)
def test_files_that_are_named_exist(name: str) -> None:
    """A path in backticks is one of the checkout, or of the room that the page is about."""
    named = set(re.findall(r"`([\w/.-]+\.(?:py|hpp|cpp|c|toml|sh|md))`", text_of(name)))
    known = {path.name for path in CHECKOUT.rglob("*") if path.suffix and ".venv" not in path.parts}
    missing = [
        path
        for path in sorted(named)
        if not any((root / path).exists() for root in ROOTS) and ("/" in path or path not in known)
    ]
    assert missing == []
