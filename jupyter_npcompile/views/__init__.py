"""Reports as text, HTML, SVG and MIME bundles. Nothing here computes."""

from __future__ import annotations

from jupyter_npcompile.views.bundle import MIME_TYPE, mime_bundle
from jupyter_npcompile.views.html import to_html
from jupyter_npcompile.views.report import Report
from jupyter_npcompile.views.svg import to_svg
from jupyter_npcompile.views.text import to_text

__all__ = ["MIME_TYPE", "Report", "mime_bundle", "to_html", "to_svg", "to_text"]
