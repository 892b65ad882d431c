# SPDX-License-Identifier: Apache-2.0
"""The process that runs what a host launches on the simulated card.

The library in the host's process starts it (native/card/simulator), and it ends with that process. They share the
memory of all chips of the system: what the host wrote is already there when a launch arrives.
"""

from __future__ import annotations

import contextlib
import dataclasses
import mmap
import os
import select
import signal
import socket
import struct
import sys
import threading
from _thread import interrupt_main
from pathlib import Path

import numpy as np

from tilewright._card.environment import described_card
from tilewright._card.golden.precision import note_precision
from tilewright._card.launches.card_launch import Call, CardLaunch
from tilewright._card.launches.decode import Core, Decoder
from tilewright._card.launches.dispatch_kernels import described_kernels, dispatch_kernels, serves_queues
from tilewright._card.launches.global_buffers import is_connected, joined_bases, joined_program, partners
from tilewright._card.launches.launch_message import launch_layout
from tilewright._card.launches.launched_cores import LaunchedCores
from tilewright._card.launches.layout import ReleaseLayout
from tilewright._card.products import CardModel, nodes_of
from tilewright._card.protocol import ClosedError, has_next, packed, receive, send, send_greeting, send_packed
from tilewright._card.systems.chip_names import chip_and_core, with_chips
from tilewright._card.systems.ethernet_cores import EthernetCore
from tilewright._card.systems.fabric_kernels import fabric_defines
from tilewright._card.systems.routers import Routers, router_kernel
from tilewright._card.systems.sockets import uses_sockets
from tilewright._card.tensors import callers_told, memory_told, tensors_told
from tilewright._errors import TilewrightError
from tilewright._launch.chip import Chip
from tilewright._launch.observer import installed, observed_run, requested_observers
from tilewright._launch.run_options import RunOptions
from tilewright._program.program import ProgramDescriptor, ProgramStructure
from tilewright._tensor.chip_memory import PageRange
from tilewright._tensor.memory_config import BufferType
from tilewright._wire import card as wire
from tilewright._wire.card import CardMessageKind
from tilewright._wire.layout import packer

_BANK_TABLES_BYTES = 2048
_NOCS = 2
_DONE = packer(wire.LaunchDone)


