# SPDX-License-Identifier: Apache-2.0
"""The debug channel of one launch: breakpoints sent to the runner, and the answer to each stop."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tilewright._debug.breakpoints import Breakpoint, KernelCode
from tilewright._debug.stop import Dst, ReadL1, Stop, StopHandler
from tilewright._launch.run_record import Parts, RecordReader, buffer_use
from tilewright._launch.runner import Answer
from tilewright._program.program import ProgramDescriptor
from tilewright._record.run import KernelInfo, Run, RunStatus
from tilewright._tensor.argument import shown
from tilewright._wire import runner as wire
from tilewright._wire.data_formats import DataFormat
from tilewright._wire.run_report import CircularBufferReport, InstanceReport
from tilewright._wire.runner import DstPhase, Go, StopReason


class Debugging:
    """The breakpoints of one launch, and the function that looks at its stops."""

    def __init__(
        self,
        program: ProgramDescriptor,
        kernels: Sequence[KernelInfo],
        cb_labels: dict[int, str],
        code: KernelCode,
        reader: RecordReader,
        cb_addresses: Sequence[int],
        read_l1: ReadL1,
        wanted: Sequence[Breakpoint],
        on_stop: StopHandler,
    ) -> None:
        self._program = program
        self._kernels = kernels
        self._cb_labels = cb_labels
        self._code = code
        self._reader = reader
        self._cb_addresses = cb_addresses
        self._read_l1 = read_l1
        self._wanted = wanted
        self._on_stop = on_stop

    def request(self) -> list[bytes]:
        """The end of a message that requests the run."""
        instructions, lines = self._code.instructions(self._wanted), self._code.own_lines()
        header = wire.BreakpointsRequest(num_breakpoints=len(instructions), num_lines=len(lines))
        return [bytes(header), b"".join(map(bytes, instructions)), b"".join(map(bytes, lines))]

    def answer(self, message: Answer) -> list[bytes]:
        """The message that resumes the runner after a stop."""
        stop = self._stop(message)
        is_wanted = not stop.is_hang or any(each.is_hang for each in self._wanted)
        how = self._on_stop(stop) if is_wanted else None
        if how is not None and not isinstance(how, Go):
            raise TypeError(f"on_stop must return a tilewright.Go or None, not {shown(how)}")
        self._wanted = stop.breakpoints
        instructions = self._code.instructions(self._wanted)
        header = wire.ResumeRequest(how=how or Go.ON, num_breakpoints=len(instructions))
        return [bytes(header), b"".join(map(bytes, instructions))]

    def _stop(self, message: Answer) -> Stop:
        parts = Parts(message)
        header = parts.take(wire.StoppedMessage)
        words = np.frombuffer(parts.take_bytes(4096 * header.dst_tiles), np.uint32).reshape(-1, 1024)
        instances = parts.take_many(InstanceReport, header.num_instances)()
        buffers = parts.take_many(CircularBufferReport, header.num_circular_buffers)
        run = Run(
            RunStatus.OK,
            self._kernels,
            self._cb_labels,
            0.0,
            0,
            list,
            lambda: [buffer_use(each) for each in buffers()],
            [self._reader.position(each) for each in instances],
            [],
        )
        dst = Dst(words, DstPhase(header.dst_phase), bool(header.dst_is_32_bit), DataFormat(header.unpack_format))
        stop = header.stop
        place = (stop.kernel, (stop.core_x, stop.core_y), stop.threads, StopReason(stop.reason))
        return Stop(
            place,
            self._program,
            run,
            dst if header.dst_tiles else None,
            self._cb_addresses,
            self._read_l1,
            self._wanted,
            lambda wanted: self._code.instructions([wanted]),
        )
