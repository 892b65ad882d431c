# SPDX-License-Identifier: Apache-2.0
"""Random formulas, of everything that a formula can say: what tests plan, run and judge."""

from __future__ import annotations

import dataclasses
import math
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from hypothesis import strategies as some

from tilewright import ttnn
from tilewright._planner.model import Choices
from tilewright._planner.plan import Variant
from tilewright._planner.split import needs_split
from tilewright.formula import Extent, FormulaError, Value
from tilewright.formula import _functions as formula
from tilewright.formula._direction import CannotPlanError
from tilewright.formula._elementwise import ELEMENTWISE
from tilewright.formula._graph import as_value, nodes_of
from tilewright.formula._inputs import Input
from tilewright.formula._parameters import Parameter
from tilewright.formula._validation import Wording
from tilewright.ops import Operation, Strategy
from tilewright.ops._split_operation import SplitOperation

INPUTS = {
    "x": Input("x", Extent.FULL),
    "y": Input("y", Extent.FULL),
    "row": Input("row", Extent.ROW),
    "column": Input("column", Extent.COLUMN),
    "scalar": Input("scalar", Extent.SCALAR),
    "left": Input("left", Extent.FULL),
    "weights": Input("weights", Extent.FULL, is_matrix=True),
    "others": Input("others", Extent.FULL, is_matrix=True),
}
LEAVES = ("x", "x", "y", "row", "column", "scalar", "number", "parameter")
# Leaves that have a place beside reductions over a dimension.
PLACES = {
    -1: LEAVES,
    -2: tuple(each for each in LEAVES if each != "column"),
    (-2, -1): tuple(each for each in LEAVES if each not in ("row", "column")),
}
with np.errstate(invalid="ignore"):
    _HAS_NO_VALUE = [name for name, each in ELEMENTWISE.items() if np.isnan(each.reference(np.asarray(-2.0)))]
UNARY = tuple(name for name in ELEMENTWISE if name not in ("neg", *_HAS_NO_VALUE))
OF_POSITIVE = ("power", *_HAS_NO_VALUE)
BINARY = ("add", "sub", "mul", "div", "maximum", "minimum", "lt", "le", "gt", "ge", "eq", "ne")
REDUCTIONS = ("sum", "mean", "max", "min", "var", "softmax", "l2_normalize")
SHAPES = ((40, 70), (2, 33, 96), (32, 32), (1, 5), (2, 1, 3, 64), (65, 130))
DTYPES = (ttnn.bfloat16, ttnn.bfloat16, ttnn.float32, ttnn.bfloat8_b, ttnn.int32)
CASTS = ("bfloat16", "float32", "int32")
GRID = (3, 2)
# Where tensors lie; shards are in L1.
MEMORY = ("DRAM", "DRAM", "L1", "HEIGHT", "WIDTH", "BLOCK")
DIMENSIONS = (-1, -2, (-2, -1))


