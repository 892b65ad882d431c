# SPDX-License-Identifier: Apache-2.0
"""How near an operation's result is to the exact one."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from tilewright.ops.operation import Float64, Operation

# An element may be off by this much of max(1, |y|): two roundings to bfloat16, which has 8 significant bits.
BOUND = 2.0**-7


@dataclasses.dataclass(frozen=True)
class Accuracy:
    """Errors of a result.

    Attributes:
        largest_error, mean_error: absolute.
        share_of_bound: the largest error as a share of what its element is allowed.
        bound_text: what the bound is relative to.
        pcc: Pearson's correlation coefficient; 1 for constant results that agree.
    """

    largest_error: float
    mean_error: float
    share_of_bound: float
    bound_text: str
    pcc: float

    @property
    def is_within_bound(self) -> bool:
        return self.share_of_bound <= 1


def compare(
    operation: Operation, result: np.ndarray[Any, Any], operands: Mapping[str, Float64], epsilon: float
) -> Accuracy:
    """Compares a result with float64, computed from what the tensors really hold.

    An element is allowed 2^-7 of the largest of 1, the exact result, and the result before beta is added: where beta
    cancels, what was rounded before is not small. Where the exact result is no finite number (a NaN or an infinity in
    the row), the result must not be one either.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        exact = operation.reference(*operands.values(), epsilon=epsilon)
    given = result.astype(np.float64)
    hopeless = ~np.isfinite(exact) & ~np.isfinite(given)
    exact, given = (np.where(hopeless, 0, each) for each in (exact, given))
    scale, text = np.maximum(1, np.abs(exact)), "max(1, |y|)"
    if "beta" in operands:
        scale = np.maximum(scale, np.abs(exact - operands["beta"].reshape(-1)))
        text = "max(1, |y|, |y - beta|)"
    error = np.where(np.isfinite(given) & np.isfinite(exact), np.abs(given - exact), np.inf)
    return Accuracy(
        largest_error=float(error.max()),
        mean_error=float(error.mean()),
        share_of_bound=float((error / scale).max() / BOUND),
        bound_text=text,
        pcc=correlation(given, exact),
    )


def correlation(result: Float64, exact: Float64) -> float:
    """Pearson's correlation coefficient."""
    a, b = (each.reshape(-1) - each.mean() for each in (result, exact))
    scale = float(np.sqrt((a * a).sum() * (b * b).sum()))
    if scale == 0:
        return 1.0 if np.array_equal(result, exact) else 0.0
    return float((a * b).sum() / scale)
