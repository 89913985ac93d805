"""Imports run one way.

``graph, cell <- tracer <- loops <- runtime <- autodiff <- views <- widgets <- magic``. The
package's public functions (``compiling.py``, ``api.py``) stand between widgets and magic;
``dataclass.py`` and ``forks.py`` stand before all.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.paths import CHECKOUT

PACKAGE = "jupyter_npcompile"
ROOT = CHECKOUT / PACKAGE

MAY_IMPORT = {
    "dataclass": set[str](),
    "forks": set[str](),
    "graph": set[str](),
    "cell": set[str](),
    "tracer": {"graph", "cell"},
    "loops": {"graph", "cell", "tracer"},
    "runtime": {"graph", "cell", "tracer", "loops"},
    "autodiff": {"graph", "cell", "tracer", "loops", "runtime"},
    "views": {"graph", "cell", "tracer", "loops", "runtime", "autodiff"},
    "widgets": {"graph", "cell", "tracer", "loops", "runtime", "autodiff", "views"},
    "api": {
        *{"graph", "cell", "tracer", "loops", "runtime", "autodiff", "views", "widgets"},
        "compiling",
    },
    "magic": {
        *{"graph", "cell", "tracer", "loops", "runtime", "autodiff", "views", "widgets"},
        "api",
    },
    "compiling": {"runtime", "autodiff"},
    "cli": {"runtime"},
    "__main__": {"cli"},
}
"""Which parts of the package each part may import, apart from itself."""

ANY_MAY_IMPORT = {"dataclass", "forks"}
"""Modules that import nothing of the package themselves."""

KEPT_OUT = {
    "graph": {"torch", "IPython"},
    "cell": {"torch", "IPython", "numpy"},
    "tracer": {"torch", "IPython"},
    "loops": {"torch", "IPython"},
}
"""Which libraries a subpackage must do without."""

# The package's own ``__init__`` gathers the public names from everywhere.
MODULES = sorted(
    path.relative_to(ROOT.parent) for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py"
)


def room_of(path: Path) -> str:
    """Return the part of the package that a file, relative to the checkout, belongs to."""
    return path.with_suffix("").parts[1]


def imported(tree: ast.AST, module: str) -> Iterator[tuple[int, str]]:
    """Yield line and absolute name of every import, those inside functions included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            relative = "." * node.level + (node.module or "")
            source = importlib.util.resolve_name(relative, module) if node.level else relative
            # `from package import name`: the name may be a module.
            for alias in node.names:
                yield node.lineno, f"{source}.{alias.name}"


def violations(path: Path, code: str) -> list[str]:
    """Return what a file of the package imports but must not."""
    room = room_of(path)
    lowers = path.parts[1:3] == ("tracer", "lowering")
    kept_out = KEPT_OUT.get(room, set()) - ({"torch"} if lowers else set())
    package = ".".join(path.parent.parts)
    found = []
    for line, name in imported(ast.parse(code), package):
        top, *rest = name.split(".")
        if top in kept_out:
            found.append(f"{path}:{line} imports {name}, which {room}/ must do without")
        elif top == PACKAGE and rest[0] not in MAY_IMPORT[room] | ANY_MAY_IMPORT | {room}:
            found.append(f"{path}:{line} imports {name}, which is not below {room}/")
        elif room == "tracer" and not lowers and rest[:2] == ["tracer", "lowering"]:
            found.append(f"{path}:{line} imports {name}, and with it torch")
    return found


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_module_imports_only_what_is_below_it(path: Path) -> None:
    assert violations(path, (ROOT.parent / path).read_text()) == []


def test_every_part_has_its_place() -> None:
    assert {room_of(path) for path in MODULES} <= MAY_IMPORT.keys()


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("cell/regions.py", "import numpy as np"),
        ("graph/text.py", "def f():\n    from torch import fx"),
        ("graph/text.py", "from jupyter_npcompile.cell import names"),
        ("graph/text.py", "from ..cell import names"),
        ("graph/text.py", "from .. import cell"),
        ("tracer/recorder.py", "import torch.fx"),
        ("tracer/recorder.py", "from jupyter_npcompile.tracer.lowering import lower"),
        ("tracer/recorder.py", "from .lowering import lower"),
        ("tracer/lowering/shapes.py", "import jupyter_npcompile.runtime.plans"),
        ("runtime/plans.py", "from jupyter_npcompile import compile"),
        ("views/text.py", "import jupyter_npcompile.magic"),
        ("api.py", "from .magic import options"),
        ("runtime/plans.py", "from jupyter_npcompile.api import explain"),
    ],
)
def test_wrong_imports_are_found(path: str, code: str) -> None:
    assert len(violations(Path(PACKAGE, path), code)) == 1


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("graph/text.py", "from .nodes import Graph\nimport numpy"),
        ("tracer/recorder.py", "from jupyter_npcompile.graph.nodes import Graph"),
        ("tracer/lowering/shapes.py", "import torch\nfrom ..table import TABLE"),
        ("api.py", "from .runtime import plans"),
        ("magic/cell_magic.py", "import IPython, torch\nfrom ..views import text"),
    ],
)
def test_right_imports_pass(path: str, code: str) -> None:
    assert violations(Path(PACKAGE, path), code) == []


def test_public_names_are_where_they_are_looked_for() -> None:
    tree = ast.parse((ROOT / "__init__.py").read_text())
    named = {
        alias.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith(f"{PACKAGE}.")
        for alias in node.names
    }
    package = importlib.import_module(PACKAGE)
    assert {name: f"{PACKAGE}.{home}" for name, home in package._HOMES.items()} == named
    assert sorted(package.__all__) == sorted(named)
    for name, home in named.items():
        assert getattr(package, name) is getattr(importlib.import_module(str(home)), name)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = package.nothing


def test_a_worker_imports_little() -> None:
    """It has to be ready soon, and lives in every kernel."""
    code = (
        "import sys, jupyter_npcompile.runtime.worker_process\n"
        "import jupyter_npcompile.runtime.loop_building\n"
        "print(*({'torch', 'numpy', 'IPython', 'ipywidgets'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_first_gradient_imports_little() -> None:
    """These take longer than torch, and a session's first gradient would wait for them."""
    code = (
        "import sys, numpy as np, jupyter_npcompile as npc\n"
        "from tests.benchmarks.programs.kepler_orbit.program import run\n"
        "orbit = npc.elementwise_grad(run)\n"
        "orbit(np.array([1.5, 0.0, 0.0, 0.7]), 20)\n"
        "print(*orbit.checks.values())\n"
        "names = {'sympy', 'torch._dynamo', 'torch._inductor', 'numpy.f2py', 'numpy.testing'}\n"
        "print(*(names & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT.parent
    )
    assert done.stdout.split() == ["agrees"]
