# SPDX-License-Identifier: Apache-2.0
"""Checks of an operation's call before planning: tensors and scalars."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tilewright._planner.row_program import Tensors
from tilewright._tensor.layout import Layout
from tilewright.formula._graph import Extent
from tilewright.formula._inputs import Input
from tilewright.formula._validation import OperationError, check_factors, check_input, check_operand, check_shape

if TYPE_CHECKING:
    from tilewright.ops._operation import Operation


def check_call(operation: Operation, tensors: Tensors, parameters: Mapping[str, float]) -> None:
    """Refuses tensors an operation cannot work on, and what its requirements do not allow.

    Raises:
        OperationError: the first thing that is wrong.
    """
    main = operation.main_input
    check_input(main.name, tensors[main.name], operation.wording)
    for each in operation.inputs:
        if each is not main:
            _check_other_input(operation, tensors, each)
    if operation.multiplication is not None:
        wide = [each.name for each in operation.inputs if each.name in operation.multiplied and each.extent.per_column]
        factors = (*wide, operation.multiplication.right.name)
        count = tensors[main.name].shape[-1]
        check_factors({name: tensors[name] for name in factors}, operation.multiplication.right.name, count)
        _check_needed_twice(operation, tensors)
    operation.check_requirements(tensors, parameters)


def _check_other_input(operation: Operation, tensors: Tensors, operand: Input) -> None:
    """A tensor beside the main one."""
    tensor, main = tensors[operand.name], tensors[operation.main_input.name]
    is_matrix = operand.is_matrix or operand.name == operation.right
    is_rows = operand.extent is Extent.FULL and not is_matrix
    check_operand(operand.name, tensor, main, operation.wording, is_rows=is_rows, is_matrix=is_matrix)
    if operand.name == operation.right:
        _check_right(operation, tensors)
    elif operand.is_of_slab:
        wanted = operand.shape_of(_expected_shape(operation, tensors, operand))
        if tuple(tensor.shape) != wanted:
            raise OperationError(
                f"{operand.name.capitalize()} must have shape {list(wanted)}, got {list(tensor.shape)}"
            )
    elif not operand.broadcasts:
        shape = _expected_shape(operation, tensors, operand)
        check_shape(operand.name, operand.extent, operand.is_matrix, tensor, shape)
    if operand.slabs is not None and operand.slabs.single_row and tensor.layout is Layout.TILE:
        raise OperationError(
            f"{operand.name.capitalize()} must be in ROW_MAJOR layout: it has one row for each slab; got TILE"
        )


def _check_right(operation: Operation, tensors: Tensors) -> None:
    """Refuses a matrix, or matrices, that rows cannot be multiplied by."""
    made = operation.multiplication
    assert made is not None
    sides, rows = list(tensors[made.right.name].shape), list(tensors[operation.main_input.name].shape)
    title = made.right.name.capitalize()
    if made.is_batched and sides != list(made.shape_of_right(rows, made.columns(sides) if len(sides) > 1 else 0)):
        wanted = ["N", rows[-1]] if made.is_transposed else [rows[-1], "N"]
        shape = ", ".join(map(str, (*rows[:-2], *wanted)))
        raise OperationError(f"{title} must have shape [{shape}], a matrix for each slab, got {sides}")
    if not made.is_batched and made.is_transposed and (len(sides) != 2 or sides[1] != rows[-1]):
        raise OperationError(f"{title} must be a matrix of {rows[-1]} columns, as it is transposed, got shape {sides}")
    if not made.is_batched and not made.is_transposed:
        check_shape(made.right.name, Extent.FULL, True, tensors[made.right.name], tuple(rows))


def _expected_shape(operation: Operation, tensors: Tensors, operand: Input) -> tuple[int, ...]:
    """The shape that an operand must go with: what is multiplied by it, or the rows of the results."""
    shapes = {name: tuple(each.shape) for name, each in tensors.items()}
    is_factor = operand.is_matrix or operand.name in operation.multiplied
    return shapes[operation.main_input.name] if is_factor else operation.rows_shape(shapes)


def _check_needed_twice(operation: Operation, tensors: Tensors) -> None:
    """Refuses a tensor that is as wide as what is multiplied, where it is needed beside a product of another width."""
    made = operation.multiplication
    assert made is not None
    count, columns = tensors[operation.main_input.name].shape[-1], tensors[made.right.name].shape[-1]
    for name in operation.needed_twice:
        if count != columns:
            raise OperationError(
                f"{name.capitalize()} is needed before a matmul and after it, so {made.right.name} must be square, got "
                f"{count} rows and {columns} columns"
            )
