# SPDX-License-Identifier: Apache-2.0
"""Parts of an output that a program did not write."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tilewright._launch.host_memory import ForeignTensor
from tilewright._launch.observer import Launch
from tilewright._rules import RULES
from tilewright._tensor.layout import Layout
from tilewright._tensor.tensor import Tensor
from tilewright._tensor.tile import TILE_SIZE
from tilewright.check._finding import Finding


def unwritten_output(launch: Launch) -> Iterator[Finding]:
    """A finding if elements of an output tensor hold nothing after a run, neither the host's bytes nor a kernel's."""
    output = launch.tensors[-1] if launch.tensors else None
    num_pages = _pages_to_write(output) if launch.num_outputs else 0
    if output is None or not num_pages:
        return
    count, first = launch.chip.unwritten_pages(output)
    if not count:
        return
    share = f"{count} of {num_pages} pages of the output hold elements that no kernel wrote"
    text = f"{share}, from page {first} on{_counted_as_tiles(output, num_pages - count)}"
    rule = RULES["output-unwritten"]
    yield Finding(rule.id, "", "", 0, None, (), None, 0, text, rule.cause, rule.cure)


def _pages_to_write(output: Tensor | ForeignTensor | None) -> int:
    """Pages of an output of which it is known what was written; 0: not known."""
    if isinstance(output, ForeignTensor):
        return output.num_pages if output.is_new else 0
    return output.buffer().num_pages if output is not None and output.device() is not None else 0


def _counted_as_tiles(output: Tensor | ForeignTensor, written: int) -> str:
    """Where as many rows were written as the tensor would have tiles: that its pages are rows."""
    *outer, height, width = (1, 1, *output.shape)
    tiles = math.prod(outer) * -(-height // TILE_SIZE) * -(-width // TILE_SIZE)
    if output.layout is not Layout.ROW_MAJOR or written != tiles:
        return ""
    return (
        f"; it is in ROW_MAJOR layout, where a page is a row, and as many were written as it would have tiles, {tiles}"
    )
