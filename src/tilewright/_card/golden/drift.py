# SPDX-License-Identifier: Apache-2.0
"""Element-wise error of an operation's result against its golden function, and the table of all operations.

A unit is what rounding to the result's format can cost: the distance of neighbouring numbers of that format, of the
element itself or, where terms cancelled, of the size results typically have; of the largest of the sixteen elements
that share an exponent. Operations round more than once on their
way, so several units are allowed (``ALLOWED_UNITS``). Sums of products get in addition what the fidelity, the width of
DST and the formats of their kernels cost (_card/golden/precision.py). Integers must be equal.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from numpy.typing import NDArray

# Relative, by the name of ttnn's dtype. Matrix and tile maths read float32 with ten bits behind the point.
_UNITS = {
    "FLOAT32": 2.0**-10,
    "BFLOAT16": 2.0**-8,
    "BFLOAT8_B": 2.0**-6,  # seven bits
    "BFLOAT4_B": 2.0**-2,
    "FP8_E4M3": 2.0**-3,
}
# The rounding of the result and of some steps before it, and the approximations of the vector unit.
ALLOWED_UNITS = 12.0
_BLOCK_FLOATS = ("BFLOAT8_B", "BFLOAT4_B")
_SHARING = 16  # elements of a row that share an exponent
_LARGEST = {"BFLOAT16": 3.39e38, "BFLOAT8_B": 3.39e38, "BFLOAT4_B": 3.39e38, "FLOAT32": 3.41e38, "FP8_E4M3": 448.0}

Values = NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Drift:
    """The worst element of a result.

    Attributes:
        units: how far it is off; infinite where a number should be none or the other way round.
        elements: how many are off by more than is allowed, out of ``size``.
        at: where the worst lies, with what it is and should be.
        allowed: units that are allowed.
    """

    units: float
    elements: int
    size: int
    at: tuple[int, ...]
    got: float
    wanted: float
    dtype: str
    allowed: float

    @property
    def is_allowed(self) -> bool:
        return self.elements == 0

    @property
    def share(self) -> float:
        """The worst element's error as a share of what is allowed."""
        return self.units / self.allowed if self.allowed else (math.inf if self.elements else 0.0)

    def __str__(self) -> str:
        place = ", ".join(map(str, self.at))
        bound = f"{self.allowed:.3g} are allowed" if self.allowed else "none is allowed"
        return (
            f"{self.elements} of {self.size} elements are off. The worst, at ({place}), is {self.got:.6g} instead of "
            f"{self.wanted:.6g}:\n    {self.units:.3g} units of {self.dtype.lower()}, {bound}"
        )


def measure_drift(
    got: Values,
    wanted: Values,
    dtype: str,
    counts: NDArray[np.bool_] | None = None,
    error: float = 0.0,
    slack: Values | None = None,
) -> Drift:
    """How far a result is from what its golden function gave.

    Args:
        dtype: of the result, by ttnn's name.
        counts: which elements have a meaning; all of them unless given.
        error: relative error that the operation's kernels may make beside the rounding of the result.
        slack: how far each element may be off beyond that; units are as much larger.

    >>> measure_drift(np.array([1.0, 2.0]), np.array([1.0, 2.5]), "BFLOAT16").elements
    1
    """
    allowed = _allowed_units(dtype, error)
    off = _units_off(got, wanted, dtype, counts, allowed, slack)
    at = np.unravel_index(int(np.argmax(off)), off.shape) if off.size else ()
    wrong = int(np.count_nonzero(off > allowed))
    place = tuple(int(each) for each in at)
    values = (float(off[at]), float(got[at]), float(wanted[at])) if off.size else (0.0, 0.0, 0.0)
    return Drift(values[0], wrong, off.size, place, values[1], values[2], dtype, allowed)


def share_of_allowed(
    got: Values,
    wanted: Values,
    dtype: str,
    counts: NDArray[np.bool_] | None = None,
    error: float = 0.0,
    slack: Values | None = None,
) -> Values:
    """Each element's drift as a share of what is allowed; of integers nothing is."""
    allowed = _allowed_units(dtype, error)
    off = _units_off(got, wanted, dtype, counts, allowed, slack)
    return off / allowed if allowed else np.where(off > 0, np.inf, 0.0)


