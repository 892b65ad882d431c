# SPDX-License-Identifier: Apache-2.0
"""A tolerance of an operation's own, with the reason for it."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from tilewright.formula._evaluate import Float64
from tilewright.formula._validation import OperationError


@dataclasses.dataclass(frozen=True)
class OwnTolerance:
    """Allowed error of a result, in place of the bound of the error analysis.

    Attributes:
        absolute, relative: an element may be off by ``absolute + relative * abs(exact)``.
        reason: why this much; reports repeat it.

    Example::

        @operation(program=mine, tolerance=OwnTolerance(relative=0.02, reason="exp is a polynomial of degree 3 here"))
    """

    absolute: float = 0.0
    relative: float = 0.0
    reason: str = ""

    def __post_init__(self) -> None:
        for name in ("absolute", "relative"):
            value = getattr(self, name)
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not is_number or not math.isfinite(value) or value < 0:
                raise OperationError(f"OwnTolerance: {name} must be a finite number of 0 or more, not {value!r}")
        if not self.absolute and not self.relative:
            raise OperationError("OwnTolerance: absolute or relative must be above 0")
        if not isinstance(self.reason, str) or not self.reason.strip():
            raise OperationError("OwnTolerance: reason must say where the tolerance comes from")

    def allowed(self, exact: Float64) -> Float64:
        """Allowed error of each element."""
        return np.asarray(self.absolute + self.relative * np.abs(exact))
