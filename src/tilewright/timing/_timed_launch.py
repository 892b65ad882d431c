# SPDX-License-Identifier: Apache-2.0
"""A launch with the time a card takes for it by the model: recorded as it runs, then replayed."""

from __future__ import annotations

import collections
import dataclasses
import functools
from collections.abc import Sequence
from pathlib import Path

from tilewright._display.notebook import bars, card, table
from tilewright._launch.host_memory import ForeignTensor
from tilewright._launch.observer import Caller, Launch, TensorMemory
from tilewright._launch.operation_name import IN_TRACE
from tilewright._launch.run_options import RunOptions
from tilewright._launch.tensor_launch import TensorLaunch
from tilewright._program.program import ProgramDescriptor
from tilewright._record.call_record import CallRecord
from tilewright._record.run import LinkTraffic, Run
from tilewright._tensor.argument import require
from tilewright._tensor.tensor import Tensor, tensor_list
from tilewright.timing._device_operation import device_operation
from tilewright.timing._device_time import DeviceTime
from tilewright.timing._replay import replay
from tilewright.timing._roofline import rates


@dataclasses.dataclass(frozen=True)
class TensorFacts:
    """A tensor of a launch in words, as profilers write it."""

    logical: tuple[int, ...]
    padded: tuple[int, ...]
    layout: str
    dtype: str
    memory: str

    @staticmethod
    def of(tensor: Tensor | ForeignTensor) -> TensorFacts:
        if isinstance(tensor, ForeignTensor):
            memory = f"{'DRAM' if tensor.is_dram else 'L1'}_INTERLEAVED"  # those of other layouts are not known
        else:
            config = tensor.memory_config()
            memory = f"{config.buffer_type.name}_{config.memory_layout.name}"
        return TensorFacts(
            tuple(tensor.shape), tuple(tensor.padded_shape), tensor.layout.name, tensor.dtype.name, memory
        )


@dataclasses.dataclass(frozen=True)
class TimedLaunch:
    """A launch, and how long a card takes for it by the model.

    Attributes:
        keeps_events: ``time`` has the events of the replay.
        inputs, outputs: tensors of the launch, as far as they are known; None stands for one that is not.
        operation, callers: the call of ttnn that made the launch, and the functions that led to it, where known.
        op_code: the device operation, as tt-metal's profiler names it, where known.
        run: the record of the run, where ``time_program`` made the launch.
        chip: which of several chips it ran on.
        links: of the first of several chips: packets on all links between them.
        tensor_memory: what all tensors took when it was launched, where known.
        circular_buffer_bytes: of the core with most of them, without those that lie over tensors.
    """

    record: CallRecord
    keeps_events: bool = False
    inputs: tuple[TensorFacts | None, ...] = ()
    outputs: tuple[TensorFacts | None, ...] = ()
    run: Run | None = None
    operation: str = ""
    callers: tuple[Caller, ...] = ()
    op_code: str = ""
    chip: int | None = None
    links: tuple[LinkTraffic, ...] = ()
    tensor_memory: TensorMemory | None = None
    circular_buffer_bytes: int = 0

    @functools.cached_property
    def time(self) -> DeviceTime:
        """The record, replayed."""
        return replay(self.record, keep_events=self.keeps_events)

    def __getstate__(self) -> dict[str, object]:
        """Another process replays the record itself."""
        return {name: value for name, value in self.__dict__.items() if name != "time"}

    @property
    def name(self) -> str:
        """The operation; where it is not known, the first compute kernel, or the first kernel.

        An operation that makes a program of its own and gives it to ``generic_op`` is named, not ``generic_op``.
        """
        first = max(self.record.kernels, key=lambda kernel: kernel.processor)
        call, mark, _ = self.operation.partition(IN_TRACE)
        innermost = call.removesuffix(" > ttnn.generic_op").rpartition(" > ")[2]
        return (innermost or first.name) + mark + self._on_chip

    @property
    def label(self) -> str:
        """Names of its kernels, the compute kernels first."""
        kernels = sorted(self.record.kernels, key=lambda kernel: -kernel.processor)
        return ", ".join(dict.fromkeys(kernel.name for kernel in kernels)) + self._on_chip

    @property
    def _on_chip(self) -> str:
        return "" if self.chip is None else f" on chip {self.chip}"

    def _repr_html_(self) -> str:
        title = f"{self.label}: {self.time.microseconds:.1f} us on {self.time.num_cores} cores of {self.time.arch}"
        found = [(r.name, f"{r.reached:.3g} of {r.possible:.3g} {r.unit}", f"{r.part:.0%}") for r in rates(self.time)]
        return card(f"{title}, by the model", self._repr_svg_(), table(("rate", "reached", "part"), found))

    def _repr_svg_(self) -> str:
        """How busy each processor is, as the mean of the cores."""
        parts = [
            (processor.name.lower(), sum(lane.busy for lane in lanes) / len(lanes) / self.time.cycles)
            for processor, lanes in self.time.by_processor.items()
        ]
        return bars(parts, "how busy each processor is")


