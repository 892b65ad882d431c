# SPDX-License-Identifier: Apache-2.0
"""Outcome of an operation's run: results, plan, record and program."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

from tilewright._planner.plan import Plan
from tilewright._planner.row_program import Tensors
from tilewright._program.program import ProgramDescriptor
from tilewright._record.run import Run
from tilewright._tensor.tensor import Tensor

if TYPE_CHECKING:
    from tilewright.ops._operation import Operation


@dataclasses.dataclass(frozen=True)
class Outcome:
    """Outcome of an operation's run.

    Attributes:
        tensors: inputs and results by name.
    """

    outputs: tuple[Tensor, ...]
    operation: Operation
    tensors: Tensors
    plan: Plan
    run: Run
    _make_program: Callable[[], ProgramDescriptor]

    @property
    def parts(self) -> tuple[Outcome, ...]:
        """Outcomes of the programs: itself, unless the operation is split."""
        return (self,)

    @property
    def seconds(self) -> float:
        """Time of this machine for the launches."""
        return sum(each.run.seconds for each in self.parts)

    @functools.cached_property
    def program(self) -> ProgramDescriptor:
        """The program with this call's arguments; a copy, no later call runs it."""
        return self._make_program()

    @property
    def output(self) -> Tensor:
        """The result, or the first of several."""
        return self.outputs[0]
