# SPDX-License-Identifier: Apache-2.0
"""How exact a phase can be at all: what its buffer's format and its operands' formats cost.

Rounding the result costs up to one unit in the last place that anybody sees. What rounding the operands costs is
found by moving each of them by as much as its way into the matrix unit may, and looking at what comes out: a sum that
cancels shows a large change, a product a small one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from tilewright.tensor.dtype import DataType
from tilewright.workshop.trace.steps import Float64

# A float32 operand keeps 10 mantissa bits on its way into the matrix unit, and is cut, not rounded.
MATRIX_UNIT = 2.0**-10
# A bfloat16 operand comes whole; sums and functions in 32-bit DST are good to about this much.
DST = 2.0**-18
# Phases round more than once on their way: an error of twice the floor is still one.
ROUNDINGS = 2
_TRIALS = 4


def operand_step(dtype: DataType) -> float:
    """How far a number of this format may move on its way into a computation, as a share of it."""
    return MATRIX_UNIT if dtype is DataType.FLOAT32 else DST


def significant_bits(dtype: DataType, is_only_moved: bool) -> int:
    """Bits of a circular buffer's numbers that anybody sees, the leading one included.

    The matrix unit sees 11 bits of a float32; what is only moved keeps all 24.
    """
    if dtype is DataType.BFLOAT16:
        return 8
    return 24 if is_only_moved else 11


def unit_in_last_place(values: Float64, bits: int) -> Float64:
    """The distance between neighbours at each value, of numbers with so many significant bits."""
    _, exponent = np.frexp(np.where(np.isfinite(values), values, 0.0))
    return np.asarray(np.ldexp(1.0, np.maximum(exponent - bits, -126)))


def floor_of(
    evaluate: Callable[[Mapping[str, Float64]], Float64],
    operands: Mapping[str, Float64],
    steps: Mapping[str, float],
    bits: int,
) -> Float64:
    """The error that a right phase may show, element by element.

    Args:
        evaluate: the reference.
        operands: everything it may name.
        steps: how far those that it does name may move, as a share of them.
        bits: significant ones of the circular buffer.
    """
    base = evaluate(operands)
    total = unit_in_last_place(base, bits)
    generator = np.random.default_rng(0)
    for name, step in steps.items():
        value = operands[name]
        moved = np.abs(evaluate({**operands, name: value * (1 + step)}) - base)
        squares = np.zeros_like(base)
        for _ in range(_TRIALS):
            signs = generator.choice((-step, step), size=value.shape)
            squares += (evaluate({**operands, name: value * (1 + signs)}) - base) ** 2
        away = np.abs(evaluate({**operands, name: value + DST * np.abs(value)}) - base)  # what adding up may lose
        total = total + np.maximum(moved, np.sqrt(squares)) + away
    return np.asarray(ROUNDINGS * total)
