# SPDX-License-Identifier: Apache-2.0
"""Times every launch that somebody else makes: it is recorded as it runs, then replayed."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tilewright._display.notebook import bars, card, table
from tilewright._launch.run_options import RunOptions
from tilewright._launch.run_program import intercepted_launches, run_program
from tilewright._program.program import ProgramDescriptor
from tilewright._record.call_record import CallRecord
from tilewright._record.run import Run
from tilewright._tensor.argument import require
from tilewright._tensor.tensor import Tensor
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
    def of(tensor: Tensor) -> TensorFacts:
        config = tensor.memory_config()
        return TensorFacts(
            tuple(tensor.shape),
            tuple(tensor.padded_shape),
            tensor.layout.name,
            tensor.dtype.name,
            f"{config.buffer_type.name}_{config.memory_layout.name}",
        )


@dataclasses.dataclass(frozen=True)
class TimedLaunch:
    """A launch, and how long a card takes for it by the model.

    Attributes:
        tensors: the output last; empty where only the record of calls is known.
        run: what else it did, where it ran in this process.
    """

    record: CallRecord
    time: DeviceTime
    tensors: tuple[TensorFacts, ...] = ()
    run: Run | None = None

    @property
    def name(self) -> str:
        """That of its first compute kernel, or of its first kernel."""
        return max(self.record.kernels, key=lambda kernel: kernel.processor).name

    @property
    def label(self) -> str:
        """Names of its kernels, the compute kernels first."""
        kernels = sorted(self.record.kernels, key=lambda kernel: -kernel.processor)
        return ", ".join(dict.fromkeys(kernel.name for kernel in kernels))

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
    """Runs a program and says how long a card takes for it by the model.

    Args:
        io_tensors, program, options: as ``run_program`` takes them.

    Example::

        launch = tilewright.time_program([x, y], program)
        print(f"{launch.time.microseconds:.1f} us")
    """
    if options is not None:
        require("options", options, RunOptions, "a tilewright.RunOptions")
    chosen = RunOptions() if options is None else options
    run = run_program(io_tensors, program, dataclasses.replace(chosen, record_calls=True))
    assert run.calls is not None
    tensors = tuple(TensorFacts.of(tensor) for tensor in io_tensors)
    return TimedLaunch(run.calls, replay(run.calls), tensors, run)


def time_records(directory: Path) -> list[TimedLaunch]:
    """Times the launches a simulated card kept there (``TILEWRIGHT_RECORDS``), in their order.

    Raises:
        TilewrightError: a file is no record.
    """
    records = [CallRecord.load(path) for path in sorted(directory.glob("*.npz"))]
    return [TimedLaunch(record, replay(record)) for record in records]


@contextlib.contextmanager
def every_launch_timed(on_launch: Callable[[TimedLaunch], None] | None = None) -> Iterator[list[TimedLaunch]]:
    """Within the block every launch is timed; the list grows as they end."""
    launches: list[TimedLaunch] = []

    def launch(io_tensors: Sequence[Tensor], program: ProgramDescriptor, options: RunOptions) -> Run:
        timed = time_program(io_tensors, program, options)
        launches.append(timed)
        if on_launch is not None:
            on_launch(timed)
        assert timed.run is not None
        return timed.run

    with intercepted_launches(launch):
        yield launches