def _allowed_units(dtype: str, error: float) -> float:
    return ALLOWED_UNITS + error / _UNITS[dtype] if dtype in _UNITS else 0.0


def _units_off(
    got: Values,
    wanted: Values,
    dtype: str,
    counts: NDArray[np.bool_] | None,
    allowed: float,
    slack: Values | None,
) -> Values:
    unit = _UNITS.get(dtype, 0.0)
    finite = wanted[np.isfinite(wanted)]
    typical = float(np.sqrt(np.mean(np.square(finite)))) if finite.size else 0.0
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        size = np.maximum(np.abs(wanted), typical)
        if dtype in _BLOCK_FLOATS:
            size = np.maximum(size, _largest_sharing(np.where(np.isfinite(wanted), np.abs(wanted), 0.0)))
        if unit:
            off = np.abs(got - wanted) / (unit * size + (0.0 if slack is None else slack / allowed))
        else:
            off = np.abs(got - wanted)
        overflows = np.isinf(got) & (np.abs(wanted) >= _LARGEST.get(dtype, np.inf)) & (np.sign(got) == np.sign(wanted))
        same = (got == wanted) | (np.isnan(got) & np.isnan(wanted)) | overflows
    off = np.where(same, 0.0, np.where(np.isnan(off), np.inf, off))
    if counts is not None:
        off = np.where(counts, off, 0.0)
    return off


def _largest_sharing(size: Values) -> Values:
    """Of each element, the largest of those that share its exponent.

    >>> _largest_sharing(np.array([[1.0] * 16 + [2.0, 5.0]]))[0, [0, 16]]
    array([1., 5.])
    """
    if size.ndim == 0 or not size.size:
        return size
    starts = np.arange(0, size.shape[-1], _SHARING)
    largest = np.maximum.reduceat(size, starts, axis=-1)
    return np.repeat(largest, _SHARING, axis=-1)[..., : size.shape[-1]]


@dataclasses.dataclass
class Comparison:
    """All calls of one operation."""

    calls: int = 0
    drifting: int = 0
    worst: float = 0.0
    share: float = 0.0  # the worst as a share of what is allowed


class Comparisons:
    """Comparisons of a process, and calls that could not be compared."""

    def __init__(self) -> None:
        self._operations: dict[str, Comparison] = {}
        self._without: dict[str, str] = {}
        self._first = ""

    def add(self, operation: str, call: str, drifts: list[Drift]) -> str:
        """Notes one call, and gives the sentence about it if it is the first that drifts.

        Args:
            call: which call it was, as a reader would look for it.
        """
        row = self._operations.setdefault(operation, Comparison())
        row.calls += 1
        row.worst = max([row.worst, *(drift.units for drift in drifts)])
        row.share = max([row.share, *(drift.share for drift in drifts)])
        wrong = next((drift for drift in drifts if not drift.is_allowed), None)
        if wrong is None:
            return ""
        row.drifting += 1
        if self._first:
            return ""
        self._first = f"{operation}{call}\n    {wrong}"
        return self._first

    def leave_out(self, operation: str, reason: str) -> None:
        """Notes why an operation's result was not compared; the first reason stays."""
        self._without.setdefault(operation, reason)

    def text(self) -> str:
        """The table."""
        rows = sorted(self._operations.items(), key=lambda item: (-item[1].share, item[0]))
        calls, drifting = (sum(getattr(row, name) for _, row in rows) for name in ("calls", "drifting"))
        lines = [f"tilewright compare: {calls} calls beside their golden functions, {drifting} drift"]
        if self._first:
            lines.append(f"  first: {self._first}")
        if rows:
            width = max(len("operation"), *(len(name) for name, _ in rows))
            lines.append(f"  {'operation':{width}}  calls  drift  worst, in units of its format (share of the allowed)")
            lines += [
                f"  {name:{width}}  {row.calls:5}  {row.drifting:5}  {row.worst:.3g} ({row.share:.0%})"
                for name, row in rows
            ]
        lines += [f"  not compared: {name}: {reason}" for name, reason in sorted(self._without.items())]
        return "\n".join(lines) + "\n"
