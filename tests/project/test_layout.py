"""The checkout as a whole: what is committed, packed and installed."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from tests.support.paths import CHECKOUT

FRONT_END = CHECKOUT / "labextension"
BUNDLE = CHECKOUT / "jupyter_npcompile" / "labextension"
TEMPLATES = CHECKOUT / "jupyter_npcompile" / "views" / "nbconvert" / "templates"
WIDGETS = CHECKOUT / "jupyter_npcompile" / "widgets" / "static"
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]

BUNDLE_INPUTS = ["package.json", "yarn.lock", "tsconfig.json", "src", "style", "schema"]

# Addresses and folders of the machines this is written on: they mean nothing
# elsewhere. Put together here, so that this file does not contain them.
HOSTS = ["registry." + name for name in ("npmjs.org", "yarnpkg.com")]
HOSTS += [name + ".org" for name in ("pypi", "files.pythonhosted", "download.pytorch")]
FOLDERS = ["/" + name for name in ("root", "opt/pypi", "opt/wheels", "work", "tmp/venv")]


def digest(base: Path, paths: list[Path]) -> str:
    """Compute what ``labextension/scripts/stamp.mjs`` computes when it builds."""
    hashed = hashlib.sha256()
    for name in sorted(path.relative_to(base).as_posix() for path in paths):
        hashed.update(name.encode() + b"\0" + (base / name).read_bytes() + b"\0")
    return hashed.hexdigest()


def files_below(path: Path) -> list[Path]:
    return [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]


def test_bundle_is_built_from_these_sources() -> None:
    sources = [file for name in BUNDLE_INPUTS for file in files_below(FRONT_END / name)]
    sources = [file for file in sources if not file.name.endswith(".spec.ts")]
    built = [file for file in files_below(BUNDLE) if file.name != "digests.json"]
    recorded = json.loads((BUNDLE / "digests.json").read_text())
    message = "run `make labextension` and commit what it builds"
    assert recorded["sources"] == digest(FRONT_END, sources), message
    assert recorded["bundle"] == digest(BUNDLE, built), message
    assert recorded["widgets"] == digest(WIDGETS, files_below(WIDGETS)), message
    (module,) = files_below(WIDGETS)
    assert module.stat().st_size < 100_000


def test_front_end_has_the_version_of_the_package() -> None:
    package = json.loads((FRONT_END / "package.json").read_text())
    assert package["version"] == PROJECT["version"]


def test_license_is_the_declared_one() -> None:
    assert PROJECT["license"] == "BSD-3-Clause"
    assert (CHECKOUT / "LICENSE").read_text().startswith("BSD 3-Clause License")


def test_package_says_it_is_typed() -> None:
    assert (CHECKOUT / "jupyter_npcompile" / "py.typed").is_file()


def tracked_files() -> list[Path]:
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=CHECKOUT, capture_output=True, text=True, check=False
    )
    if listing.returncode != 0:
        pytest.skip("not a git checkout")
    return [CHECKOUT / name for name in listing.stdout.split("\0") if name]


def test_no_tracked_file_names_this_machine() -> None:
    folders = "|".join(map(re.escape, [*FOLDERS, str(CHECKOUT)]))
    hosts = "|".join(map(re.escape, HOSTS))
    machine = re.compile(rf"{hosts}|(?<![\w.)}}\]*-])(?:{folders})/")
    found = []
    for path in tracked_files():
        if path.is_file():
            text = path.read_bytes().decode("utf-8", errors="replace")
            found += [f"{path.name}: {match.group()}" for match in machine.finditer(text)]
    assert found == []


def test_nothing_made_by_a_recipe_is_tracked() -> None:
    made = {".venv", "build", "node_modules", "__pycache__", ".ipynb_checkpoints"}
    names = [path.relative_to(CHECKOUT) for path in tracked_files()]
    assert [name for name in names if made & set(name.parts)] == []


def shared_files() -> dict[str, Path]:
    """What is installed for Jupyter: names below ``share/jupyter``, and where they are."""
    try:
        files = metadata.files("jupyter-npcompile") or []
    except metadata.PackageNotFoundError:
        pytest.skip("the package is not installed, only importable")
    names = {path.as_posix().partition("share/jupyter/")[2]: path for path in files}
    return {name: Path(str(path.locate())) for name, path in names.items() if name}


def test_installing_puts_the_templates_where_nbconvert_finds_them() -> None:
    installed = shared_files()
    templates = {f"{name}/display_priority.j2" for name in ("lab", "classic")}
    assert templates == {path.relative_to(TEMPLATES).as_posix() for path in files_below(TEMPLATES)}
    for name in templates:
        path = installed[f"nbconvert/templates/{name}"]
        assert path.read_bytes() == (TEMPLATES / name).read_bytes()


def test_installing_puts_the_front_end_where_jupyter_finds_it() -> None:
    installed = shared_files()
    for name in ("package.json", "install.json", "static/style.js"):
        assert f"labextensions/jupyter-npcompile/{name}" in installed
    command = Path(sys.executable).with_name("jupyter-labextension")
    listing = subprocess.run([command, "list"], capture_output=True, text=True, check=True)
    assert re.search(r"jupyter-npcompile v\S+ .*enabled.*OK", listing.stdout + listing.stderr)
