# SPDX-License-Identifier: Apache-2.0
"""The table of functions of one value: one row gives the formula's function, its float64 reference and its plan.

The rows stand in ``_functions.py``. What the planner must know about a function near zero or far from it follows from
its reference.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

_LARGEST = 2.0**127


@dataclasses.dataclass(frozen=True)
class Elementwise:
    """A function of one value, element by element.

    Attributes:
        meaning: a noun phrase for its documentation.
        reference: its value in float64, of a NumPy array.
        call: the kernel API's function; template arguments in brackets.
        torch: torch's function, where it is not ``torch.<name>``.
        numpy: its value as NumPy's code of ``x``, where it is not ``np.<name>(x)``.
        is_exact: its result is not rounded.
        is_dear: it takes the vector unit as long as several sums.
        times_share: it multiplies its operand by a share of 1 that may be too small for float32.
        chooses: it compares, so that of an operand that is no number another number may come out.
    """

    name: str
    meaning: str
    reference: Callable[[Any], Any]
    call: str
    torch: str = ""
    numpy: str = ""
    is_exact: bool = False
    is_dear: bool = False
    times_share: bool = False
    chooses: bool = False

    @property
    def keeps_zero(self) -> bool:
        return self._of(0.0) == 0

    @property
    def is_wild_at_zero(self) -> bool:
        """Whether zero gives no finite number."""
        return not np.isfinite(self._of(0.0))

    @functools.cached_property
    def is_wild(self) -> bool:
        """Whether some float32 gives no finite float32."""
        return any(not abs(self._of(each)) <= 2 * _LARGEST for each in (0.0, -2.0, _LARGEST, -_LARGEST))

    @functools.cached_property
    def is_steep_at_zero(self) -> bool:
        """Whether it has no value just below zero."""
        return bool(np.isnan(self._of(-1e-30)))

    def _of(self, number: float) -> float:
        with np.errstate(all="ignore"):
            return float(self.reference(np.asarray(number)))


# By name; ``_functions.py`` fills it.
ELEMENTWISE: dict[str, Elementwise] = {}
