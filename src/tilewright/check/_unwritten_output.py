# SPDX-License-Identifier: Apache-2.0
"""What a program left out of its output."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from tilewright._launch.chip import Chip
from tilewright._tensor.tensor import Tensor
from tilewright.check._finding import Finding
from tilewright.check._rules import RULES


def unwritten_output(output: Tensor) -> Iterator[Finding]:
    """A finding if elements of an output tensor hold nothing after a run, neither the host's bytes nor a kernel's."""
    device = output.device()
    if device is None or not output.buffer().num_pages:
        return
    count, first = cast(Chip, device.memory).unwritten_pages(output)
    if not count:
        return
    share = f"{count} of {output.buffer().num_pages} pages of the output hold elements that no kernel wrote"
    text = f"{share}, from page {first} on"
    rule = RULES["output-unwritten"]
    yield Finding(rule.id, "", "", 0, None, (), None, 0, text, rule.cause, rule.cure)
