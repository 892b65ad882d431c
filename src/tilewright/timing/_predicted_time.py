# SPDX-License-Identifier: Apache-2.0
"""Time of a plan on a card without running it: its kernels are traced, the trace is replayed.

Cores repeat the same work for each line of tiles, so only the first few lines of each are traced. What one more line
takes is the difference between two traces, and the lines that were left out take that much each.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tilewright._build.kernel_sources import placement
from tilewright._planner.exchange_kernels import EXCHANGE_PLACES
from tilewright._planner.kernel_names import of_tensor
from tilewright._planner.line_plan import core_values
from tilewright._planner.plan import Plan
from tilewright._planner.row_program import compile_time_values, semaphores_of, values_of_cores
from tilewright._planner.row_split import CoreWork
from tilewright._program.config_bases import NO_CONFIG
from tilewright._program.kernel import KernelDescriptor
from tilewright._program.kernel_config import (
    ComputeConfigDescriptor,
    KernelConfig,
    ReaderConfigDescriptor,
    WriterConfigDescriptor,
)
from tilewright._program.program import ProgramDescriptor
from tilewright._record.call_record import CallRecord, Core, call_record
from tilewright._tensor.arch import describe_arch
from tilewright._tensor.cores import CoreCoord
from tilewright._tensor.dtype import DataType
from tilewright._wire.record import RecordHead
from tilewright.kernels import Kernel
from tilewright.timing._device_time import DeviceTime
from tilewright.timing._replay import replay
from tilewright.timing._traced_kernel import KernelTrace, KernelTracer

# Lines of each core that are traced: the first fills the pipeline, of the others all are alike.
_TRACED_LINES = 3


@dataclasses.dataclass(frozen=True)
class PredictedTime:
    """Time of a plan by the model.

    Attributes:
        cycles: of the whole launch.
        traced: the launch with the lines that were traced.
        dram_bytes: read and written by the whole launch.
    """

    cycles: float
    traced: DeviceTime
    dram_bytes: float

    @property
    def microseconds(self) -> float:
        return self.cycles / self.traced.clock_hz * 1e6


def predict(
    plan: Plan,
    dtypes: Mapping[str, DataType],
    arch: str,
    grid: Core,
    config: ComputeConfigDescriptor | None = None,
) -> PredictedTime:
    """How long a plan takes on a card, by the model.

    Args:
        dtypes: of all tensors by name.
        grid: columns and rows of worker cores.
        config: in the place of the plan's own.

    Raises:
        NotTracedError: a kernel of the plan cannot be traced.
    """
    program = TracedPlan(plan, dtypes, arch, grid, config)
    left_out = max(0, max(each.num_lines for each in plan.split.work) - _TRACED_LINES)
    time = replay(program.record(left_out))
    if not left_out:
        return PredictedTime(time.cycles, time, _dram_bytes(time))
    shorter = replay(program.record(left_out + 1))
    cycles = time.cycles + left_out * (time.cycles - shorter.cycles)
    return PredictedTime(cycles, time, _dram_bytes(time) + left_out * (_dram_bytes(time) - _dram_bytes(shorter)))


def _dram_bytes(time: DeviceTime) -> float:
    return time.dram_read_bytes + time.dram_write_bytes


@functools.cache
def _tracer(arch: str) -> KernelTracer:
    return KernelTracer(arch)


class TracedPlan:
    """The kernels of a plan with all that a trace takes."""

    def __init__(
        self,
        plan: Plan,
        dtypes: Mapping[str, DataType],
        arch: str,
        grid: Core,
        config: ComputeConfigDescriptor | None = None,
    ) -> None:
        self._plan = plan
        self._arch = arch
        self._grid = grid
        self._compile_time = compile_time_values(plan, dtypes)
        self._numbers = dict.fromkeys(plan.schedule.numbers, 0)
        self._dtypes = dtypes
        self._tile_bytes = {each.buffer.index: each.dtype.tile_bytes() for each in plan.buffers}
        compute = plan.compute_config(config)
        configs: list[KernelConfig] = [ReaderConfigDescriptor(), compute, WriterConfigDescriptor()]
        cores = plan.split.cores
        self._fp32_dest = bool(compute.fp32_dest_acc_en)
        self._kernels = [
            KernelDescriptor(kernel_source="", core_ranges=cores, config=each, name=kernel.name)
            for kernel, each in zip(plan.kernels, configs, strict=True)
        ]
        self._program = ProgramDescriptor(
            kernels=self._kernels, cbs=plan.circular_buffers(), semaphores=semaphores_of(plan)
        )
        self._place = describe_arch(arch).worker_core_from_logical_core
        self._values = values_of_cores(plan, self._place)

    def record(self, left_out: int = 0) -> CallRecord:
        """The record of a run in which every core has so many lines less."""
        work = {each.core: each for each in self._plan.split.work}
        cores = [work[core] for core in self._plan.split.cores]
        parts: list[NDArray[np.uint64]] = []
        for number, (kernel, descriptor) in enumerate(zip(self._plan.kernels, self._kernels, strict=True)):
            for each, entries in zip(cores, self._of_cores(kernel, descriptor, cores, left_out), strict=True):
                head = RecordHead(number, each.core.x, each.core.y, len(entries))
                parts += [np.frombuffer(bytes(head), np.uint64), entries]
        return call_record(self._program, NO_CONFIG, self._arch, self._grid, np.concatenate(parts))

    def _of_cores(
        self, kernel: Kernel, descriptor: KernelDescriptor, cores: Sequence[CoreWork], left_out: int
    ) -> list[NDArray[np.uint64]]:
        """Entries of a kernel on each core; cores with as much to do are alike but for the pages they move."""
        groups: dict[tuple[int, ...], list[CoreWork]] = {}
        values = {
            each.core: {
                **self._values[each.core],
                **core_values(self._plan.rows, each.first_line, each.num_lines - left_out),
            }
            for each in cores
        }
        sends = not set(kernel.arguments.runtime).isdisjoint(EXCHANGE_PLACES)
        for each in cores:
            key = [each.num_lines]
            if not descriptor.is_compute:
                # The last stick or the last block may end inside a tile.
                key.append(values[each.core].get("num_sticks", 0))
                # Of a line that cores have parts of, each reads its own, and sends to others.
                key += [each.first_tile, *((each.core.x, each.core.y) if sends else ())]
            if not descriptor.is_compute or self._plan.rows.lines_differ:
                key.append(each.first_line % self._plan.rows.line_period)
            groups.setdefault(tuple(key), []).append(each)
        found: dict[CoreCoord, NDArray[np.uint64]] = {}
        for group in groups.values():
            found |= self._of_group(group, lambda each: self._trace(kernel, descriptor, values[each.core]))
        return [found[each.core] for each in cores]

    def _of_group(
        self, group: Sequence[CoreWork], traced: Callable[[CoreWork], KernelTrace]
    ) -> dict[CoreCoord, NDArray[np.uint64]]:
        """Entries of cores with as much to do: pages go on evenly from core to core, or each core is traced."""

        def on_pages(each: CoreWork, trace: KernelTrace, pages: NDArray[np.int64]) -> NDArray[np.uint64]:
            return _tracer(self._arch).on_pages(trace, pages, self._place(each.core))

        first = traced(group[0])
        second = traced(group[1]) if len(group) > 1 and len(first.pages) else first
        if not first.moves_like(second):
            return {each.core: on_pages(each, trace, trace.pages) for each in group for trace in [traced(each)]}
        steps = second.pages - first.pages
        lines = max(1, group[1].first_line - group[0].first_line) if len(group) > 1 else 1
        return {
            each.core: on_pages(each, first, first.pages + steps * (each.first_line - group[0].first_line) // lines)
            for each in group
        }

    def _trace(self, kernel: Kernel, descriptor: KernelDescriptor, values: Mapping[str, int]) -> KernelTrace:
        tensors = kernel.arguments.tensors
        return _tracer(self._arch).trace(
            kernel,
            {**self._compile_time, **self._numbers, **values},
            {name: self._dtypes[of_tensor(name)].tile_bytes() for name in tensors},
            self._tile_bytes,
            noc=placement(descriptor).noc_index,
            fp32_dest=self._fp32_dest,
        )
