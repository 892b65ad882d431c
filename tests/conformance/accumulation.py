# SPDX-License-Identifier: Apache-2.0
"""Sums of products as the matrix unit forms them: operands cut into parts, DST rounded after every step.

A step is what one instruction adds to DST: 16 products of one fidelity phase, summed in two groups of 8.
``accumulated`` says how far any order of roundings can lead from the exact sum; ``rounded_sum`` does the roundings one
by one, so for operands whose sums of 8 products are exact in float32 it gives the result to the bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from tests.conformance.error_bounds import FLOAT32_STEP, FLUSHED_TO_ZERO, Array
from tilewright import ttnn

FACE = 16
# The multiplier takes 5 bits of SrcA and 7 of SrcB at a time: first the leading ones, then 5 and 4 more.
_HIGH_BITS = {"A": 0xFFF80000, "B": 0xFFFE0000}
_ALL_BITS = {"A": 0xFFFFC000, "B": 0xFFFFE000}


class Step(NamedTuple):
    """What is added to DST at once, as the sums of two groups, and the magnitudes it is made of.

    Several steps may stand as one for a bound, with the number of ``roundings`` on the way.
    """

    groups: tuple[Array, Array]
    magnitude: Array
    roundings: int = 1

    @property
    def value(self) -> Array:
        return self.groups[0] + self.groups[1]


def kept(values: Array, mask: int) -> Array:
    """The bits of float32 ``values`` under ``mask``."""
    return (values.astype(np.float32).view(np.uint32) & np.uint32(mask)).view(np.float32).astype(np.float64)


def phases(source_a: Array, source_b: Array, fidelity: ttnn.MathFidelity) -> Iterator[tuple[Array, Array]]:
    """The parts of the two operands that each fidelity phase multiplies."""
    high_a, high_b = kept(source_a, _HIGH_BITS["A"]), kept(source_b, _HIGH_BITS["B"])
    low_a, low_b = kept(source_a, _ALL_BITS["A"]) - high_a, kept(source_b, _ALL_BITS["B"]) - high_b
    yield high_a, high_b
    if fidelity != ttnn.MathFidelity.LoFi:
        yield low_a, high_b
        if fidelity != ttnn.MathFidelity.HiFi2:
            yield high_a, low_b
            if fidelity == ttnn.MathFidelity.HiFi4:
                yield low_a, low_b


def seen(source_a: Array, source_b: Array, fidelity: ttnn.MathFidelity) -> Array:
    """The exact matrix product of what the multiplier sees in all phases."""
    if fidelity == ttnn.MathFidelity.HiFi4:
        return kept(source_b, _ALL_BITS["B"]) @ kept(source_a, _ALL_BITS["A"])
    return sum(b @ a for a, b in phases(source_a, source_b, fidelity))  # type: ignore[return-value]


def accumulated(steps: Iterable[Step], *, wide_dst: bool, already: Array | float = 0.0) -> tuple[Array, Array]:
    """The exact sum of all steps, and how far DST can be from it.

    32-bit DST: the 16 additions of a step and the one into DST each lose at most a unit in the last place.
    16-bit DST: half the distance of bfloat16 neighbours at the magnitude reached; and before that each group rounded to
    11 bits counted from DST's first, half of whose last is an eighth of that.
    """
    value, error = np.asarray(np.float64(0.0)), np.asarray(already, np.float64)
    for step in steps:
        before, value = np.abs(value), value + step.value
        reached = error + (np.abs(value) if step.roundings == 1 else before + step.magnitude)
        if wide_dst:
            error = error + FLOAT32_STEP * (step.roundings * reached + FACE * step.magnitude)
        else:
            error = error + step.roundings * 1.25 * half_bfloat16_step(1.01 * reached)
    return value, error


def half_bfloat16_step(magnitude: Array) -> Array:
    """Half the distance of bfloat16 neighbours: 8 significant bits."""
    _, exponent = np.frexp(np.maximum(magnitude, FLUSHED_TO_ZERO))  # of a fraction below 1
    return np.ldexp(1.0, exponent - 9)


def rounded_sum(steps: Iterable[Step]) -> Array:
    """DST of 16 bits after all steps.

    Each group is rounded to 11 bits counted from DST's first one, or from the second below its own where that is
    larger, halves up; the total to the nearest bfloat16, ties away from zero.
    """
    held = np.float64(0.0)
    for step in steps:
        largest_group = np.maximum(*map(np.abs, step.groups))
        unit = np.maximum(half_bfloat16_step(np.abs(held)), half_bfloat16_step(largest_group) / 4) / 4
        aligned = [np.floor(group / unit + 0.5) * unit for group in step.groups]
        words = (held + aligned[0] + aligned[1]).astype(np.float32).view(np.uint32)
        held = kept(((words + np.uint32(0x8000)) & np.uint32(0xFFFF0000)).view(np.float32), 0xFFFF0000)  # type: ignore[assignment]
    return np.asarray(held)


def grouped(products: Array, axis: int) -> Step:
    """The step that adds 16 products along ``axis``."""
    first, last = np.split(products, 2, axis=axis)
    return Step((first.sum(axis=axis), last.sum(axis=axis)), np.abs(products).sum(axis=axis))


def exact_in_eights(shape: tuple[int, ...], seed: int = 5) -> Array:
    """bfloat16 numbers 1 to 2 with either sign: 8 bits, so products have 16 and sums of 8 of them fit float32."""
    rng = np.random.default_rng(seed)
    return rng.integers(128, 256, shape) / 128 * rng.choice([-1.0, 1.0], shape)
