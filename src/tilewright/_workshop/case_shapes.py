# SPDX-License-Identifier: Apache-2.0
"""Shapes that satisfy an operation's requirements, or break one of them alone, near to the shape that is wanted."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tilewright._tensor.dtype import DataType
from tilewright._tensor.layout import Layout
from tilewright._tensor.shape import Shape
from tilewright.formula._requirements import Requirement
from tilewright.formula._validation import OperationError
from tilewright.ops import Operation

# Sides to try, besides the wanted one and its neighbours: around tiles, and what conditions are usually about.
_SIDES = (1, 2, 3, 4, 8, 16, 31, 32, 33, 40, 47, 48, 64, 80, 96, 100, 128, 150, 160, 161, 192, 256, 320, 384, 512, 1024)
_LEADS: tuple[tuple[int, ...], ...] = ((), (1,), (2,), (3,), (4,), (8,), (1, 1), (1, 2), (2, 3), (2, 2), (4, 4))
_MOST_ELEMENTS = 1 << 20


@dataclasses.dataclass(frozen=True)
class _DescribedTensor:
    """A tensor as a condition sees it."""

    shape: Shape
    dtype: DataType
    layout: Layout


def broken_requirements(
    operation: Operation,
    shape: Sequence[int],
    dtype: DataType = DataType.BFLOAT16,
    numbers: Mapping[str, float] | None = None,
) -> tuple[Requirement, ...]:
    """The requirements that a call on tensors for this shape of the main one does not satisfy."""
    values: dict[str, Any] = {
        name: _DescribedTensor(Shape(size), dtype, Layout.ROW_MAJOR)
        for name, size in operation.input_shapes(tuple(shape)).items()
    }
    values |= {**operation.defaults, **(numbers or {})}
    return tuple(each for each in operation.requirements if not _holds(each, values))


def _holds(requirement: Requirement, values: Mapping[str, Any]) -> bool:
    try:
        requirement.check(values)
    except OperationError:
        return False
    return True


def satisfying_shape(
    operation: Operation, wanted: tuple[int, ...], dtype: DataType = DataType.BFLOAT16
) -> tuple[int, ...] | None:
    """The shape nearest to the wanted one that satisfies every requirement; None if none of those tried does."""
    if not operation.requirements:
        return wanted
    return next((each for each in _near(wanted) if not broken_requirements(operation, each, dtype)), None)


def breaking_shape(operation: Operation, requirement: Requirement, wanted: tuple[int, ...]) -> tuple[int, ...] | None:
    """The shape nearest to the wanted one that breaks this requirement and no other; None if none of those tried."""
    return next((each for each in _near(wanted) if broken_requirements(operation, each) == (requirement,)), None)


def _near(wanted: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Shapes, the wanted one first, then by how much their sides differ from its sides."""
    *lead, height, width = wanted
    heights, widths = ({side, side - 1, side + 1, 2 * side, *_SIDES} - {0} for side in (height, width))
    leads = {tuple(lead), *_LEADS}
    shapes = [(*before, down, across) for before in leads for down in heights for across in widths]

    def distance(shape: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
        sides = abs(math.log(shape[-2] / height)) + abs(math.log(shape[-1] / width))
        before = 0.0 if shape[:-2] == tuple(lead) else 1.0 + abs(len(shape) - len(wanted))
        return sides + before, shape

    yield from sorted((each for each in shapes if math.prod(each) <= _MOST_ELEMENTS), key=distance)
