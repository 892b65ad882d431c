# SPDX-License-Identifier: Apache-2.0
"""How things show themselves in notebooks: small pieces of HTML and SVG in the page's own colours, light or dark."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MOST_ROWS = 24
_CELLS = 48  # of a heat map, along each side at most
_CELL = 5  # pixels
_BLUE, _RED, _GREY = "#3b82c4", "#c4553b", "#888888"  # on light and on dark ground


def card(title: str, *parts: str) -> str:
    """A title and what stands below it.

    >>> card("a < b", "")
    '<div style="font-size:90%;overflow-x:auto"><b>a &lt; b</b></div>'
    """
    return f'<div style="font-size:90%;overflow-x:auto"><b>{html.escape(title)}</b>{"".join(parts)}</div>'


def paragraph(text: str) -> str:
    return f'<div style="white-space:pre-wrap">{html.escape(text)}</div>'


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of plain texts; of a long one the begin, and how much is left out."""
    every = list(rows)
    shown = "".join(_row("td", row) for row in every[:_MOST_ROWS])
    more = f"<div>... and {len(every) - _MOST_ROWS} more</div>" if len(every) > _MOST_ROWS else ""
    return f'<table style="text-align:left">{_row("th", head)}{shown}</table>{more}'


def _row(cell: str, values: Sequence[object]) -> str:
    style = "text-align:left;padding:1px 10px 1px 0;vertical-align:top"
    cells = (f'<{cell} style="{style}">{html.escape(str(value))}</{cell}>' for value in values)
    return f"<tr>{''.join(cells)}</tr>"


def heat_map(matrix: NDArray[Any], label: str) -> str:
    """A matrix as SVG: blue below zero, red above, grey what is no number; of a large one, means of blocks."""
    blocks = _blocks(np.asarray(matrix, np.float64))
    largest = np.nanmax(np.abs(blocks), initial=0.0, where=np.isfinite(blocks)) or 1.0
    cells = []
    for (row, column), value in np.ndenumerate(blocks):
        place = f'x="{column * _CELL}" y="{row * _CELL}" width="{_CELL}" height="{_CELL}"'
        if not np.isfinite(value):
            cells.append(f'<rect {place} fill="{_GREY}"/>')
        elif value:
            colour, strength = (_RED if value > 0 else _BLUE), abs(value) / largest
            cells.append(f'<rect {place} fill="{colour}" fill-opacity="{strength:.2f}"/>')
    height, width = (side * _CELL for side in blocks.shape)
    return _svg(width, height, label, "".join(cells))


def _blocks(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    for axis in (0, 1):
        if matrix.shape[axis] > _CELLS:
            edges = np.linspace(0, matrix.shape[axis], _CELLS, endpoint=False).astype(int)
            counts = np.diff([*edges, matrix.shape[axis]])
            sums = np.add.reduceat(matrix, edges, axis=axis)
            matrix = sums / (counts[:, None] if axis == 0 else counts)
    return matrix


def bars(parts: Sequence[tuple[str, float]], label: str) -> str:
    """Parts of a whole, from 0 to 1, as SVG: a bar each."""
    rows = []
    for index, (name, part) in enumerate(parts):
        y = 18 * index
        rows.append(
            f'<text x="0" y="{y + 12}" fill="currentColor" font-size="12">{html.escape(name)}</text>'
            f'<rect x="110" y="{y + 2}" width="200" height="12" fill="currentColor" fill-opacity="0.12"/>'
            f'<rect x="110" y="{y + 2}" width="{200 * min(max(part, 0.0), 1.0):.1f}" height="12" fill="{_BLUE}"/>'
            f'<text x="316" y="{y + 12}" fill="currentColor" font-size="12">{part:.0%}</text>'
        )
    return _svg(360, 18 * len(parts), label, "".join(rows))


def _svg(width: int, height: int, label: str, content: str) -> str:
    escaped = html.escape(label, quote=True)
    frame = f'<rect width="{width}" height="{height}" fill="none" stroke="currentColor" stroke-opacity="0.3"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" aria-label="{escaped}" style="display:block;margin:4px 0">'
        f"<title>{escaped}</title>{frame}{content}</svg>"
    )
