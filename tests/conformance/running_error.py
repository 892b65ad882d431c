# SPDX-License-Identifier: Apache-2.0
"""Bounds of whole kernels, step by step: a value in float64 with how far the simulated one may be from it.

A test repeats the kernel's steps on ``Approximation``s; each step adds what the formats on its way can lose, so the
last one carries the bound of the kernel. Nothing in here is fitted to results.

>>> x = exact(np.array([[3.0, 4.0]]))
>>> (x + x).error.tolist()
[[0.0, 0.0]]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.conformance.error_bounds import (
    BFLOAT16_NEAREST,
    BFLOAT16_TRUNCATED,
    FLOAT32_NEAREST,
    FLOAT32_STEP,
    FLUSHED_TO_ZERO,
    SRC_A_PRODUCT_TRUNCATED,
    TF32_TRUNCATED,
    Array,
)

FACE = 16  # columns the matrix unit adds up at once in a row sum
FACES_PER_TILE = 2

# SrcB's first phase takes 7 of a bfloat16's 8 bits, SrcA's takes 5: what is left for the later phases.
SRC_B_LOW = 2.0**-7
SRC_A_LOW = 2.0**-4
# Before the matrix unit adds numbers it rounds each to 11 bits, counted from the largest one's first bit.
ALIGNMENT = 2.0**-11
GROUP = 8  # products added up before they meet DST


@dataclass(frozen=True)
class Approximation:
    """``value`` is what float64 gives; what the kernel has at this point is within ``error`` of it."""

    value: Array
    error: Array

    @property
    def magnitude(self) -> Array:
        """The largest the kernel's number can be."""
        return np.abs(self.value) + self.error

    def columns(self, which: slice) -> Approximation:
        return Approximation(self.value[:, which], self.error[:, which])

    def __add__(self, other: Approximation) -> Approximation:
        return Approximation(self.value + other.value, self.error + other.error)

    def __sub__(self, other: Approximation) -> Approximation:
        return Approximation(self.value - other.value, self.error + other.error)

    def __mul__(self, other: Approximation) -> Approximation:
        error = np.abs(self.value) * other.error + other.magnitude * self.error
        return Approximation(self.value * other.value, error)

    def scaled(self, factor: float) -> Approximation:
        return Approximation(self.value * factor, self.error * abs(factor))

    def off_by(self, relative: float) -> Approximation:
        """After a step that can be wrong by this share of its result, or turn a denormal into zero."""
        return Approximation(self.value, self.error + relative * self.magnitude + FLUSHED_TO_ZERO)

    def off_by_absolute(self, error: Array) -> Approximation:
        return Approximation(self.value, self.error + error)


def exact(value: Array | float) -> Approximation:
    array = np.asarray(value, np.float64)
    return Approximation(array, np.zeros_like(array))


def _half_step(magnitude: Array) -> Array:
    """Half the distance of neighbouring bfloat16 numbers at this magnitude: 8 significant bits."""
    return np.asarray(2.0 ** (np.floor(np.log2(np.maximum(magnitude, FLUSHED_TO_ZERO))) - 8))


def _accumulated(total: Array, added: Array) -> Array:
    """Error of adding up to ``added`` to a 16-bit DST loses, when that makes ``total``.

    The two groups are rounded to 11 bits each (two eighths of half a step), then the sum is rounded to 8 (half a
    step). Neither costs more than there was to add: what DST had before is a bfloat16 too.
    """
    half_step = _half_step(total)
    return np.asarray(np.minimum(half_step, 2 * added) + np.minimum(half_step / 4, added))


