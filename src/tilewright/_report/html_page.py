# SPDX-License-Identifier: Apache-2.0
"""The HTML report: one self-contained file.

The page's own text, style and script lie beside this file in ``page/``; the launches are put into it as JSON, and the
script draws them.
"""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from pathlib import Path

from tilewright import __version__
from tilewright._report.launch_view import View

_PAGE = Path(__file__).parent / "page"
# The last one draws.
_SCRIPTS = ("elements.js", "waits.js", "timeline.js", "noc.js", "mesh.js", "result.js", "report.js")


def html_page(title: str, launches: Sequence[View]) -> str:
    """The text of the page.

    Example::

        page = html_page("variance_w_rm", [launch_view(SeenLaunch.of_check(result))])
        Path("run.html").write_text(page, encoding="utf-8")
    """
    if not launches:
        raise ValueError("launches is empty; a report needs at least one launch")
    parts = {
        "title": html.escape(title),
        "version": __version__,
        "css": (_PAGE / "report.css").read_text(encoding="utf-8"),
        "script": "\n".join((_PAGE / name).read_text(encoding="utf-8") for name in _SCRIPTS),
        "data": _embedded_json({"launches": list(launches)}),
    }
    text = (_PAGE / "report.html").read_text(encoding="utf-8")
    for name, part in parts.items():
        before, _, after = text.partition("{{" + name + "}}")
        text = before + part + after if name != "title" else text.replace("{{title}}", part)
    return text


def _embedded_json(data: object) -> str:
    """JSON that cannot end the script element it stands in, whatever a kernel's source says."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
