# SPDX-License-Identifier: Apache-2.0
"""Errors of a result as a map of its elements, each with its share of what it is allowed: plain numbers and words."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_MOST_CELLS = 64  # in each direction
_MOST_WRONG = 20

Values = NDArray[np.float64]
ErrorMap = dict[str, Any]


def error_map(share: Values, got: Values, wanted: Values, reference: str) -> ErrorMap:
    """A result beside its reference.

    Args:
        share: of each element, its error over what is allowed; more than 1 is wrong.
        got, wanted: what it is, and is to be.
        reference: what it is compared with, in words.

    >>> error_map(np.array([0.5, 2.0]), np.array([1.0, 4.0]), np.array([1.0, 3.0]), "the book")["words"]
    '1 of 2 elements are wrong, beside the book. The worst, at [1], is 4 instead of 3: 200 % of what is allowed.'
    """
    flat = [_rows(each) for each in (share, got, wanted)]
    (wrong,) = np.nonzero(~(flat[0].reshape(-1) <= 1))
    worst = int(np.argmax(share)) if share.size else 0
    step = [-(-side // _MOST_CELLS) for side in flat[0].shape]
    return {
        "cells": [[_finite(cell) for cell in row] for row in _largest(flat[0], step).tolist()],
        "step": step,
        "wrong": len(wrong),
        "elements": [_element(share.shape, flat, int(at)) for at in wrong[:_MOST_WRONG]],
        "words": _words(len(wrong), share.size, reference, _element(share.shape, flat, worst)),
    }


def _rows(values: Values) -> Values:
    """Of two dimensions, whatever the tensor has."""
    return np.atleast_2d(values).reshape(-1, np.atleast_2d(values).shape[-1])


def _largest(share: Values, step: list[int]) -> Values:
    """The worst element of each cell."""
    rows, columns = (-(-side // each) for side, each in zip(share.shape, step, strict=True))
    padded = np.zeros((rows * step[0], columns * step[1]))
    padded[: share.shape[0], : share.shape[1]] = share
    found: Values = padded.reshape(rows, step[0], columns, step[1]).max(axis=(1, 3))
    return found


def _finite(number: float) -> float | None:
    return round(number, 4) if np.isfinite(number) else None


def _element(shape: tuple[int, ...], flat: list[Values], at: int) -> ErrorMap:
    share, got, wanted = (float(each.reshape(-1)[at]) for each in flat)
    place = [int(each) for each in np.unravel_index(at, shape)] if shape else []
    return {"at": place, "got": f"{got:.6g}", "wanted": f"{wanted:.6g}", "share": _finite(share)}


def _words(wrong: int, size: int, reference: str, worst: ErrorMap) -> str:
    share = "beyond all bounds" if worst["share"] is None else f"{100 * worst['share']:.3g} % of what is allowed"
    found = f"{wrong:,} of {size:,} elements are wrong" if wrong else f"none of {size:,} elements is wrong"
    return (
        f"{found}, beside {reference}. The worst, at {worst['at']}, is {worst['got']} instead of {worst['wanted']}: "
        f"{share}."
    )
