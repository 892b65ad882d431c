# SPDX-License-Identifier: Apache-2.0
"""What a program left out of its output."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tilewright.check.finding import Finding
from tilewright.check.rules import RULES
from tilewright.tensor.tensor import Tensor
from tilewright.tensor.undefined import undefined_bytes


def unwritten_output(output: Tensor) -> Iterator[Finding]:
    """A finding if elements of an output tensor hold nothing after a run, neither the host's bytes nor a kernel's."""
    unwritten = undefined_bytes(output).unwritten
    if unwritten is None or not unwritten.any():
        return
    pages = np.flatnonzero(unwritten.any(axis=1))
    share = f"{len(pages)} of {len(unwritten)} pages of the output hold elements that no kernel wrote"
    text = f"{share}, from page {pages[0]} on"
    rule = RULES["output-unwritten"]
    yield Finding(rule.id, "", "", 0, None, (), None, 0, text, rule.cause, rule.cure)
