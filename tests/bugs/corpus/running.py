# SPDX-License-Identifier: Apache-2.0
"""Running a twin without checks, on a chip of its own, and saying how it ended."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

import tilewright
from tests.bugs.corpus.host import Host
from tests.bugs.corpus.model import Build, Launch, Plain
from tilewright import ttnn
from tilewright._errors import DeadlockError, KernelCompileError, KernelError, SpinningError
from tilewright._launch.run_options import RunOptions
from tilewright._program.errors import ProgramError

SPIN_LIMIT = 0.3  # seconds; no kernel of the corpus computes for so long

_ENDINGS: dict[type[Exception], Plain] = {
    DeadlockError: Plain.DEADLOCK,
    KernelError: Plain.KERNEL_ERROR,
    SpinningError: Plain.SPINNING,
    ProgramError: Plain.PROGRAM_ERROR,
    KernelCompileError: Plain.COMPILE_ERROR,
}


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a plain run ended, and what it said."""

    plain: Plain
    text: str


@contextmanager
def fresh_host(arch: str, *, fixed: bool) -> Iterator[Host]:
    """A host with an unused chip: L1 left by an earlier program would hide or cause faults."""
    device = ttnn.open_device(device_id=0, arch=arch)
    try:
        yield Host(device, fixed=fixed)
    finally:
        ttnn.close_device(device)


def run_plain(build: Build, arch: str, *, fixed: bool) -> Outcome:
    """Runs all launches of a twin until one does not end well."""
    with fresh_host(arch, fixed=fixed) as host:
        for launch in build(host):
            outcome = run_launch(launch)
            if outcome.plain is not Plain.RIGHT:
                return outcome
    return Outcome(Plain.RIGHT, "")


def run_launch(launch: Launch) -> Outcome:
    """Runs one launch, and compares what it left with what it must leave."""
    try:
        tilewright.run_program(launch.io_tensors, launch.program, RunOptions(spin_limit=SPIN_LIMIT))
    except tuple(_ENDINGS) as error:
        return Outcome(_ENDINGS[type(error)], str(error))
    text = difference(launch)
    return Outcome(Plain.WRONG if text else Plain.RIGHT, text)


def difference(launch: Launch) -> str:
    """Where the output is not what it must be, nothing when it is. The corpus uses values that no format rounds."""
    output = ttnn.to_numpy(launch.io_tensors[-1]).astype(np.float64)
    if output.shape != launch.expected.shape:
        return f"shape {output.shape} instead of {launch.expected.shape}"
    wrong = np.argwhere(~(output == launch.expected))
    if not len(wrong):
        return ""
    where = tuple(int(i) for i in wrong[0])
    return f"{len(wrong)} elements differ, first {where}: {output[where]} instead of {launch.expected[where]}"