@dataclass(frozen=True)
class Datapath:
    """Formats a compute kernel works with: DST of 16 or 32 bits, buffers of bfloat16 or float32.

    Functions of the vector unit have the largest errors of the published exhaustive tables (in units of the last
    place): exp and reciprocal 1, reciprocal square root 1/2 in bfloat16 and 1 in float32.
    """

    wide_dst: bool
    float32_buffers: bool

    def through_src(self, x: Approximation) -> Approximation:
        """A float32 loses its low 13 bits on the way into a source register; a bfloat16 fits."""
        return x.off_by(TF32_TRUNCATED) if self.float32_buffers else x

    def in_dst(self, x: Approximation) -> Approximation:
        """A result of the matrix unit: rounded to nearest in 16-bit DST, nearly exact in 32-bit DST."""
        return x.off_by(FLOAT32_STEP if self.wide_dst else BFLOAT16_NEAREST)

    def stored(self, x: Approximation) -> Approximation:
        """A result of the vector unit that is not rounded first: a 16-bit DST cuts it off."""
        return x.off_by(FLOAT32_STEP if self.wide_dst else BFLOAT16_TRUNCATED)

    def packed(self, x: Approximation) -> Approximation:
        """Into a buffer: only from 32-bit DST to bfloat16 is anything lost."""
        return x.off_by(BFLOAT16_NEAREST) if self.wide_dst and not self.float32_buffers else x

    def add(self, a: Approximation, b: Approximation) -> Approximation:
        a, b = self.through_src(a), self.through_src(b)
        return self._aligned(a + b, a, b)

    def subtract(self, a: Approximation, b: Approximation) -> Approximation:
        a, b = self.through_src(a), self.through_src(b)
        return self._aligned(a - b, a, b)

    def _aligned(self, result: Approximation, a: Approximation, b: Approximation) -> Approximation:
        return self.in_dst(result.off_by_absolute(ALIGNMENT * np.maximum(a.magnitude, b.magnitude)))

    def multiply(self, a: Approximation, b: Approximation) -> Approximation:
        """HiFi4. SrcA's multiplier takes 10 of its 11 bits.

        16-bit DST aligns and rounds in each of the four phases. Half a step at most, and never more than the phase
        adds, since what DST had before is a bfloat16 too: that limits the last phase, low part times low part.
        """
        if self.wide_dst:
            a = a.off_by(SRC_A_PRODUCT_TRUNCATED) if self.float32_buffers else a
            return self.in_dst(a * self.through_src(b))
        return (a * b).off_by(3 * (BFLOAT16_NEAREST + ALIGNMENT) + 2 * SRC_A_LOW * SRC_B_LOW)

    def row_sum(self, x: Approximation) -> Approximation:
        """Sum along the last axis, as a column. ``x`` is in SrcB, ones are in SrcA."""
        return self._wide_row_sum(self.through_src(x)) if self.wide_dst else self._narrow_row_sum(x)

    def _wide_row_sum(self, x: Approximation) -> Approximation:
        total = x.value.sum(axis=-1, keepdims=True)
        additions = x.value.shape[-1] // FACE + FACE
        rounding = additions * FLOAT32_NEAREST * x.magnitude.sum(axis=-1, keepdims=True)
        return Approximation(total, x.error.sum(axis=-1, keepdims=True) + rounding)

    def _narrow_row_sum(self, x: Approximation) -> Approximation:
        """Two faces of 16 columns per tile, each in two phases (7 bits, then the last one), DST rounded every time.

        The products of a face are two groups; all but the largest of a group lose bits when they are aligned to it.
        """
        rows, width = x.value.shape
        missing = -width % (FACES_PER_TILE * FACE)  # columns of the last tile that add nothing
        shape = (rows, (width + missing) // (FACES_PER_TILE * FACE), FACES_PER_TILE, FACE // GROUP, GROUP)
        values, errors, magnitudes = (
            np.pad(part, ((0, 0), (0, missing))).reshape(shape) for part in (x.value, x.error, x.magnitude)
        )
        alignment = (GROUP - 1) * ALIGNMENT * magnitudes.max(axis=-1).sum(axis=-1)
        values, errors, magnitudes = (part.sum(axis=(-2, -1)) for part in (values, errors, magnitudes))
        total, error = np.zeros(rows), np.zeros(rows)
        for tile in range(shape[1]):
            later = SRC_B_LOW * magnitudes[:, tile].sum(axis=-1)
            for face in range(FACES_PER_TILE):
                total = total + values[:, tile, face]
                error = error + errors[:, tile, face] + alignment[:, tile, face]
                error = error + _accumulated(np.abs(total) + error + later, magnitudes[:, tile, face])
            for face in range(FACES_PER_TILE):
                added = SRC_B_LOW * magnitudes[:, tile, face]
                error = error + _accumulated(np.abs(total) + error + later, added)
        return Approximation(total[:, None], error[:, None])

    def exp(self, x: Approximation) -> Approximation:
        value = np.exp(x.value)
        moved = Approximation(value, value * np.expm1(x.error))
        return moved.off_by(FLOAT32_STEP if self.wide_dst else BFLOAT16_TRUNCATED)

    def reciprocal(self, x: Approximation) -> Approximation:
        """Of positive numbers."""
        smallest = x.value - x.error
        assert (smallest > 0).all(), "the bound of the divisor reaches zero: nothing can be said about the quotient"
        moved = Approximation(1 / x.value, 1 / smallest - 1 / x.value)
        return moved.off_by(FLOAT32_STEP if self.wide_dst else BFLOAT16_TRUNCATED)

    def reciprocal_square_root(self, x: Approximation) -> Approximation:
        """Of positive numbers."""
        smallest = x.value - x.error
        assert (smallest > 0).all(), "the bound of the variance reaches zero: nothing can be said about the quotient"
        moved = Approximation(x.value**-0.5, smallest**-0.5 - x.value**-0.5)
        return moved.off_by(FLOAT32_STEP if self.wide_dst else BFLOAT16_NEAREST)
