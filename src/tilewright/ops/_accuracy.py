# SPDX-License-Identifier: Apache-2.0
"""Judge a result against the exact one and its error bound."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tilewright._planner.error_bound import Bounds
from tilewright.formula._evaluate import Float64


@dataclasses.dataclass(frozen=True)
class Accuracy:
    """Errors of a result.

    Attributes:
        largest_error, mean_error: absolute.
        share_of_bound: the largest error as a share of what its element is allowed.
        worst: where that is.
        result, exact, allowed: of that element.
        count, unjudged: elements, and those among them that have no finite bound.
        pcc: Pearson's correlation coefficient; 1 for constant results that agree.
    """

    largest_error: float
    mean_error: float
    share_of_bound: float
    worst: tuple[int, ...]
    result: float
    exact: float
    allowed: float
    count: int
    unjudged: int
    pcc: float

    @property
    def is_within_bound(self) -> bool:
        return self.share_of_bound <= 1

    @property
    def is_judged(self) -> bool:
        """Whether an element has a bound at all."""
        return self.unjudged < self.count

    @property
    def text(self) -> str:
        """One line about the worst element."""
        return (
            f"{self.share_of_bound:.3g} of what is allowed; at {list(self.worst)} {self.result:.6g}, "
            f"exact {self.exact:.6g}, allowed {self.allowed:.3g}"
        )


def compare(result: np.ndarray[Any, Any], exact: Float64, allowed: Float64) -> Accuracy:
    """Compares a result, element by element.

    Where the exact result is no finite number (a NaN or an infinity in the row), the result must not be one either.
    Where the bound is not finite, no error is too large.
    """
    given, is_free, error, share = _errors(result, exact, allowed)
    bound = np.broadcast_to(allowed, exact.shape)
    worst = tuple(int(each) for each in np.unravel_index(int(np.argmax(share)), share.shape))
    is_number = np.isfinite(given) & np.isfinite(exact)
    usable = [np.where(is_number, each, 0) for each in (given, exact)]
    return Accuracy(
        largest_error=float(error.max()),
        mean_error=float(error.mean()),
        share_of_bound=float(share[worst]),
        worst=worst,
        result=float(given[worst]),
        exact=float(exact[worst]),
        allowed=float(bound[worst]),
        count=exact.size,
        unjudged=int(is_free.sum()),
        pcc=correlation(*usable),
    )


def share_of_allowed(result: np.ndarray[Any, Any], exact: Float64, allowed: Float64) -> Float64:
    """Each element's error as a share of what it is allowed, as ``compare`` judges it; infinite where hopeless."""
    return _errors(result, exact, allowed)[3]


def _errors(
    result: np.ndarray[Any, Any], exact: Float64, allowed: Float64
) -> tuple[Float64, np.ndarray[Any, Any], Float64, Float64]:
    """The result in float64, which elements have no bound, errors, and those as shares of what is allowed."""
    given = result.astype(np.float64)
    if given.shape != exact.shape:
        raise ValueError(f"the result has shape {given.shape}, the reference {exact.shape}")
    bound = np.broadcast_to(allowed, exact.shape)
    is_free = ~np.isfinite(bound) & np.isfinite(exact)
    hopeless = ~np.isfinite(exact) & ~np.isfinite(given)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        error = np.where(np.isfinite(given) & np.isfinite(exact), np.abs(given - exact), np.inf)
        error = np.where(hopeless, 0.0, error)
        share = np.where(is_free | (error == 0), 0.0, error / np.where(is_free | hopeless, 1.0, bound))
    return given, is_free, error, np.where(np.isnan(share), np.inf, share)


def judge(results: Sequence[np.ndarray[Any, Any]], wanted: Bounds) -> Accuracy:
    """The worst of several results, with the elements of all of them."""
    found = [compare(*each) for each in zip(results, wanted.exact, wanted.allowed, strict=True)]
    worst = max(found, key=lambda each: each.share_of_bound)
    return dataclasses.replace(
        worst, count=sum(each.count for each in found), unjudged=sum(each.unjudged for each in found)
    )


def zeros_pass(wanted: Bounds) -> bool:
    """Whether a result of zeros would be within the bound: then the bound says nothing."""
    return all(compare(np.zeros_like(each), each, allowed).is_within_bound for each, allowed in _pairs(wanted))


def _pairs(wanted: Bounds) -> Sequence[tuple[Float64, Float64]]:
    return list(zip(wanted.exact, wanted.allowed, strict=True))


def correlation(result: Float64, exact: Float64) -> float:
    """Pearson's correlation coefficient."""
    with np.errstate(all="ignore"):
        a, b = (each.reshape(-1) - each.mean() for each in (result, exact))
        scale = float(np.sqrt((a * a).sum() * (b * b).sum()))
    if scale == 0 or not np.isfinite(scale):
        return 1.0 if np.array_equal(result, exact) else 0.0
    return float((a * b).sum() / scale)


def held(tensors: Mapping[str, Any]) -> dict[str, Float64]:
    """The values that tensors hold after rounding, in float64."""
    return {name: tensor.to_numpy().astype(np.float64) for name, tensor in tensors.items()}
