# SPDX-License-Identifier: Apache-2.0
"""Running a program on the device its tensors are on."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import cast

from tilewright.device.chip import Chip
from tilewright.device.run import Run
from tilewright.program.errors import ProgramError
from tilewright.program.program import ProgramDescriptor
from tilewright.program.validate import validate_program
from tilewright.tensor.argument import require
from tilewright.tensor.tensor import Tensor, tensor_list

# Gets what ``run_program`` got, limits by name.
Launch = Callable[..., Run]
_interceptors: list[Launch] = []


@contextlib.contextmanager
def intercepted_launches(launch: Launch) -> Iterator[None]:
    """Within the block every launch goes through ``launch``, whose own launches do not."""
    _interceptors.append(launch)
    try:
        yield
    finally:
        _interceptors.remove(launch)


@contextlib.contextmanager
def _not_intercepted() -> Iterator[Launch]:
    launch = _interceptors.pop()
    try:
        yield launch
    finally:
        _interceptors.append(launch)


def run_program(
    io_tensors: Sequence[Tensor],
    program: ProgramDescriptor,
    *,
    threads: int = 1,
    time_limit: float | None = None,
    spin_limit: float = 5.0,
    checked: bool = False,
    seed: int = 0,
    record: Collection[int] = (),
    keep_l1: bool = False,
    record_calls: bool = False,
) -> Run:
    """Like ``ttnn.generic_op``, but gives back the record of the run.

    Args:
        io_tensors: inputs and, last, the output, all on one device.
        program: what to run; everything wrong with it is said before it runs.
        threads: OS threads; cores are spread over them when nothing ties the cores together.
        time_limit: seconds after which the run is stopped.
        spin_limit: seconds a kernel may poll memory that nobody changes.
        checked: watch every rule of the checker, in one thread; ``Run.notes`` has what was broken.
        seed: order a checked run takes where kernels could run in several, the same one each time; 0 is the usual one.
        record: circular buffers whose pages are kept as they are pushed, in one thread; ``Run.pages`` has them.
        keep_l1: every core uses its own L1, so that ``read_l1`` finds what it left; else cores may share one.
        record_calls: keep every call that would cost a card time; ``Run.calls`` has them.

    Example::

        run = tilewright.run_program([x, y], program, time_limit=10)
        print(run.seconds, [(use.index, use.peak) for use in run.circular_buffers])
    """
    if _interceptors and not checked and not record and not record_calls:
        with _not_intercepted() as launch:
            return launch(io_tensors, program, threads=threads, time_limit=time_limit, spin_limit=spin_limit)
    io_tensors = tensor_list("io_tensors", io_tensors)
    require("program", program, ProgramDescriptor, "a ttnn.ProgramDescriptor")
    last = io_tensors[-1]
    if not isinstance(last, Tensor):
        raise ProgramError([f"io_tensors[{len(io_tensors) - 1}] is not a ttnn.Tensor but {type(last).__name__}"])
    device = last.device()
    if device is None:
        raise ProgramError([f"io_tensors[{len(io_tensors) - 1}] is on the host; it must be on a device"])
    validate_program(program, device, io_tensors)
    chip = cast(Chip, device.memory)
    return chip.launch(
        program,
        io_tensors,
        threads=threads,
        time_limit=time_limit,
        spin_limit=spin_limit,
        checked=checked,
        seed=seed,
        record=record,
        keep_l1=keep_l1,
        record_calls=record_calls,
    )