@some.composite
def recipes(draw: some.DrawFn, leaves: tuple[str, ...], depth: int = 8) -> tuple[object, ...]:
    """A formula as nested tuples, which can be built again and again."""
    if depth == 0 or draw(some.integers(0, 5)) == 0:
        return ("leaf", draw(some.sampled_from(leaves)), draw(some.floats(0.25, 4)))
    kind = draw(some.sampled_from(["unary", "positive", "binary", "binary", "reduce", "where", "clamp", "cast"]))
    part = recipes(leaves, depth - 1)
    if kind == "where":
        condition = draw(recipes(leaves, min(1, depth - 1)))
        return (kind, draw(some.sampled_from(BINARY[6:])), condition, draw(part), draw(recipes(leaves, depth // 2)))
    if kind == "clamp":
        return (kind, "clamp", draw(part))
    if kind == "binary":
        return (kind, draw(some.sampled_from(BINARY)), draw(part), draw(recipes(leaves, depth // 2)))
    names = {"unary": UNARY, "positive": OF_POSITIVE, "reduce": REDUCTIONS, "cast": CASTS}[kind]
    return (kind, draw(some.sampled_from(names)), draw(part))


def built(recipe: tuple[object, ...], names: dict[str, Value], dim: object) -> Any:
    """The value of a recipe, of values of its leaves."""
    kind, name, *rest = recipe
    if kind == "leaf":
        return names.get(str(name), rest[0])
    operands = [as_value(built(each, names, dim)) for each in rest]  # type: ignore[arg-type]
    if kind == "where":
        return formula.where(compared(str(name), operands[0], as_value(0.5)), *operands[1:])
    if kind == "clamp":
        return formula.clamp(operands[0], -2, 3)
    if kind == "cast":
        return formula.cast(operands[0], name)
    if kind == "positive":
        operand = formula.abs(operands[0]) + 0.125
        return formula.power(operand, 1.5) if name == "power" else getattr(formula, str(name))(operand)
    if kind == "reduce":
        # Only what has something to reduce over.
        if operands[0].extent is not Extent.FULL:
            return operands[0]
        over = DIMENSIONS[zlib.crc32(repr(recipe).encode()) % 3] if dim is None else dim
        return getattr(formula, str(name))(operands[0], dim=over)
    if kind == "unary":
        return getattr(formula, str(name))(operands[0])
    a, b = operands
    known = {"add": lambda: a + b, "sub": lambda: a - b, "mul": lambda: a * b, "div": lambda: a / b}
    if name in known:
        return known[str(name)]()
    return compared(str(name), a, b) if name in BINARY[6:] else getattr(formula, str(name))(a, b)


def compared(name: str, a: Value, b: Value) -> Value:
    return {"lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b, "eq": a == b, "ne": a != b}[name]


def leaves_of(recipe: object) -> set[str]:
    if not isinstance(recipe, tuple):
        return set()
    if recipe[0] == "leaf":
        return {str(recipe[1])}
    return {name for each in recipe[2:] for name in leaves_of(each)}


@dataclasses.dataclass(frozen=True)
class Case:
    """A formula with tensors to run it on.

    Attributes:
        dim: of all reductions; None if each has its own.
        memory: of each input, and of the results.
        inner: the width of what is multiplied by a matrix before anything else; None if it is that of the rest.
    """

    recipe: tuple[object, ...]
    second: tuple[object, ...] | None
    before: tuple[object, ...]
    shared: tuple[object, ...]
    dim: Any
    shape: tuple[int, ...]
    dtypes: tuple[ttnn.DataType, ...]
    tiled: tuple[bool, ...]
    unit: str
    arch: str
    result: str
    memory: tuple[str, ...]
    inner: int | None

    def operation(self) -> Operation:
        recipes = [each for each in (self.recipe, self.second) if each is not None]
        used = {name for each in recipes for name in leaves_of(each)} | {"x"}
        used |= leaves_of(self.shared) if "shared" in used else set()
        if "product" in used:
            used |= {"left", "weights"} | (leaves_of(self.before) & {"column"})
        used |= {"others"} if "second_product" in used else set()

        def random_formula(
            x: Value,
            y: Any = None,
            row: Any = None,
            column: Any = None,
            scalar: Any = None,
            left: Any = None,
            weights: Any = None,
            others: Any = None,
            parameter: Any = None,
        ) -> Any:
            names = {"x": x, "y": y, "row": row, "column": column, "scalar": scalar, "parameter": parameter}
            if left is not None:
                before = as_value(built(self.before, {"left": left, "column": column}, self.dim))
                names["product"] = formula.matmul(before if before.extent is Extent.FULL else left + before, weights)
            if others is not None:
                names["second_product"] = formula.matmul(names.get("product", x + 0.5), others)
            if "shared" in used:
                names["shared"] = as_value(built(self.shared, names, self.dim))
            results = [as_value(built(each, names, self.dim)) for each in recipes]
            # Of tensors with rows, and the first as large as x, whatever the recipe says.
            results = [
                each if any(n.function == "input" and n.extent.per_row for n in nodes_of([each])) else each + x
                for each in results
            ]
            results[0] = formula.cast(results[0] + x * 0.5, self.result) if self.result else results[0] + x * 0.5
            return tuple(results) if len(results) > 1 else results[0]

        inputs = [each for name, each in INPUTS.items() if name in used]
        parameters = [Parameter("parameter", 1.25)] if "parameter" in used else []
        choices = Choices(with_matrix_unit=self.unit == "matrix")
        made = Operation(random_formula, inputs, parameters, choices, Wording())
        is_split = needs_split(made.graph)
        return SplitOperation(random_formula, inputs, parameters, choices, Wording()) if is_split else made

    def tensors(self, operation: Operation, device: ttnn.Device) -> dict[str, ttnn.Tensor]:
        generator = np.random.default_rng(0)
        made = {}
        for index, each in enumerate(operation.inputs):
            shape = self.shape_of(each)
            tiled, dtype = self.tiled[index], self.dtypes[index]
            names = [other.name for other in operation.inputs]
            multiplied = "left" if "left" in names or "others" not in names else "x"
            if (each.name == multiplied or each.is_matrix) and (self.shape[-1] % 32 or (self.inner or 0) % 32):
                tiled = False
            is_of_floats = each.name not in ("x", "y") or each.name == multiplied
            if (dtype is ttnn.bfloat8_b and not tiled) or (dtype is ttnn.int32 and is_of_floats):
                dtype = ttnn.bfloat16
            layout = ttnn.TILE_LAYOUT if tiled else ttnn.ROW_MAJOR_LAYOUT
            values = generator.standard_normal(shape) / (shape[0] ** 0.5 if each.is_matrix else 1.0)
            array = (values * 4).astype(np.int32) if dtype is ttnn.int32 else values
            place = memory_config(self.memory[index], shape, tiled)
            made[each.name] = ttnn.from_numpy(array, dtype, layout=layout, device=device, memory_config=place)
        return made

    def shape_of(self, given: Input) -> tuple[int, ...]:
        inner = self.inner or self.shape[-1]
        sides = {"left": (*self.shape[:-1], inner), "weights": (inner, self.shape[-1])}
        return sides.get(given.name) or given.shape_of(self.shape)

    def result_memory(self, operation: Operation, tensors: Mapping[str, ttnn.Tensor]) -> ttnn.MemoryConfig:
        """Where the results go: in shards, if they have one shape."""
        shapes = {name: tuple(each.shape) for name, each in tensors.items()}
        made = {*map(tuple, operation.output_shapes(operation.rows_shape(shapes)))}
        main = tensors[operation.main_input.name]
        place = self.memory[-1] if len(made) == 1 else "L1"
        return memory_config(place, made.pop(), operation.output_layouts(main.layout)[0] is ttnn.TILE_LAYOUT)


def memory_config(place: str, shape: tuple[int, ...], tiled: bool) -> ttnn.MemoryConfig:
    """DRAM, L1, or shards on the grid; of rows, shards that do not cut them."""
    if place in ("DRAM", "L1") or len(shape) < 2:
        return ttnn.DRAM_MEMORY_CONFIG if place == "DRAM" else ttnn.L1_MEMORY_CONFIG
    kind = place if tiled else "HEIGHT"
    unit = 32 if tiled else 1
    rows, columns = -(-shape[-2] // unit) * math.prod(shape[:-2]), -(-shape[-1] // unit)
    across, down = {"HEIGHT": (1, GRID[0] * GRID[1]), "WIDTH": (GRID[0] * GRID[1], 1), "BLOCK": GRID}[kind]
    shard = [-(-rows // down) * unit, -(-columns // across) * unit]
    cores = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (GRID[0] - 1, GRID[1] - 1))])
    layout = getattr(ttnn.TensorMemoryLayout, f"{kind}_SHARDED")
    return ttnn.MemoryConfig(layout, ttnn.BufferType.L1, ttnn.ShardSpec(cores, shard, ttnn.ShardOrientation.ROW_MAJOR))


@some.composite
def cases(draw: some.DrawFn, is_split: bool = False) -> Case:
    """Cases of one program; or formulas of reductions over any dimension and several matmuls."""
    dim = None if is_split else draw(some.sampled_from([-1, -1, -2, (-2, -1)]))
    leaves = LEAVES if dim is None else PLACES[dim]
    if dim is None:
        leaves = (*leaves, "product", "second_product", "second_product")
    elif dim == -1 and draw(some.booleans()):
        leaves = (*leaves, "product", "product")
    shared = draw(recipes(leaves, 4))
    leaves = (*leaves, "shared", "shared")
    second = draw(recipes(leaves, 3)) if draw(some.integers(0, 5)) == 0 else None
    count = len(INPUTS)
    return Case(
        draw(recipes(leaves)),
        second,
        draw(recipes(("left", "left", "left", "column", "number"), 4))
        if draw(some.booleans())
        else ("leaf", "left", 0.0),
        shared,
        dim,
        draw(some.sampled_from(SHAPES)),
        tuple(draw(some.lists(some.sampled_from(DTYPES), min_size=count, max_size=count))),
        tuple(draw(some.lists(some.sampled_from([False, False, True]), min_size=count, max_size=count))),
        draw(some.sampled_from(["matrix", "matrix", "vector"])),
        draw(some.sampled_from(["wormhole_b0", "blackhole"])),
        draw(some.sampled_from(["", "", "", *CASTS])),
        tuple(draw(some.lists(some.sampled_from(MEMORY), min_size=count + 1, max_size=count + 1))),
        draw(some.sampled_from([None, None, 64, 40])),
    )


def planned(
    operation: Operation, dtypes: Any = ttnn.bfloat16, layouts: Any = ttnn.ROW_MAJOR_LAYOUT
) -> tuple[dict[Strategy, Variant], str]:
    """Its plan for each strategy; none, and the reason, if it is refused."""
    try:
        return operation.variants(operation.form(dtypes, layouts)), ""
    except (CannotPlanError, FormulaError) as error:
        return {}, str(error)
