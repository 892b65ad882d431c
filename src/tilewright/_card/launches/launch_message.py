# SPDX-License-Identifier: Apache-2.0
"""The launch message in a core's L1 and the tables it points to."""

from __future__ import annotations

import dataclasses
import struct

from tilewright._card.launches.layout import ReleaseLayout
from tilewright._wire import card as wire

TENSIX = 0  # which of tt-metal's programmable core types
_NO_ARGUMENTS = 0xFFFF
TEXT_MAGIC = b"TWKERNEL"
_SEMAPHORE_BYTES = 16
_CB_WORDS = 4
_PIPES, _NO_PIPES = "prefetcher_pipe_offset", 0xFF
NO_REMOTE_CB = (32, 64)  # as the first of them: how many circular buffers a core of the chip has
LONGEST_NAME = 512  # of a build directory, in a kernel's text
# More than any release's tables take: bytes behind them can only make two equal programs look different.
_TABLES_BYTES = 512


@dataclasses.dataclass(frozen=True)
class LaunchMessage:
    """Where in L1 a core finds its program. Offsets are from ``base``.

    Attributes:
        arguments: of each processor, offsets of its runtime and common runtime arguments.
        pipes: the table of prefetcher pipes; None: there are none.
        text: of each processor, where its kernel lies.
        enables: one bit for each processor that runs.
        is_from_queue: a command queue launched it (fast dispatch), not the host.
    """

    base: int
    semaphores: int
    local_cbs: int
    remote_cbs: int
    pipes: int | None
    arguments: tuple[tuple[int, int], ...]
    text: tuple[int, ...]
    cb_mask: int
    first_remote_cb: int
    enables: int
    is_from_queue: bool

    def end_of(self, offset: int) -> int:
        """Where what begins at an offset ends: at the next thing that begins."""
        starts = [each for pair in self.arguments for each in pair if each != _NO_ARGUMENTS]
        starts += [self.semaphores, self.local_cbs, self.remote_cbs, *self.text]
        starts += [self.pipes] if self.pipes is not None else []
        return min((start for start in starts if start > offset), default=offset)

    def arguments_of(self, processor: int) -> tuple[int, int, int, int]:
        """Offset and number of words of a processor's runtime arguments, then of its common ones."""
        found: list[int] = []
        for offset in self.arguments[processor]:
            is_given = offset != _NO_ARGUMENTS
            found += [offset if is_given else 0, (self.end_of(offset) - offset) // 4 if is_given else 0]
        return found[0], found[1], found[2], found[3]

    def text_address(self, processor: int) -> int:
        """Address of a processor's kernel. In a trace kernels lie before ``base``: offsets wrap at 32 bits."""
        return (self.base + self.text[processor]) & 0xFFFFFFFF

    @property
    def num_semaphores(self) -> int:
        end = self.end_of(self.semaphores) if self.semaphores != self.local_cbs else self.semaphores
        if not self.is_from_queue:
            # Of a program with dataflow buffers the table of local buffers lies behind an unused one, which ends where
            # that of remote ones begins.
            end = min(end, self.remote_cbs - 4 * _CB_WORDS * self.cb_mask.bit_length())
        return max(0, end - self.semaphores) // _SEMAPHORE_BYTES


class MessageReader:
    """Reads launch messages of one release of tt-metal."""

    def __init__(self, layout: ReleaseLayout) -> None:
        self.address = layout.launch_address
        self.size = layout["launch_msg_t"]
        self._layout = layout
        self._processors = layout["processors"]

    def read(self, message: bytes) -> LaunchMessage:
        arguments = self._halves(message, "rta_offset", 2 * self._processors)
        return LaunchMessage(
            base=self._words(message, "kernel_config_base", TENSIX + 1)[TENSIX],
            semaphores=self._halves(message, "sem_offset", TENSIX + 1)[TENSIX],
            local_cbs=self._halves(message, "local_cb_offset", 1)[0],
            remote_cbs=self._halves(message, "remote_cb_offset", 1)[0],
            pipes=self._pipes(message),
            arguments=tuple(zip(arguments[::2], arguments[1::2], strict=True)),
            text=self._words(message, "kernel_text_offset", self._processors),
            cb_mask=self._number(message, "local_cb_mask", self._layout["local_cb_mask_bytes"]),
            first_remote_cb=self._number(message, "min_remote_cb_start_index", 1),
            enables=self._number(message, "enables", self._layout["enables_bytes"]),
            is_from_queue=self._number(message, "mode", 1) == self._layout["DISPATCH_MODE_DEV"],
        )

    def _pipes(self, message: bytes) -> int | None:
        if not _has_pipes(self._layout):
            return None
        (offset,) = self._halves(message, _PIPES, 1)
        return offset if offset != _NO_PIPES else None

    def _words(self, message: bytes, field: str, count: int) -> tuple[int, ...]:
        return struct.unpack_from(f"<{count}I", message, self._layout.config(field))

    def _halves(self, message: bytes, field: str, count: int) -> tuple[int, ...]:
        return struct.unpack_from(f"<{count}H", message, self._layout.config(field))

    def _number(self, message: bytes, field: str, size: int) -> int:
        begin = self._layout.config(field)
        return int.from_bytes(message[begin : begin + size], "little")


def launch_layout(layout: ReleaseLayout) -> wire.LaunchLayout:
    """Input of the card's library for a program's key."""
    return wire.LaunchLayout(
        first_message=layout.launch_address,
        message_bytes=layout["launch_msg_t"],
        host_id=layout.config("host_assigned_id"),
        base=layout.config("kernel_config_base") + 4 * TENSIX,
        semaphores=layout.config("sem_offset") + 2 * TENSIX,
        local_cbs=layout.config("local_cb_offset"),
        cb_mask=layout.config("local_cb_mask"),
        cb_mask_bytes=layout["local_cb_mask_bytes"],
        cb_bytes=4 * _CB_WORDS,
        remote_cbs=layout.config("remote_cb_offset"),
        first_remote_cb=layout.config("min_remote_cb_start_index"),
        pipes=layout.config(_PIPES) if _has_pipes(layout) else 0,
        no_pipes=_NO_PIPES,
        texts=layout.config("kernel_text_offset"),
        processors=layout["processors"],
        enables=layout.config("enables"),
        enables_bytes=layout["enables_bytes"],
        preload=layout.config("preload"),
        tables_bytes=_TABLES_BYTES,
        longest_name=LONGEST_NAME,
    )


def _has_pipes(layout: ReleaseLayout) -> bool:
    return f"kernel_config_msg_t.{_PIPES}" in layout.tensix


def kernel_directory(text: bytes) -> str | None:
    """The build directory that a kernel's text names; None where the text is none of ours."""
    if not text.startswith(TEXT_MAGIC):
        return None
    (size,) = struct.unpack_from("<I", text, len(TEXT_MAGIC))
    begin = len(TEXT_MAGIC) + 4
    return text[begin : begin + size].decode()


@dataclasses.dataclass(frozen=True)
class CbConfig:
    """A local circular buffer as the host configured it on a core."""

    index: int
    address: int
    size: int
    page_size: int


def circular_buffers(config: bytes, mask: int) -> list[CbConfig]:
    """The buffers of a mask, out of the host's table of them. One of no pages is none."""
    found = []
    for index in range(mask.bit_length()):
        if mask >> index & 1:
            address, size, pages, page_size = struct.unpack_from(f"<{_CB_WORDS}I", config, 4 * _CB_WORDS * index)
            if pages and page_size:
                found.append(CbConfig(index, address, size, page_size))
    return found


def semaphore_values(region: bytes) -> list[int]:
    return [struct.unpack_from("<I", region, begin)[0] for begin in range(0, len(region), _SEMAPHORE_BYTES)]
