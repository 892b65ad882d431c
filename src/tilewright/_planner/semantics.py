# SPDX-License-Identifier: Apache-2.0
"""Semantics of an operation: formula, inputs, shapes and dtypes of results, the exact result."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tilewright._planner.matmul import Multiplication, without_matmul
from tilewright._tensor.dtype import DataType
from tilewright._tensor.layout import Layout
from tilewright.formula._dimensions import Side, shape_of_input, sides_of_inputs
from tilewright.formula._direction import Direction, direction_of, turned
from tilewright.formula._evaluate import Float64
from tilewright.formula._graph import Extent, Value
from tilewright.formula._inputs import Input
from tilewright.formula._parameters import Parameter
from tilewright.formula._tracing import Formula, trace

_CAST_TO = {
    "to_bfloat16": DataType.BFLOAT16,
    "to_float32": DataType.FLOAT32,
    "to_int32": DataType.INT32,
}


class Meaning:
    """The meaning of a declaration, before anything is planned.

    Attributes:
        name: of the function.
        inputs: the tensors it takes.
        parameters: the numbers it takes, by name.
    """

    def __init__(self, function: Callable[..., Any], inputs: Sequence[Input], parameters: Sequence[Parameter]) -> None:
        self.function = function
        self.name = function.__name__
        self.inputs = tuple(inputs)
        self.parameters = {each.name: each for each in parameters}
        self.__doc__ = inspect.getdoc(function)

    @functools.cached_property
    def graph(self) -> Formula:
        """The formula."""
        inputs = [Value("input", extent=each.extent, name=each.name, is_matrix=each.is_matrix) for each in self.inputs]
        return self._graph_of(inputs, [Value("parameter", name=name) for name in self.parameters])

    def _graph_of(self, inputs: Sequence[Value], parameters: Sequence[Value]) -> Formula:
        return trace(self.function, inputs, parameters)

    @functools.cached_property
    def direction(self) -> Direction:
        """Which way the lines of tiles go that it works along."""
        return direction_of(self.graph)

    @functools.cached_property
    def planned_graph(self) -> Formula:
        """The formula as the planner sees it: along lines of tiles, a matmul as a tensor of its own."""
        return self._without_matmul[0]

    @property
    def multiplication(self) -> Multiplication | None:
        """The matmul in it."""
        return self._without_matmul[1]

    @functools.cached_property
    def _without_matmul(self) -> tuple[Formula, Multiplication | None]:
        return without_matmul(turned(self.graph, self.direction))

    @property
    def formula(self) -> str:
        """The formula in one line."""
        return f"y = {self.graph.text()}"

    @property
    def summary(self) -> str:
        """The first line of its docstring."""
        return (self.__doc__ or self.formula).split("\n")[0]

    @functools.cached_property
    def full_inputs(self) -> list[Input]:
        return [
            each
            for each in self.inputs
            if each.extent is Extent.FULL and not each.is_matrix and not each.is_of_slab and each.name != self.right
        ]

    @property
    def right(self) -> str:
        """The tensor that rows are multiplied by; empty without a matmul."""
        return "" if self.multiplication is None else self.multiplication.right.name

    @functools.cached_property
    def main_input(self) -> Input:
        """The input whose shape the others follow: what is multiplied by a matrix, or the first."""
        chosen = [each for each in self.full_inputs if not self.multiplied or each.name in self.multiplied]
        return next((each for each in chosen if not each.broadcasts), chosen[0])

    @functools.cached_property
    def multiplied(self) -> frozenset[str]:
        """The tensors that are multiplied by a matrix, or computed with before that."""
        made = self.multiplication
        return frozenset() if made is None else frozenset(each.name for each in made.left_inputs)

    @functools.cached_property
    def needed_twice(self) -> tuple[str, ...]:
        """Tensors as wide as what is multiplied by a matrix that are needed beside the product, too."""
        after = {each.name for each in self.planned_graph.inputs} & self.multiplied
        return tuple(each.name for each in self.inputs if each.name in after and each.extent.per_column)

    @functools.cached_property
    def output_names(self) -> tuple[str, ...]:
        count = len(self.graph.outputs)
        return ("output",) if count == 1 else tuple(f"output_{index}" for index in range(count))

    @property
    def defaults(self) -> dict[str, float]:
        """The parameters of a call that gives none."""
        return {name: each.default for name, each in self.parameters.items()}

    def rows_shape(self, shapes: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
        """The shape of the rows that results are made of, for shapes of the inputs by name: a matmul changes it."""
        shape = tuple(shapes[self.main_input.name])
        made = self.multiplication
        return shape if made is None else (*shape[:-1], made.columns(shapes[made.right.name]))

    @functools.cached_property
    def input_sides(self) -> dict[str, tuple[Side, Side]]:
        """Rows and columns of each input, as sides of the main one."""
        return sides_of_inputs(self.graph, self.main_input.name)

    def input_shapes(self, shape: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
        """Shapes of the inputs by name, for a shape of the main one; what is free is as wide as that."""
        values = {each.name: each for each in self.graph.inputs}
        return {
            each.name: each.shape_of(shape)
            if each.is_of_slab
            else shape_of_input(values[each.name], self.input_sides[each.name], shape)
            for each in self.inputs
        }

    def planned_shapes(self, rows: tuple[int, ...], inner_width: int) -> dict[str, tuple[int, ...]]:
        """Shapes of the inputs by name, for rows of a shape; ``inner_width`` is that of what is multiplied."""
        shapes = {each.name: each.shape_of(rows) for each in self.inputs}
        if self.multiplication is not None:
            left = (*rows[:-1], inner_width)
            shapes |= {name: left for name in shapes if name in self.multiplied and shapes[name] == rows}
            shapes[self.right] = self.multiplication.shape_of_right(left, rows[-1])
        return shapes

    def output_shapes(self, shape: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        """Shapes of the results, for rows of a shape."""
        sides = [(each.extent.per_row, each.extent.per_column) for each in self.graph.outputs]
        return tuple((*shape[:-2], shape[-2] if down else 1, shape[-1] if across else 1) for down, across in sides)

    def output_dtypes(self, dtype: DataType) -> tuple[DataType, ...]:
        """Dtypes of the results, for a main input of a dtype: what they are cast to, or one like it."""
        return tuple(_CAST_TO.get(each.function, result_dtype(dtype)) for each in self.graph.outputs)

    def output_layouts(self, layout: Layout) -> tuple[Layout, ...]:
        """Layouts of the results, for a main input of a layout."""
        return (layout,) * len(self.output_names)

    def input_dtypes(self, dtype: DataType) -> dict[str, DataType]:
        """Dtypes of the inputs by name, for a main input of a dtype, where nothing says otherwise."""
        return dict.fromkeys((each.name for each in self.inputs), dtype)

    def reference(
        self, operands: Mapping[str, Any], parameters: Mapping[str, float] | None = None
    ) -> tuple[Float64, ...]:
        """The exact results, in float64, of arrays by name."""
        results = self.graph.reference(self.named(operands, parameters))
        shapes = self.output_shapes(self.rows_shape({name: np.shape(each) for name, each in operands.items()}))
        return tuple(np.broadcast_to(value, shape) for value, shape in zip(results, shapes, strict=True))

    def named(self, operands: Mapping[str, Any], parameters: Mapping[str, float] | None) -> dict[str, Any]:
        """Arrays and numbers as the formula takes them."""
        names: dict[str, Any] = {**self.defaults, **(parameters or {})}
        for each in self.inputs:
            array = np.asarray(operands[each.name], dtype=np.float64)
            names[each.name] = array.reshape(-1) if each.extent is Extent.ROW else array
            if each.extent is Extent.SCALAR:
                names[each.name] = array.reshape(())
        return names


def result_dtype(dtype: DataType) -> DataType:
    """Of the results, for a first input of a dtype. Elements of a block share an exponent, with what lies beside the
    tensor too, so results are never block floats. What is computed of integers is no integer unless it is cast.
    """
    if dtype is DataType.INT32:
        return DataType.FLOAT32
    return DataType.BFLOAT16 if dtype.is_block_float else dtype
