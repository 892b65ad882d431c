# SPDX-License-Identifier: Apache-2.0
"""What a program left out of its output."""

from __future__ import annotations

from collections.abc import Iterator

from tilewright._launch.observer import Launch
from tilewright._rules import RULES
from tilewright._tensor.tensor import Tensor
from tilewright.check._finding import Finding


def unwritten_output(launch: Launch) -> Iterator[Finding]:
    """A finding if elements of an output tensor hold nothing after a run, neither the host's bytes nor a kernel's.

    Which bytes of another host's tensors were written is not known.
    """
    output = launch.tensors[-1] if launch.tensors else None
    if not isinstance(output, Tensor) or output.device() is None or not output.buffer().num_pages:
        return
    count, first = launch.chip.unwritten_pages(output)
    if not count:
        return
    share = f"{count} of {output.buffer().num_pages} pages of the output hold elements that no kernel wrote"
    text = f"{share}, from page {first} on"
    rule = RULES["output-unwritten"]
    yield Finding(rule.id, "", "", 0, None, (), None, 0, text, rule.cause, rule.cure)
