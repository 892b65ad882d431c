# SPDX-License-Identifier: Apache-2.0
"""Waits for pages of circular buffers that lie over tensors."""

from __future__ import annotations

import dataclasses

from tilewright._program.program import ProgramDescriptor
from tilewright.check._finding import Finding

_WAITS = ("hang-finished-producer", "hang-self")
_SENTENCE = (
    " The buffer lies over a tensor, and popping only moves its read pointer on: pages that were popped do not come "
    "back. Read a page again before popping it, or push the pages again."
)


def with_tensor_hint(finding: Finding, program: ProgramDescriptor) -> Finding:
    """A finding about a wait for pages that were popped, with what that means for a buffer over a tensor."""
    over = {each.label for cb in program.cbs if cb.is_over_tensor() for each in cb.format_descriptors}
    if finding.rule not in _WAITS or finding.cb not in over:
        return finding
    return dataclasses.replace(finding, numbers=finding.numbers + _SENTENCE)
