# SPDX-License-Identifier: Apache-2.0
"""How far a result may be from float64, derived from the formats it passed through; and the comparison itself.

A bound is an array as large as the result. Those of several steps add up:

>>> y = np.array([1.0, 3.0])
>>> rounded(y, BFLOAT16_NEAREST) + FLUSHED_TO_ZERO
array([0.00390625, 0.01171875])
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tilewright import ttnn

Array = NDArray[np.float64]

# A bfloat16 has 8 significant bits, so neighbours of a value v are at most 2^-7 |v| apart.
BFLOAT16_TRUNCATED = 2.0**-7  # what is cut off is less than one such step: SFPU stores that do not round first
BFLOAT16_NEAREST = 2.0**-8  # half a step: the packer, FPU results in 16-bit DST, SFPU functions that round
# Src registers keep 11 significant bits of a float32 (TF32) and cut the rest off.
TF32_TRUNCATED = 2.0**-10
# Of those, the multiplier takes 5 + 5 of SrcA in its two phases: one bit less.
SRC_A_PRODUCT_TRUNCATED = 2.0**-9
# float32 has 24 significant bits.
FLOAT32_NEAREST = 2.0**-24
FLOAT32_STEP = 2.0**-23
# Denormals count as zero everywhere, so a tiny result may come out as zero.
FLUSHED_TO_ZERO = 2.0**-126

BLOCK = 16  # elements of a row that share one exponent in bfloat8_b


def rounded(values: Array, relative: float) -> Array:
    """Bound of one rounding of ``values`` with the given relative error."""
    return np.abs(values) * relative


def through_src(function: Callable[[Array], Array], x: Array, relative: float = TF32_TRUNCATED) -> Array:
    """How much ``function(x)`` can move when x loses up to ``relative`` of its magnitude on the way into Src.

    The bits cut off can be anything between none and all, so the function is looked at over that interval.
    """
    exact = function(x)
    moved = [np.abs(function(x * (1 - relative * part)) - exact) for part in (0.25, 0.5, 0.75, 1.0)]
    return np.max(moved, axis=0)


def bfloat8_step(values: Array, already: Array | float = 0.0) -> Array:
    """Distance of neighbouring bfloat8_b codes in the block of 16 each element lies in.

    Seven bits of magnitude under the exponent of the block's largest element: step = 2^(exponent - 6). ``already`` is
    the error the values may have before they are packed; it can lift a block's largest element over a power of two.
    """
    width = values.shape[-1]
    if width % BLOCK:
        raise ValueError(f"values: width {width} must be a multiple of {BLOCK}, or padding would share an exponent")
    magnitude = (np.abs(values) + already).reshape(*values.shape[:-1], width // BLOCK, BLOCK)
    largest = magnitude.max(axis=-1, keepdims=True)
    exponent = np.floor(np.log2(np.maximum(largest, FLUSHED_TO_ZERO)))
    return np.broadcast_to(2.0 ** (exponent - 6), magnitude.shape).reshape(values.shape)


def packed(values: Array, dtype: ttnn.DataType, *, wide_dst: bool, already: Array | float = 0.0) -> Array:
    """Error that packing from DST into ``dtype`` adds to the error ``already`` there.

    bfloat16: exact from 16-bit DST, nearest from 32-bit DST. float32: exact, once DST holds the value.
    bfloat8_b: the packer cuts to 8 bits (a quarter of a step at most, where a value is below the block's exponent),
    rounds to 7 (a quarter) and aligns to the shared exponent (half): one step. At the block's exponent itself it is
    one step too, because a value that rounds up past the largest code saturates there.
    """
    already = np.broadcast_to(np.asarray(already, np.float64), values.shape)
    if dtype == ttnn.bfloat16:
        return rounded(np.abs(values) + already, BFLOAT16_NEAREST) if wide_dst else np.zeros_like(values)
    if dtype == ttnn.bfloat8_b:
        return bfloat8_step(values, already)
    return np.zeros_like(values)


def summed(a: Array, b: Array, expected: Array, *, from_float32: bool, wide_dst: bool) -> Array:
    """Bound of the matrix unit's a + b or a - b (already broadcast) as DST holds it."""
    cut = rounded(np.abs(a) + np.abs(b), TF32_TRUNCATED) if from_float32 else np.zeros_like(expected)
    return cut + rounded(np.abs(expected) + cut, FLOAT32_NEAREST if wide_dst else BFLOAT16_NEAREST) + FLUSHED_TO_ZERO


def multiplied(expected: Array, *, from_float32: bool, wide_dst: bool, phases: int = 4) -> Array:
    """Bound of the matrix unit's a * b at HiFi4 as DST holds it.

    float32 operands lose what Src and the multiplier do not take. Every fidelity phase adds its part to DST, and
    16-bit DST rounds each time: that is ``phases`` roundings of sums not larger than the product.
    """
    cut = rounded(expected, TF32_TRUNCATED + SRC_A_PRODUCT_TRUNCATED) if from_float32 else np.zeros_like(expected)
    step = FLOAT32_NEAREST if wide_dst else BFLOAT16_NEAREST
    return cut + phases * rounded(np.abs(expected) * (1 + phases * step), step) + FLUSHED_TO_ZERO


def assert_within(actual: Array, expected: Array, bound: Array | float, what: str = "") -> float:
    """Every element of ``actual`` within ``bound`` of ``expected``; returns the largest error as a share of its bound.

    Elements whose expected value is infinite or NaN must be exactly that, and nothing else may be.
    """
    assert actual.shape == expected.shape, f"{what}: shape {actual.shape}, expected {expected.shape}"
    bound = np.broadcast_to(np.asarray(bound, np.float64), expected.shape)
    finite = np.isfinite(expected)
    special = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
    error = np.where(finite, np.abs(actual - np.where(finite, expected, 0)), 0)
    wrong = np.where(finite, ~(error <= bound), ~special)
    if wrong.any():
        excess = np.where(np.isnan(error), np.inf, error - bound) + np.where(finite, 0, np.inf)
        at = np.unravel_index(int(np.argmax(np.where(wrong, excess, -np.inf))), expected.shape)
        raise AssertionError(
            f"{what}: {int(wrong.sum())} of {wrong.size} elements out of bounds; the worst at "
            f"{tuple(int(i) for i in at)}: got {actual[at]!r}, expected {expected[at]!r} +- {bound[at]:.3g}"
        )
    share = np.divide(error, bound, out=np.zeros_like(error), where=bound > 0)
    return float(share.max(initial=0.0))
