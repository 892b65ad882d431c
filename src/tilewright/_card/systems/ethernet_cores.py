# SPDX-License-Identifier: Apache-2.0
"""Launch messages of ethernet cores: their kernels and runtime arguments."""

from __future__ import annotations

import functools
import struct

from tilewright._card.launches.launch_message import LONGEST_NAME, kernel_directory
from tilewright._card.launches.layout import ReleaseLayout

_LINKED, _IDLE = 1, 2  # which of tt-metal's programmable core types


class EthernetCore:
    """An ethernet core with a GO message.

    Args:
        l1: its memory from address 0 on.
        go_address: of the word with that message: cores with a link and those without have mailboxes of their own.
    """

    def __init__(self, layout: ReleaseLayout, l1: bytes, go_address: int) -> None:
        _, linked = layout.ethernet_go_addresses
        is_idle = go_address != linked  # on Blackhole the mailboxes are the same, and no idle core gets a kernel
        self.l1 = l1
        self._names = layout.ethernet if is_idle else layout.linked_ethernet
        mailbox = self._names["MEM_IERISC_MAILBOX_BASE" if is_idle else "MEM_AERISC_MAILBOX_BASE"]
        self._config = mailbox + self._names["mailboxes_t.launch"] + self._names["launch_msg_t.kernel_config"]
        (self._base,) = self._unpack("<I", "kernel_config_base", 4 * (_IDLE if is_idle else _LINKED))

    @functools.cached_property
    def kernels(self) -> list[str]:
        """Build directories of the kernels that its processors run."""
        enables = int.from_bytes(self._field("enables", self._names["enables_bytes"]), "little")
        offsets = self._unpack(f"<{enables.bit_length()}I", "kernel_text_offset")
        found = (self._directory(offset) for processor, offset in enumerate(offsets) if enables >> processor & 1)
        return [each for each in found if each is not None]

    def _directory(self, offset: int) -> str | None:
        """Of a kernel; of some chips' linked cores the offset is the address."""
        for begin in (self._base + offset & 0xFFFFFFFF, offset):
            directory = kernel_directory(self.l1[begin : begin + LONGEST_NAME])
            if directory is not None:
                return directory
        return None

    def arguments(self, count: int) -> tuple[int, ...]:
        """The first runtime arguments of its first processor."""
        (offset,) = self._unpack("<H", "rta_offset")
        return struct.unpack_from(f"<{count}I", self.l1, self._base + offset)

    def _field(self, name: str, size: int) -> bytes:
        begin = self._config + self._names[f"kernel_config_msg_t.{name}"]
        return self.l1[begin : begin + size]

    def _unpack(self, form: str, name: str, offset: int = 0) -> tuple[int, ...]:
        return struct.unpack_from(form, self.l1, self._config + self._names[f"kernel_config_msg_t.{name}"] + offset)
