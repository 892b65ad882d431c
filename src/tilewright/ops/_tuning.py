# SPDX-License-Identifier: Apache-2.0
"""Tune the plan of an operation: try one choice at a time, run and time it.

Choices are made in turn, and what one found is kept for the next: how a row goes through L1 and in which blocks, how
deep each circular buffer is, how many cores, how many passes of the matrix unit. A candidate counts only if its result
is as exact as required, and only if the model's time is shorter. The best one is then run under the checker. So the
answer is the best plan found, not the best there is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

import numpy as np

from tilewright._errors import TilewrightError
from tilewright._planner.plan import Plan
from tilewright._planner.strategy import Strategy
from tilewright._program.kernel_config import ComputeConfigDescriptor, MathFidelity
from tilewright._program.program import ProgramDescriptor
from tilewright._record.call_record import CallRecord
from tilewright._tensor.cores import CoreCoord, CoreRange, CoreRangeSet
from tilewright._tensor.device import Device
from tilewright._tensor.dtype import DataType
from tilewright._tensor.layout import Layout
from tilewright._tensor.tensor import Tensor
from tilewright.check._check_program import check_program
from tilewright.formula._validation import OperationError
from tilewright.ops._accuracy import Accuracy, held, judge
from tilewright.ops._operation import Operation
from tilewright.ops._options import Options, checked_config
from tilewright.timing._device_time import DeviceTime
from tilewright.timing._replay import Change, replay
from tilewright.timing._timed_launch import time_program

_LOWER_FIDELITIES = (MathFidelity.HiFi3, MathFidelity.HiFi2, MathFidelity.LoFi)
# A choice that saves less is not worth being different from what the planner does by itself.
_WORTH_IT = 0.01


@dataclasses.dataclass(frozen=True)
class Choice:
    """How to run an operation, where it is not what the planner does by itself.

    Attributes:
        deeper: circular buffers that get twice their pages.
        rows: of cores to use; None is all.
    """

    strategy: Strategy | None = None
    block_tiles: int | None = None
    deeper: frozenset[int] = frozenset()
    rows: int | None = None
    fidelity: MathFidelity = MathFidelity.HiFi4

    @property
    def words(self) -> str:
        """The choice in one line.

        >>> Choice(strategy=Strategy.STREAMING, block_tiles=8, deeper=frozenset({0})).words
        'streaming, blocks of 8 tiles, c_0 twice as deep'
        """
        parts = [self.strategy.value] if self.strategy else []
        if self.block_tiles is not None:
            parts.append(f"blocks of {self.block_tiles} tiles")
        parts += [f"c_{index} twice as deep" for index in sorted(self.deeper)]
        if self.rows is not None:
            parts.append(f"{self.rows} rows of cores")
        if self.fidelity is not MathFidelity.HiFi4:
            parts.append(self.fidelity.name)
        return ", ".join(parts) or "as planned"

    def options(self, device: Device) -> Options:
        """Options with which the planner makes this plan."""
        cores = None
        if self.rows is not None:
            last = CoreCoord(device.compute_with_storage_grid_size().x - 1, self.rows - 1)
            cores = CoreRangeSet([CoreRange(CoreCoord(0, 0), last)])
        return Options(
            compute_kernel_config=ComputeConfigDescriptor(math_fidelity=self.fidelity, fp32_dest_acc_en=True),
            core_grid=cores,
            strategy=self.strategy,
            block_tiles=self.block_tiles,
            deeper=self.deeper,
        )


@dataclasses.dataclass(frozen=True)
class Trial:
    """A choice that was run: its plan, its time by the model, its error as a share of what is allowed."""

    choice: Choice
    plan: Plan
    program: ProgramDescriptor = dataclasses.field(repr=False)
    tensors: tuple[Tensor, ...] = dataclasses.field(repr=False)
    record: CallRecord = dataclasses.field(repr=False)
    time: DeviceTime = dataclasses.field(repr=False)
    accuracy: Accuracy


@dataclasses.dataclass(frozen=True)
class Tuned:
    """Result of tuning.

    Attributes:
        first: as the planner does it by itself.
        best: the fastest of those exact enough; ``first`` where nothing is better.
        trials: everything that was tried, in order.
        findings: of the checker about the best plan.
    """

    first: Trial
    best: Trial
    trials: tuple[Trial, ...]
    findings: tuple[str, ...]

    @property
    def saving(self) -> float:
        return 1 - self.best.time.cycles / self.first.time.cycles


class Tuner:
    """Tries choices for one operation on one shape.

    Example::

        tuned = Tuner(variance_w_rm, (1024, 2048), DataType.BFLOAT16, device).tune()
        print(tuned.best.choice.words, tuned.saving)
        variance_w_rm.launch({"x": x}, tuned.best.choice.options(device))
    """

    def __init__(
        self,
        operation: Operation,
        shape: tuple[int, ...],
        dtype: DataType,
        device: Device,
        *,
        allowed: float = 1.0,
        on_trial: Callable[[Trial], None] | None = None,
    ) -> None:
        """
        Args:
            allowed: largest error, as a share of the operation's own bound.
            on_trial: called after each trial.
        """
        if allowed <= 0:
            raise ValueError(f"allowed must be a positive share of the operation's error bound, not {allowed}")
        self._operation = operation
        self._device = device
        self._shape, self._dtype = shape, dtype
        self._allowed = allowed
        self._on_trial = on_trial
        self._trials: list[Trial] = []
        generator = np.random.default_rng(0)
        sizes = operation.input_shapes(shape)
        self._tensors = {
            name: Tensor(generator.standard_normal(size, np.float32), dtype, device, Layout.ROW_MAJOR)
            for name, size in sizes.items()
        }

    def tune(self) -> Tuned:
        """The best plan found, proven by a run under the checker."""
        first = best = self._try(Choice())
        for stage in (self._blocks, self._depths, self._cores, self._fidelities):
            for choice in stage(best):
                trial = self._attempt(choice)
                if trial is not None and trial.time.cycles < (1 - _WORTH_IT) * best.time.cycles:
                    best = trial
        checked = check_program(best.tensors, best.program)
        return Tuned(first, best, tuple(self._trials), tuple(str(finding) for finding in checked.findings))

    def _blocks(self, best: Trial) -> Iterator[Choice]:
        width = best.plan.rows.line_tiles
        sizes = {width, *(size for size in (1, 2, 4, 8, 16, 32, 64) if size < width)}
        for strategy in self._operation.variants(self._operation.form(self._dtype)):
            for size in sorted(sizes, reverse=True):
                if not strategy.keeps_lines or width % size == 0:
                    yield dataclasses.replace(best.choice, strategy=strategy, block_tiles=size)

    def _depths(self, best: Trial) -> Iterator[Choice]:
        """Those the model promises something of: a replay is cheaper than a run."""
        for each in best.plan.buffers:
            promised = 1 - replay(best.record, Change(deeper_buffer=each.buffer.index)).cycles / best.time.cycles
            if promised > _WORTH_IT:
                yield dataclasses.replace(best.choice, deeper=best.choice.deeper | {each.buffer.index})

    def _cores(self, best: Trial) -> Iterator[Choice]:
        rows = self._device.compute_with_storage_grid_size().y
        for fewer in (rows // 2, rows // 4):
            if fewer:
                yield dataclasses.replace(best.choice, rows=fewer)

    def _fidelities(self, best: Trial) -> Iterator[Choice]:
        for fidelity in _LOWER_FIDELITIES:
            yield dataclasses.replace(best.choice, fidelity=fidelity)

    def _attempt(self, choice: Choice) -> Trial | None:
        """The trial, if the choice fits L1 and is exact enough."""
        if any(trial.choice == choice for trial in self._trials):
            return None
        try:
            trial = self._try(choice)
        except (OperationError, TilewrightError):  # does not fit
            return None
        return trial if trial.accuracy.share_of_bound <= self._allowed else None

    def _try(self, choice: Choice) -> Trial:
        operation, options = self._operation, choice.options(self._device)
        plan = operation.plan(
            self._shape,
            self._dtype,
            self._device,
            core_grid=options.core_grid,
            strategy=options.strategy,
            block_tiles=options.block_tiles,
            deeper=options.deeper,
        )
        tensors = {**operation.allocate(plan, self._device), **self._tensors}
        program = operation.program(plan, tensors, config=checked_config(options.compute_kernel_config))
        results = [tensors[name] for name in operation.output_names]
        used = (*self._tensors.values(), *results)
        launch = time_program(used, program)
        wanted = operation.bounds(plan, held(self._tensors))
        accuracy = judge([each.to_numpy() for each in results], wanted)
        trial = Trial(choice, plan, program, used, launch.record, launch.time, accuracy)
        self._trials.append(trial)
        if self._on_trial is not None:
            self._on_trial(trial)
        return trial
