# SPDX-License-Identifier: Apache-2.0
"""Whether one program can make the schedule of a part of a split formula: its registers and circular buffers."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from tilewright._planner.matmul import without_matmul
from tilewright._planner.model import Choices, Factors, Operand
from tilewright._planner.schedule import make_schedule, strategies_of
from tilewright._planner.storage import buffer_indices
from tilewright.formula._direction import direction_of, turned
from tilewright.formula._inputs import Slabs
from tilewright.formula._tracing import Formula


def check_schedule(formula: Formula, slabs: Mapping[str, Slabs | None]) -> None:
    """Refuses a part that needs more registers or circular buffers than there are.

    Raises:
        CannotPlanError: it says which.
    """
    direction, choices = direction_of(formula), Choices()
    planned, made = without_matmul(turned(formula, direction))
    operands = [
        Operand(each.name, each.extent, "Float32" if each.name in slabs else "Float16_b", slabs=slabs.get(each.name))
        for each in planned.inputs
    ]
    factors = None
    if made is not None:
        operands[0] = dataclasses.replace(operands[0], format="Float32", is_tiled=True)
        left = [Operand(each.name, each.extent, "Float16_b", slabs=slabs.get(each.name)) for each in made.left_inputs]
        factors = Factors(made, left, Operand(made.right.name, made.right.extent, "Float16_b"))
    formats = ["Float16_b"] * len(formula.outputs)
    for strategy in strategies_of(planned, operands, choices, direction):
        schedule = make_schedule(planned, operands, choices, strategy, formats, (), direction, factors)
        buffer_indices(schedule, choices)
