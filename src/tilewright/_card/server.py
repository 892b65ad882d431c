# SPDX-License-Identifier: Apache-2.0
"""The process that runs what a host launches on the simulated card.

The library in the host's process starts it (native/card/simulator), and it ends with that process. They share the
chip's memory: what the host wrote is already there when a launch arrives.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import mmap
import os
import socket
import struct
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tilewright._card.decode import Core, Decoder
from tilewright._card.environment import described_card
from tilewright._card.global_buffers import partners
from tilewright._card.layout import ReleaseLayout
from tilewright._card.products import CardModel, nodes_of
from tilewright._card.program_text import described_program
from tilewright._card.protocol import ClosedError, Greeting, MessageKind, receive, send, send_greeting
from tilewright._card.tensors import tensors_told
from tilewright._errors import TilewrightError
from tilewright._launch.chip import Chip
from tilewright._launch.host_memory import ForeignTensor
from tilewright._launch.run_options import RunOptions
from tilewright._program.program import ProgramDescriptor
from tilewright._record.run import Run

_BANK_TABLES_BYTES = 2048
_NOCS = 2
# A directory in which the calls of every launch are kept, one file each in their order (_record/call_record.py).
RECORDS_VARIABLE = "TILEWRIGHT_RECORDS"


@dataclasses.dataclass(frozen=True)
class Call:
    """The call of ttnn that a program was launched in, as far as the host can say."""

    operation: str = ""
    tensors: tuple[ForeignTensor | None, ...] = ()


# Runs a program on a chip; raises what it ends with.
Launch = Callable[[Chip, ProgramDescriptor, RunOptions, Call], Run]


def plain_launch(chip: Chip, program: ProgramDescriptor, options: RunOptions, _: Call) -> Run:
    """Runs a program; its calls are recorded where a directory for records is named."""
    directory = os.environ.get(RECORDS_VARIABLE)
    run = chip.launch(program, dataclasses.replace(options, record_calls=bool(directory)))
    if directory and run.calls is not None:
        run.calls.save(Path(directory) / f"{os.getpid()}-{next(_record_numbers):06}.npz")
    return run


_record_numbers = itertools.count(1)


class CardServer:
    """One card: its chip, and the launches that arrive for it.

    Args:
        wants_operations: ``launch`` is told which call of ttnn a program is of, where the host can say.
    """

    def __init__(
        self,
        channel: socket.socket,
        launch: Launch,
        model: CardModel,
        layout: ReleaseLayout,
        root: Path,
        *,
        wants_operations: bool,
    ) -> None:
        self._channel = channel
        self._run = launch
        self._options = RunOptions(keep_l1=True, time_limit=time_limit(), on_print=self._print)
        self._shows_programs = bool(os.environ.get("TILEWRIGHT_CARD_SHOW_PROGRAMS"))
        self._launches = 0
        self._call = Call()
        self._waiting: list[Core] = []  # told to go, and not run yet
        self._arch = model.arch
        self._grid = model.grid
        self._coordinate_shift = layout["NOC_COORD_REG_OFFSET"]
        self._chip = Chip(self._arch, model.grid)
        files = self._chip.memory_files()
        cores = model.grid[0] * model.grid[1]
        shared = mmap.mmap(files.l1, cores * files.l1_slot_bytes)
        l1 = np.frombuffer(shared, np.uint8).reshape(cores, files.l1_slot_bytes)
        self._decoder = Decoder(layout, l1, model.grid[0], str(root), self._arch.l1_unreserved_base)
        nodes = nodes_of(
            model, files.l1_slot_bytes, files.dram_bank_stride, layout.go_address, layout.ethernet_go_addresses
        )
        greeting = _greeting(model, layout, wants_operations or self._shows_programs)
        send_greeting(channel, greeting, nodes, [files.l1, files.dram])

    def serve(self) -> None:
        """Runs what arrives until the host has gone."""
        while True:
            kind, data = receive(self._channel)
            if kind is MessageKind.BANK_TABLES:
                self._take_bank_tables(data)
            elif kind is MessageKind.OPERATION:
                self._call = Call(data.decode())
            elif kind is MessageKind.TENSORS:
                self._call = dataclasses.replace(self._call, tensors=tensors_told(data.decode()))
            elif kind is MessageKind.LAUNCH:
                self._answer([self._core(*each) for each in struct.iter_unpack("<II", data)])

    def _answer(self, cores: list[Core]) -> None:
        try:
            seconds = self._launch_with_partners(cores)
        except KeyboardInterrupt:
            self._waiting = []
            send(self._channel, MessageKind.INTERRUPTED)
        except Exception as error:
            # Also what we did not foresee: the host is told, and can go on or close its device.
            self._waiting = []
            send(self._channel, MessageKind.FAILED, f"{type(error).__name__}: {error}")
        else:
            if seconds is None:
                send(self._channel, MessageKind.WAITING)
            else:
                send(self._channel, MessageKind.DONE, struct.pack("<dI", seconds, bool(self._waiting)))

    def _launch_with_partners(self, cores: list[Core]) -> float | None:
        """Runs what the cores were told, or those that wait if there are none; None: these cores wait now, too."""
        if not cores:
            together, self._waiting = self._waiting, []
            return self._launch(self._decoder.program(together), with_tensors=False)
        program = self._decoder.program(cores)
        if not self._lead_elsewhere(program, cores):
            return self._launch(program)
        together = [*self._waiting, *cores]
        if self._waiting:
            program = self._decoder.program(together)
        if self._lead_elsewhere(program, together):
            self._waiting = together
            return None
        with_tensors, self._waiting = not self._waiting, []
        return self._launch(program, with_tensors=with_tensors)

    def _lead_elsewhere(self, program: ProgramDescriptor, cores: list[Core]) -> bool:
        """Whether global circular buffers lead to other cores, which may have to run for these to get on."""
        others = partners(program, self._decoder.read_words, self._arch.num_circular_buffers)
        return bool(others) and not others <= {self._coordinates(core) for core in cores}

    def _launch(self, program: ProgramDescriptor, *, with_tensors: bool = True) -> float:
        """Runs a program; seconds that its kernels ran.

        Args:
            with_tensors: it was launched in the call the host is in, and nowhere else.
        """
        self._launches += 1
        if self._shows_programs:
            text = described_program(self._launches, self._call.operation, program, self._decoder.read_words)
            send(self._channel, MessageKind.PRINT, text)
        call = self._call if with_tensors else dataclasses.replace(self._call, tensors=())
        return self._run(self._chip, program, self._options, call).seconds

    def _print(self, core: tuple[int, int], kernel: str, line: str) -> None:
        send(self._channel, MessageKind.PRINT, f"({core[0]},{core[1]}) {kernel}: {line}\n")

    def _core(self, x: int, y: int) -> Core:
        return self._arch.worker_columns.index(x), self._arch.worker_rows.index(y)

    def _coordinates(self, core: Core) -> Core:
        return self._arch.worker_columns[core[0]], self._arch.worker_rows[core[1]]

    def _take_bank_tables(self, tables: bytes) -> None:
        """Takes over which core each bank of L1 lies in. Before it stands the same of DRAM, for both NoCs."""
        cores = self._grid[0] * self._grid[1]
        begin = 2 * _NOCS * self._arch.num_dram_banks
        places = np.frombuffer(tables, np.uint16, cores, begin) >> self._coordinate_shift
        banks = [self._core(place & 63, place >> 6) for place in places.tolist()]
        self._chip.set_l1_banks([y * self._grid[0] + x for x, y in banks])


def _greeting(model: CardModel, layout: ReleaseLayout, wants_operations: bool) -> Greeting:
    return Greeting(
        pci_id=model.chip.pci_id,
        go_signal_byte=layout["go_msg_t.signal"],
        init=layout["RUN_MSG_INIT"],
        go=layout["RUN_MSG_GO"],
        reset_read_pointer=layout["RUN_MSG_RESET_READ_PTR"],
        reset_read_pointer_from_host=layout["RUN_MSG_RESET_READ_PTR_FROM_HOST"],
        done=layout["RUN_MSG_DONE"],
        bank_tables_bytes=_BANK_TABLES_BYTES,
        wants_operations=int(wants_operations),
        config_begin=layout["MEM_MAP_END"],
        config_end=model.arch.l1_unreserved_base,
        bank_tables=layout["MEM_BANK_TO_NOC_SCRATCH"],
    )


def time_limit() -> float | None:
    """Seconds a launch may take, where the user set a limit."""
    text = os.environ.get("TILEWRIGHT_TIME_LIMIT")
    return float(text) if text else None


def serve(arguments: list[str], launch: Launch, *, wants_operations: bool = False) -> int:
    """Serves the host at the other end of the socket that the arguments name, until it has gone."""
    directory, descriptor = arguments
    channel = socket.socket(fileno=int(descriptor))
    try:
        card = described_card(Path(directory))
        server = CardServer(channel, launch, *card, wants_operations=wants_operations)
    except TilewrightError as error:
        send(channel, MessageKind.FAILED, f"tilewright: {error}")
        return 1
    with contextlib.suppress(ClosedError):
        server.serve()
    return 0


if __name__ == "__main__":
    sys.exit(serve(sys.argv[1:], plain_launch))
