# SPDX-License-Identifier: Apache-2.0
"""SVG picture of a launch.

A launch that ended shows its cores, shaded by how much they did, and beside them the processors of the busiest core in
time, on the model's clock. A deadlock shows the kernels of its first group of cores, an arrow from each that waits to
the one that could end the wait, and the sentence that says why. Colours follow the reader's light or dark setting.
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from tilewright._report.launch_view import View

_WIDTH = 760
_BOX = 470  # where the boxes of kernels end
_STYLE = """
text { font: 12px ui-monospace, monospace; fill: #1c2733; }
.quiet { fill: #5b6b7b; } .bad { fill: #b3261e; } .title { font-weight: bold; }
.back { fill: #ffffff; stroke: #d5dde5; } .box { fill: #f3f6f9; stroke: #c3ced8; } .root { stroke: #b3261e; }
.work { fill: #2a6fbb; } .wait { fill: #e0a030; } .cold { fill: #e6ecf2; }
.arrow { stroke: #b3261e; fill: none; stroke-width: 1.5; } .head { fill: #b3261e; }
@media (prefers-color-scheme: dark) {
text { fill: #dde6ee; } .quiet { fill: #93a4b4; } .bad { fill: #ff8a80; }
.back { fill: #11181f; stroke: #2b3742; } .box { fill: #1a242e; stroke: #3a4855; } .root { stroke: #ff8a80; }
.work { fill: #5a9fe6; } .wait { fill: #d99a2b; } .cold { fill: #22303c; }
.arrow { stroke: #ff8a80; } .head { fill: #ff8a80; }
}
"""


def picture_svg(view: View) -> str:
    """The picture of a launch.

    Example::

        view = launch_view(SeenLaunch.of_check(tilewright.check_program([x, y], program)))
        Path("run.svg").write_text(picture_svg(view), encoding="utf-8")
    """
    if view["waits"]:
        return _deadlock(view, view["waits"][0])
    parts, bottom = _cores(view, 16, 66)
    if view["timeline"] is not None:
        timed, timed_bottom = _timeline(view, 260, 66)
        parts, bottom = [*parts, *timed], max(bottom, timed_bottom)
    if view["error"] is not None:
        lines = view["error"]["message"].splitlines()[:8]
        parts += _lines(lines, 16, bottom + 12, "bad")
        bottom += 12 + 16 * len(lines)
    return _svg(view, parts, bottom)


def _svg(view: View, parts: Iterable[str], bottom: float) -> str:
    height = round(bottom + 16)
    title = _lines(textwrap.wrap(view["summary"], 98)[:2], 16, 24, "title")
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" '
            f'height="{height}" role="img" aria-label="{html.escape(view["summary"])}">',
            f"<style>{_STYLE}</style>",
            f'<rect class="back" x="0.5" y="0.5" width="{_WIDTH - 1}" height="{height - 1}" rx="8"/>',
            *title,
            *parts,
            "</svg>",
            "",
        ]
    )


def _text(words: str, x: float, y: float, kind: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{kind}" xml:space="preserve">{html.escape(words)}</text>'


def _lines(lines: Iterable[str], x: float, y: float, kind: str = "") -> list[str]:
    return [_text(line, x, y + 16 * number, kind) for number, line in enumerate(lines)]


def _cores(view: View, left: float, top: float) -> tuple[list[str], float]:
    """The grid of cores, shaded by the first measure of the launch."""
    columns, rows = view["grid"]
    measure = view["measures"][0]
    values = {tuple(core["at"]): core["values"].get(measure["key"], 0) for core in view["cores"]}
    failed = {tuple(core["at"]) for core in view["cores"] if core["state"] != "finished"}
    largest = max([*values.values(), 1])
    step = 208 / max(columns, 8)
    parts = [_text(f"cores by {measure['name']}", left, top, "quiet")]
    for y in range(rows):
        for x in range(columns):
            at, size = (left + x * step, top + 10 + y * step), step - 2
            place = f'x="{at[0]:.1f}" y="{at[1]:.1f}" width="{size:.1f}" height="{size:.1f}" rx="2"'
            parts.append(f'<rect class="{"head" if (x, y) in failed else "cold"}" {place}/>')
            if values.get((x, y)):
                parts.append(f'<rect class="work" opacity="{0.15 + 0.85 * values[x, y] / largest:.2f}" {place}/>')
    bottom = top + 10 + rows * step
    parts.append(_text(f"most: {largest:,}{measure['unit']}", left, bottom + 14, "quiet"))
    return parts, bottom + 18


def _timeline(view: View, left: float, top: float) -> tuple[list[str], float]:
    """The processors of the busiest core, one row each."""
    timeline = view["timeline"]
    busiest = max(view["cores"], key=lambda core: core["values"].get("busy", 0))["at"]
    tracks = [track for track in timeline["tracks"] if track["core"] == busiest]
    width, begin = _WIDTH - left - 16, left + 78
    scale = (width - 78) / max(timeline["end"], 1e-9)
    parts = [_text(f"core ({busiest[0]},{busiest[1]}) in time: ", left, top, "quiet")]
    for words, kind, x in (("works", "work", 190), ("waits", "wait", 262)):
        parts.append(f'<rect class="{kind}" x="{left + x}" y="{top - 9}" width="10" height="10"/>')
        parts.append(_text(words, left + x + 15, top, "quiet"))
    for row, track in enumerate(tracks):
        y = top + 14 + 26 * row
        parts.append(_text(track["name"].split()[0], left, y + 13))
        for kind, from_, to in _drawn(track["spans"], timeline["labels"], begin, scale):
            parts.append(f'<rect class="{kind}" x="{from_:.1f}" y="{y}" width="{to - from_:.1f}" height="18"/>')
    bottom = top + 14 + 26 * len(tracks)
    parts.append(_text("0", begin, bottom + 12, "quiet"))
    end = f"{timeline['end'] / 1000:,.1f} us by the model of a card"
    parts.append(_text(end, left + width - 7.3 * len(end), bottom + 12, "quiet"))
    return parts, bottom + 16


def _drawn(
    spans: Iterable[list[Any]], labels: Sequence[list[str]], begin: float, scale: float
) -> list[tuple[str, float, float]]:
    """Spans as pixels; what is closer than can be seen is one."""
    drawn: list[tuple[str, float, float]] = []
    for start, end, label in spans:
        kind = labels[label][0]
        from_, to = begin + start * scale, begin + end * scale
        if drawn and drawn[-1][0] == kind and from_ - drawn[-1][2] < 0.5:
            drawn[-1] = (kind, drawn[-1][1], to)
        elif to - from_ >= 0.2:
            drawn.append((kind, from_, to))
    return drawn


def _deadlock(view: View, group: View) -> str:
    """Kernels as boxes, waits as arrows on their right with what they wait for, and the reason below."""
    parts = [_text(f"deadlock {group['cores']}: waits between kernels", 16, 60, "quiet")]
    top, tops = 74, []
    for row, kernel in enumerate(group["kernels"]):
        doing = textwrap.wrap(" ".join(kernel["doing"].split()), 58)
        kind, height = "box root" if row == group["root"] else "box", 28 + 16 * len(doing)
        parts.append(f'<rect class="{kind}" x="16" y="{top}" width="{_BOX - 16}" height="{height}" rx="6"/>')
        parts.append(_text(kernel["name"], 28, top + 18, "title"))
        parts += _lines(doing, 28, top + 36)
        tops.append(top)
        top += height + 10
    words = _BOX + 30 + 18 * len(group["waits"])
    for number, wait in enumerate(group["waits"]):
        parts += _arrow(wait, tops, _BOX + 24 + 18 * number, words)
    reason = textwrap.wrap(group["reason"], 98)
    return _svg(view, [*parts, *_lines(reason, 16, top + 16, "bad")], top + 16 * len(reason))


def _arrow(wait: View, tops: list[int], lane: float, words: float) -> list[str]:
    begin = tops[wait["from"]] + 14
    label = wait["label"] if wait["to"] is not None else f"{wait['label']}: none"
    caption = _text(label, words, begin + 4, "bad")
    if wait["to"] is None:
        return [f'<path class="arrow" d="M{_BOX} {begin} H{words - 6}"/>', caption]
    end = tops[wait["to"]] + 30
    head = f'<path class="head" d="M{_BOX + 1} {end} l9 -5 v10 z"/>'
    return [f'<path class="arrow" d="M{words - 6} {begin} H{_BOX} M{lane} {begin} V{end} H{_BOX + 8}"/>', head, caption]
