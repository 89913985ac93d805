"""A JupyterLab server of this checkout, apart from the user's own."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from tests.support.paths import CHECKOUT
from tests.support.session.processes import PATIENCE

APPS = ("LabApp", "JupyterNotebookApp")
START_SECONDS = PATIENCE
ANSWER_SECONDS = PATIENCE


class Server:
    """A running server; its notebooks lie in `root`.

    JupyterLab and Notebook 7 are two pages of the one server. The front end
    comes from the bundle in the checkout, whatever is installed.

    Parameters
    ----------
    scratch : Path
        Empty folder for the server's files: settings, workspaces, notebooks.
    """

    def __init__(self, scratch: Path) -> None:
        self.root = scratch / "notebooks"
        self.root.mkdir()
        self.log = scratch / "server.log"
        self.port = _free_port()
        extensions = scratch / "labextensions"
        extensions.mkdir()
        bundle = CHECKOUT / "jupyter_npcompile" / "labextension"
        (extensions / "jupyter-npcompile").symlink_to(bundle)
        _write_settings(scratch / "settings")
        environment = {
            **os.environ,
            "IPYTHONDIR": str(scratch / "ipython"),
            "JUPYTER_CONFIG_DIR": str(scratch / "config"),
            "JUPYTER_DATA_DIR": str(scratch / "data"),
            "JUPYTER_RUNTIME_DIR": str(scratch / "runtime"),
            "JUPYTERLAB_SETTINGS_DIR": str(scratch / "settings"),
            "JUPYTERLAB_WORKSPACES_DIR": str(scratch / "workspaces"),
            "PYTHONPATH": str(CHECKOUT),
        }
        command = [
            *(sys.executable, "-m", "jupyterlab"),
            *("--allow-root", "--no-browser", "--ip=127.0.0.1", f"--port={self.port}"),
            "--ServerApp.port_retries=0",
            "--IdentityProvider.token=",
            "--ServerApp.password=",
            "--ServerApp.disable_check_xsrf=True",
            f"--ServerApp.root_dir={self.root}",
            *(f"--{app}.extra_labextensions_path={extensions}" for app in APPS),
            "--LabApp.extension_manager=readonly",
        ]
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                command, env=environment, cwd=self.root, stdout=log, stderr=subprocess.STDOUT
            )
        self._wait()

    @property
    def url(self) -> str:
        """Address of the server, without a slash at its end."""
        return f"http://127.0.0.1:{self.port}"

    def end_kernels(self) -> None:
        """End every session and its kernel: they cost memory, and the server's stop time."""
        for session in self._ask("GET", "/api/sessions"):
            self._ask("DELETE", f"/api/sessions/{session['id']}")

    def last_words(self, lines: int = 60) -> str:
        """The end of the server's log; kernels write to it, too."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])

    def stop(self) -> None:
        """End the server; its kernels are gone, or end when they find themselves alone."""
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _ask(self, method: str, path: str) -> Any:
        request = urllib.request.Request(self.url + path, method=method)
        with urllib.request.urlopen(request, timeout=ANSWER_SECONDS) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def _wait(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}/api/status", timeout=5):
                    return
            except (urllib.error.URLError, TimeoutError):
                time.sleep(0.2)
        self.stop()
        raise RuntimeError(f"the server did not start:\n{self.log.read_text()}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _write_settings(folder: Path) -> None:
    """Turn off what asks the network or covers the page."""
    plugin = folder / "@jupyterlab" / "apputils-extension"
    plugin.mkdir(parents=True)
    settings = {"fetchNews": "false", "checkForUpdates": False}
    (plugin / "notification.jupyterlab-settings").write_text(json.dumps(settings))
