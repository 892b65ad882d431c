# SPDX-License-Identifier: Apache-2.0
"""Buffers of a schedule before sizing: lifetimes and readers.

Of what is computed before it is multiplied by a matrix, everything as wide as those rows is there as a whole.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from tilewright._planner.model import Combine, Compute, Deliver, Operand, Pass, Reduce, Role, Scope, Store
from tilewright._planner.passes import Surveyor
from tilewright.formula._direction import Direction
from tilewright.formula._graph import Extent, Value
from tilewright.formula._tracing import Formula

LEFT = "left"
LEFT_PART = "left_part"
LEFT_SCALER = "left_scaler"


class Planned(Surveyor, Protocol):
    """Inputs of the choice of buffers, besides the order of steps."""

    @property
    def formula(self) -> Formula: ...

    @property
    def operands(self) -> Sequence[Operand]: ...

    @property
    def output_formats(self) -> Sequence[str]: ...

    @property
    def keeps_rows(self) -> bool: ...

    def name_of(self, node: Value) -> str: ...

    def output_name(self, index: int) -> str: ...


def factor_stores(
    operand: Operand, value: Value, rows: Role, tiles: Role, taken: Collection[str] = (), inner: bool = False
) -> dict[str, Store]:
    """Buffers of a tensor that is multiplied as it is; ``inner`` if its rows are as wide as those it is met by."""
    name = f"{LEFT}_{operand.name}" if f"{operand.name}_tiled" in taken else operand.name
    made = []
    if not operand.is_tiled:
        made.append(Store(f"{name}_rm", rows, value, operand.extent, operand.format, inner=inner))
    made.append(Store(f"{name}_tiled", tiles, value, operand.extent, operand.format, read_by_matrix_unit=True))
    return {each.name: each for each in made}


def stores_of(planned: Planned, kept: set[str], passes: Sequence[Pass]) -> dict[str, Store]:
    """The buffers by name; ``kept`` ones have room for a whole row."""
    cut = _read_by_matrix_unit(passes)
    inner = planned.is_whole
    stores: list[Store] = []
    for operand, node in zip(planned.operands, planned.formula.inputs, strict=True):
        stores += _input_stores(planned, operand, node, kept, cut)
    if planned.is_masked or any(isinstance(step, Reduce) for each in passes for step in (*each.row, *each.block)):
        name = LEFT_SCALER if inner else "scaler"
        stores.append(Store(name, Role.SCALER, None, Extent.SCALAR, "Float16_b", persistent=True, inner=inner))
        if planned.direction is not Direction.ROWS:
            stores.append(Store("mask", Role.MASK, None, Extent.SCALAR, "Float16_b", persistent=True))
    moved_to_outputs = _only_delivered(planned, passes)
    for node in planned.formula.nodes:
        if id(node) not in planned.stored or node.function == "input":
            continue
        name = planned.name_of(node)
        if node.function == "parameter":
            stores.append(Store(name, Role.NUMBER, node, Extent.SCALAR, "Float32", False, True, name in cut))
            continue
        format_ = moved_to_outputs.get(name, "Float32")
        stores.append(
            Store(name, Role.VALUE, node, node.extent, format_, name in kept, False, name in cut, inner=inner)
        )
    for each in passes:
        for step in (*each.row, *each.block):
            if isinstance(step, Reduce) and step.parts:
                stores.append(Store(step.parts, Role.PARTS, step.value, Extent.FULL, "Float32", False, False, True))
        for step in each.column:
            if isinstance(step, Combine):
                for name, role in ((step.own, Role.OWN_PART), (step.source, Role.ALL_PARTS)):
                    stores.append(Store(name, role, step.value, step.value.extent, "Float32"))
    for index, output in enumerate(planned.formula.outputs):
        name, format_ = planned.output_name(index), planned.output_formats[index]
        role = Role.OUTPUT if not inner else Role.LEFT if name == LEFT else Role.LEFT_PART
        stores.append(Store(name, role, output, output.extent, format_, read_by_matrix_unit=inner))
        if role is Role.LEFT_PART:
            stores.append(Store(LEFT, Role.LEFT, output, output.extent, format_, read_by_matrix_unit=True))
    return {each.name: each for each in stores}


def _input_stores(planned: Planned, operand: Operand, node: Value, kept: set[str], cut: set[str]) -> list[Store]:
    name, inner = planned.buffer_of(node), planned.is_whole
    made = []
    if not operand.is_tiled:
        is_stick = planned.direction.held(operand.extent) in (Extent.ROW, Extent.SCALAR)
        role = Role.STICK if is_stick else Role.ROWS_IN
        rows = planned.rows_of(node)
        made.append(Store(rows, role, node, operand.extent, operand.format, slabs=operand.slabs, inner=inner))
    is_persistent = operand.extent is Extent.SCALAR or (operand.extent is Extent.ROW and planned.keeps_rows)
    made.append(
        Store(
            name, Role.INPUT, node, operand.extent, operand.format,
            name in kept, is_persistent, name in cut, operand.slabs, inner,
        )
    )  # fmt: skip
    return made


def _read_by_matrix_unit(passes: Sequence[Pass]) -> set[str]:
    cut: set[str] = set()
    for each in passes:
        for step in (*each.row, *each.block, *each.column):
            if isinstance(step, (Compute, Reduce)) and step.program is not None:
                cut |= step.program.read_by_matrix_unit()
            if isinstance(step, Reduce) and step.source:
                cut.add(step.source)
    return cut


def _only_delivered(planned: Planned, passes: Sequence[Pass]) -> dict[str, str]:
    """Values as wide as the row that go to an output of floats and nowhere else: they have its format."""
    formats = {planned.output_name(index): each for index, each in enumerate(planned.output_formats)}
    delivered: dict[str, str] = {}
    read = set()
    for each in passes:
        for step in (*each.row, *each.block, *each.column):
            if isinstance(step, Deliver) and step.scope is not Scope.COLUMN:
                delivered[step.source] = formats[step.target]
            elif isinstance(step, Reduce):
                read.add(step.source)
            if isinstance(step, (Compute, Reduce)) and step.program is not None:
                read |= {source.name for source in step.program.sources}
    return {name: each for name, each in delivered.items() if name not in read and each != "Int32"}
