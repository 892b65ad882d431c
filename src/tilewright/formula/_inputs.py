# SPDX-License-Identifier: Apache-2.0
"""Inputs of an operation: extents, shapes, broadcasting, dtypes and layouts.

A tensor declared as ``BroadcastTensor`` broadcasts by NumPy's rules: each side is that of the first tensor, or 1.
What it is to the formula follows from its last two sides: rows, a row, a column or one number. Where it has fewer slabs
of the last two dimensions than the first tensor, readers come back to the ones it has.
"""

from __future__ import annotations

import dataclasses
import math

from tilewright._tensor.dtype import DataType
from tilewright.formula._graph import Extent
from tilewright.formula._validation import OperationError


@dataclasses.dataclass(frozen=True)
class Slabs:
    """Which slab of a tensor belongs to slab n of the first one: ``n // divisor % modulus``.

    Attributes:
        modulus: 0 if there are as many slabs as the first tensor has, however many that are.
        single_row: whether a slab has one row, which serves all.
    """

    divisor: int
    modulus: int
    single_row: bool = False


@dataclasses.dataclass(frozen=True)
class Input:
    """A tensor an operation takes.

    Attributes:
        broadcasts: whether its shape may be smaller than that of the first tensor.
        slabs: how its slabs broadcast, once shapes are known; None if it has as many as the first tensor or serves all.
    """

    name: str
    extent: Extent
    is_matrix: bool = False
    broadcasts: bool = False
    slabs: Slabs | None = None

    @property
    def is_of_slab(self) -> bool:
        """Whether it has one row, or one number, for each slab, whatever the shape of the first tensor is."""
        return self.slabs is not None and self.slabs.modulus == 0

    def shape_of(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Its shape beside a full input of a shape; a matrix is square where nothing says otherwise."""
        if self.is_matrix:
            return (shape[-1], shape[-1])
        if self.is_of_slab:
            return (*shape[:-2], 1, shape[-1] if self.extent is Extent.FULL else 1)
        match self.extent:
            case Extent.FULL:
                return shape
            case Extent.ROW:
                return shape[-1:]
            case Extent.COLUMN:
                return (*shape[:-1], 1)
        return (1, 1)

    def specialised_for(self, own: tuple[int, ...], shape: tuple[int, ...]) -> Input:
        """The same with its extent and its slabs, for its own shape beside that of the first tensor.

        Raises:
            OperationError: it does not broadcast to that shape.
        """
        sides = (1,) * (len(shape) - len(own)) + tuple(own)
        if len(sides) != len(shape) or any(side not in (1, whole) for side, whole in zip(sides, shape, strict=True)):
            raise OperationError(
                f"{self.name.capitalize()} must broadcast to {list(shape)}, each side as there or 1, got {list(own)}"
            )
        down, across = sides[-2] == shape[-2], sides[-1] == shape[-1]
        serves_all = math.prod(sides[:-2]) == 1
        if not down and serves_all:
            return dataclasses.replace(self, extent=Extent.ROW if across else Extent.SCALAR)
        extent = Extent.FULL if across else Extent.COLUMN
        if sides[:-2] == shape[:-2] and down:
            return dataclasses.replace(self, extent=extent)
        return dataclasses.replace(self, extent=extent, slabs=self._slabs(sides[:-2], shape[:-2], not down))

    def _slabs(self, sides: tuple[int, ...], whole: tuple[int, ...], single_row: bool) -> Slabs:
        kept = [index for index, side in enumerate(sides) if side > 1]
        if not kept:
            return Slabs(1, 1, single_row)
        first, last = kept[0], kept[-1]
        if any(whole[index] > 1 for index in range(first, last + 1) if index not in kept):
            raise OperationError(
                f"{self.name.capitalize()} must not broadcast between dimensions that it has, got {list(sides)} beside "
                f"{list(whole)} for the leading ones: give it in full"
            )
        return Slabs(math.prod(whole[last + 1 :]), math.prod(whole[first : last + 1]), single_row)


@dataclasses.dataclass(frozen=True)
class Form:
    """Formats and layouts of the operands: what kernels depend on besides the formula.

    Attributes:
        in_slabs: whether tile-rows begin anew with every slab of the last two dimensions.
    """

    dtypes: tuple[DataType, ...]
    tiled: tuple[bool, ...]
    outputs_tiled: tuple[bool, ...]
    output_dtypes: tuple[DataType, ...]
    in_slabs: bool
