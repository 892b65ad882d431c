# SPDX-License-Identifier: Apache-2.0
"""Running a program on the device its tensors are on."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright._launch.chip_device import ChipDevice
from tilewright._launch.executable import Executable
from tilewright._launch.observer import installed, observed_run
from tilewright._launch.run_options import USUAL_OPTIONS, RunOptions
from tilewright._launch.tensor_launch import TensorLaunch, checked_executable, run_unobserved
from tilewright._program.program import ProgramDescriptor
from tilewright._record.run import Run
from tilewright._tensor.argument import require
from tilewright._tensor.device import Device
from tilewright._tensor.tensor import Tensor, tensor_list


def run_program(io_tensors: Sequence[Tensor], program: ProgramDescriptor, options: RunOptions | None = None) -> Run:
    """Like ``ttnn.generic_op``, but gives back the record of the run.

    Args:
        io_tensors: inputs and, last, the output, all on one device.
        program: what to run; a wrong one raises an error with all its mistakes.
        options: threads, limits, and what is to be watched and kept; the usual ones if left out.

    Example::

        run = tilewright.run_program([x, y], program, tilewright.RunOptions(time_limit=10))
        print(run.seconds, [(use.index, use.peak) for use in run.circular_buffers])
    """
    options = USUAL_OPTIONS if options is None else require("options", options, RunOptions, "a tilewright.RunOptions")
    require("program", program, ProgramDescriptor, "a ttnn.ProgramDescriptor")
    if installed and not options.watches:
        return observed_run(TensorLaunch(tensor_list("io_tensors", io_tensors), program, options))
    return run_unobserved(io_tensors, program, options)


def freeze(program: ProgramDescriptor, device: Device) -> Executable:
    """Check, compile and load a program once, to run it many times.

    ``run_program`` does the same for a program it has not seen, and looks in each launch whether the program or its
    kernels' files have changed. An executable never looks.

    Args:
        program: what to run; a wrong one raises an error with all its mistakes.
        device: where it will run.

    Example::

        executable = tilewright.freeze(program, device)
        arguments = executable.arguments(program)
        for _ in range(1000):
            executable.run([x, y], arguments)
    """
    require("program", program, ProgramDescriptor, "a ttnn.ProgramDescriptor")
    opened = require("device", device, ChipDevice, "a device from ttnn.open_device")
    executable = checked_executable(program, opened, USUAL_OPTIONS, ())
    opened.chip.load(executable)
    return executable