def time_program(
    io_tensors: Sequence[Tensor], program: ProgramDescriptor, options: RunOptions | None = None
) -> TimedLaunch:
    """Run a program and tell how long a card takes for it by the model.

    Args:
        io_tensors, program, options: as ``run_program`` takes them.

    Example::

        launch = tilewright.time_program([x, y], program)
        print(f"{launch.time.microseconds:.1f} us")
    """
    chosen = RunOptions() if options is None else require("options", options, RunOptions, "a tilewright.RunOptions")
    require("program", program, ProgramDescriptor, "a ttnn.ProgramDescriptor")
    launch = TensorLaunch(tensor_list("io_tensors", io_tensors), program, chosen)
    run = launch.run(dataclasses.replace(chosen, record_calls=True))
    return timed_launch(launch, run)


def timed_launches(launch: Launch, run: Run) -> list[TimedLaunch]:
    """A launch with its time; one on several chips is one for each, as if they did not wait for each other."""
    timed = timed_launch(launch, run)
    if launch.chip.num_dies == 1:
        return [timed]
    records = timed.record.by_chip(launch.chip.die_grid[1])
    first, *others = (dataclasses.replace(timed, record=record, chip=chip) for chip, record in records)
    return [dataclasses.replace(first, links=tuple(run.links)), *others]


def _is_in_shards(tensor: Tensor | ForeignTensor) -> bool:
    """Whether it is not known how a tensor of the real ttnn is distributed."""
    return isinstance(tensor, ForeignTensor) and tensor.pages_per_shard > 0


def timed_launch(launch: Launch, run: Run, *, keep_events: bool = False) -> TimedLaunch:
    """A launch with the time of one of its runs, which recorded its calls."""
    assert run.calls is not None
    tensors = tuple(None if each is None or _is_in_shards(each) else TensorFacts.of(each) for each in launch.tensors)
    num_inputs = len(tensors) - launch.num_outputs
    return TimedLaunch(
        run.calls,
        keep_events,
        tensors[:num_inputs],
        tensors[num_inputs:],
        run,
        launch.operation,
        launch.callers,
        device_operation(launch.structure),
        tensor_memory=launch.tensor_memory,
        circular_buffer_bytes=_circular_buffer_bytes(launch.structure),
    )


def _circular_buffer_bytes(program: ProgramDescriptor) -> int:
    taken: collections.Counter[tuple[int, int]] = collections.Counter()
    for cb in program.cbs:
        if not cb.is_over_tensor():
            for core in cb.core_ranges:
                taken[core.x, core.y] += cb.total_size
    return max(taken.values(), default=0)


def time_records(directory: Path) -> list[TimedLaunch]:
    """Time the launches whose calls were kept in a directory (``TILEWRIGHT_RECORDS``), in their order.

    Raises:
        TilewrightError: a file is no record.
    """
    records = [CallRecord.load(path) for path in sorted(directory.glob("*.npz"))]
    return [TimedLaunch(record) for record in records]