class CardServer:
    """The cards of a system: their chips, and the launches that arrive for them."""

    def __init__(self, channel: socket.socket, model: CardModel, layout: ReleaseLayout, root: Path) -> None:
        self._channel = channel
        self._options = RunOptions(keep_l1=True, time_limit=time_limit(), on_print=self._print)
        self._call = Call()
        self.is_launching = False
        self._answers = b""  # of launches that were posted together
        self._waiting: list[ProgramDescriptor] = []  # launched and not run yet
        self._joined: dict[tuple[ProgramStructure, ...], ProgramDescriptor] = {}
        self._layout = layout
        self._arch = model.arch
        self._grid = model.grid
        self._coordinate_shift = layout["NOC_COORD_REG_OFFSET"]
        self._chip = Chip(self._arch, model.grid, num_dies=model.mesh.chips, mesh_columns=model.mesh.columns)
        files = self._chip.memory_files()
        cores = self._chip.grid[0] * self._chip.grid[1]
        shared = mmap.mmap(files.l1, cores * files.l1_slot_bytes)
        l1 = np.frombuffer(shared, np.uint8).reshape(cores, files.l1_slot_bytes)
        self._routers = Routers(model.mesh, model.chip, layout)
        fabric = fabric_defines(layout) if model.mesh.chips > 1 else ()
        begin = self._arch.l1_unreserved_base
        self._decoder = Decoder(layout, l1, model.grid[0], str(root), begin, self._core, fabric)
        if _sees_unset_arguments():
            self._decoder.mark_all(layout["MEM_MAP_END"], begin)
        nodes = nodes_of(
            model, files.l1_slot_bytes, files.dram_bank_stride, layout.go_address, layout.ethernet_go_addresses
        )
        greeting = _greeting(model, layout, wants_operations=bool(installed))
        greeting.l1_stride = model.grid[0] * model.grid[1] * files.l1_slot_bytes
        greeting.dram_stride = self._arch.num_dram_banks * files.dram_bank_stride
        send_greeting(channel, greeting, nodes, [files.l1, files.dram])

    def interrupt(self, *_: object) -> None:
        """Ends the launch that runs: a handler of Ctrl-C, which may also come between two launches of a trace."""
        if self.is_launching:
            raise KeyboardInterrupt

    def serve(self) -> None:
        """Runs what arrives until the host has gone."""
        while True:
            kind, data = receive(self._channel)
            if kind is CardMessageKind.BANK_TABLES:
                self._take_bank_tables(data)
            elif kind is CardMessageKind.OPERATION:
                self._call = Call(data.decode())
            elif kind is CardMessageKind.TENSORS:
                text = data.decode()
                self._call = dataclasses.replace(
                    self._call, tensors=tensors_told(text), callers=callers_told(text), memory=memory_told(text)
                )
            elif kind is CardMessageKind.LAUNCH:
                self._answer(LaunchedCores.of(data))
            elif kind is CardMessageKind.DISPATCH_CORE:
                self._describe_dispatch_core(data)
            elif kind is CardMessageKind.ETHERNET_CORE:
                self._start_ethernet_core(data)

    def _describe_dispatch_core(self, l1: bytes) -> None:
        try:
            text = dispatch_kernels(self._layout, self._arch, l1)
        except Exception as error:
            send(self._channel, CardMessageKind.FAILED, f"{type(error).__name__}: {error}")
        else:
            send(self._channel, CardMessageKind.DISPATCH_CORE, text)

    def _start_ethernet_core(self, data: bytes) -> None:
        card, x, y, go_address = struct.unpack_from("<IIII", data)
        try:
            core = EthernetCore(self._layout, data[16:], go_address)
            if core.kernels and all(map(serves_queues, core.kernels)):
                kind = CardMessageKind.DISPATCH_CORE
                answer: str | bytes = described_kernels(self._layout, self._arch, core.kernels)
            else:
                kernel = router_kernel(self._layout, core)
                self._routers.start(card, x, y, kernel)
                self._chip.set_routers(self._routers.all())
                kind, answer = CardMessageKind.ETHERNET_CORE, kernel.words
        except Exception as error:
            send(self._channel, CardMessageKind.FAILED, f"{type(error).__name__}: {error}")
        else:
            send(self._channel, kind, answer)

    def _answer(self, launched: LaunchedCores) -> None:
        known = self._decoder.num_decoded
        try:
            self.is_launching = True
            seconds = self._launch_with_partners(launched)
            self.is_launching = False
        except KeyboardInterrupt:
            self.is_launching = False
            self._waiting = []
            answer = packed(CardMessageKind.INTERRUPTED)
        except Exception as error:
            self.is_launching = False
            # Also what we did not foresee: the host gets it, and can go on or close its device.
            self._waiting = []
            answer = packed(CardMessageKind.FAILED, self._named(f"{type(error).__name__}: {error}"))
        else:
            if seconds is None:
                answer = packed(CardMessageKind.WAITING)
            else:
                done = _DONE.pack(seconds, bool(self._waiting), self._decoder.num_decoded - known)
                answer = packed(CardMessageKind.DONE, done)
        self._answers += answer
        if not has_next(self._channel):
            send_packed(self._channel, self._answers)
            self._answers = b""

    def _launch_with_partners(self, launched: LaunchedCores) -> float | None:
        """Runs the program of cores with a GO, or the waiting ones without any; None: these cores wait now, too."""
        if not launched.data:
            together, self._waiting = self._waiting, []
            return self._launch(self._together(together), with_tensors=False)
        program = self._decoder.program(launched)
        if not self._leads_elsewhere([program]):
            return self._launch(program)
        together = [*self._waiting, program.copy()]
        if self._leads_elsewhere(together):
            self._waiting = together
            return None
        with_tensors, self._waiting = not self._waiting, []
        return self._launch(self._together(together), with_tensors=with_tensors)

    def _together(self, programs: list[ProgramDescriptor]) -> ProgramDescriptor:
        """One program of several on different cores."""
        if len(programs) == 1:
            return programs[0]
        key = tuple(each.structure() for each in programs)
        if key not in self._joined:
            self._joined[key] = joined_program(programs)
        self._joined[key].config_bases = joined_bases(programs)
        return self._joined[key]

    def _leads_elsewhere(self, programs: list[ProgramDescriptor]) -> bool:
        """Whether sockets or global circular buffers lead to other cores, which may have to run for these to get on."""
        if self._chip.num_dies > 1 and any(map(uses_sockets, programs)):
            return True
        if not any(map(is_connected, programs)):
            return False
        read_words, num_buffers = self._decoder.read_words, self._arch.num_circular_buffers
        others = {end for each in programs for end in partners(each, read_words, num_buffers)}
        there = {self._core(row // self._grid[1], *place) for (_, row), place in others}
        return not there <= {(core.x, core.y) for each in programs for core in each.all_cores()}

    def _launch(self, program: ProgramDescriptor, *, with_tensors: bool = True) -> float:
        """Runs a program; seconds that its kernels ran.

        Args:
            with_tensors: it was launched in the call the host is in, and nowhere else.
        """
        note_precision(program)
        if not installed:
            return self._chip.launch(program, self._options).seconds
        call = self._call if with_tensors else dataclasses.replace(self._call, tensors=())
        self._poison_new(call)
        if _sees_unset_arguments():
            self._decoder.mark_unset_arguments(program)
        try:
            return observed_run(CardLaunch(self._chip, program, self._options, call, self._show)).seconds
        finally:
            if _sees_unset_arguments():
                self._decoder.mark_arguments(program)

    def _poison_new(self, call: Call) -> None:
        """Fill the tensors that hold nothing yet, so that it shows what a checked program leaves out."""
        for each in call.tensors if _sees_unwritten_memory() else ():
            if each is not None and each.is_new:
                place = BufferType.DRAM if each.is_dram else BufferType.L1
                pages = PageRange(place, each.address, each.stride, each.stride, each.num_pages)
                self._chip.fill_pages(pages, each.dtype.poison)

    def _show(self, text: str) -> None:
        send(self._channel, CardMessageKind.PRINT, text)

    def _print(self, core: tuple[int, int], kernel: str, line: str) -> None:
        place = f"({core[0]},{core[1]})" if self._chip.num_dies == 1 else chip_and_core(core, self._grid[1])
        self._show(f"{place} {kernel}: {line}\n")

    def _named(self, text: str) -> str:
        """A message with the chips of its cores, if there are several."""
        return text if self._chip.num_dies == 1 else with_chips(text, self._grid[1])

    def _core(self, card: int, x: int, y: int) -> Core:
        row = self._arch.worker_rows.index(y)
        return self._arch.worker_columns.index(x), card * self._grid[1] + row

    def _take_bank_tables(self, tables: bytes) -> None:
        """Takes over which core each bank of L1 lies in. Before it stands the same of DRAM, for both NoCs."""
        cores = self._grid[0] * self._grid[1]
        begin = 2 * _NOCS * self._arch.num_dram_banks
        places = np.frombuffer(tables, np.uint16, cores, begin) >> self._coordinate_shift
        banks = [self._core(0, place & 63, place >> 6) for place in places.tolist()]
        self._chip.set_l1_banks([y * self._grid[0] + x for x, y in banks])


def _sees_unwritten_memory() -> bool:
    return any(each.sees_unwritten_memory for each in installed)


def _sees_unset_arguments() -> bool:
    return any(each.sees_unset_arguments for each in installed)


def _greeting(model: CardModel, layout: ReleaseLayout, wants_operations: bool) -> wire.CardGreeting:
    return wire.CardGreeting(
        magic=wire.MAGIC,
        version=wire.VERSION,
        pci_id=model.chip.pci_id,
        signals=wire.GoSignals(
            byte=layout["go_msg_t.signal"],
            init=layout["RUN_MSG_INIT"],
            go=layout["RUN_MSG_GO"],
            reset_read_pointer=layout["RUN_MSG_RESET_READ_PTR"],
            reset_read_pointer_from_host=layout["RUN_MSG_RESET_READ_PTR_FROM_HOST"],
            done=layout["RUN_MSG_DONE"],
        ),
        launch=launch_layout(layout),
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


def serve(directory: str, descriptor: str) -> int:
    """Serve the host at the other end of a socket until it has gone.

    Args:
        directory: where the card is set up.
        descriptor: number of the socket's open file.
    """
    channel = socket.socket(fileno=int(descriptor))
    with requested_observers():
        try:
            server = CardServer(channel, *described_card(Path(directory)))
        except TilewrightError as error:
            send(channel, CardMessageKind.FAILED, f"tilewright: {error}")
            return 1
        signal.signal(signal.SIGINT, server.interrupt)
        threading.Thread(target=_end_with_host, args=(channel, server), daemon=True).start()
        with contextlib.suppress(ClosedError, KeyboardInterrupt):
            server.serve()
    return 0


def _end_with_host(channel: socket.socket, server: CardServer) -> None:
    """Ends a launch whose host has gone, such as a killed one; between launches the server notices by itself."""
    gone = select.poll()
    gone.register(channel, select.POLLRDHUP)
    gone.poll()
    if server.is_launching:
        interrupt_main()


if __name__ == "__main__":
    sys.exit(serve(*sys.argv[1:]))
