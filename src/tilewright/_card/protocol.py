# SPDX-License-Identifier: Apache-2.0
"""Messages between the card's library and its server (native/card/simulator/protocol.h)."""

from __future__ import annotations

import dataclasses
import enum
import socket
import struct
from collections.abc import Sequence

_MAGIC = 0x44524157
_VERSION = 5
_MESSAGE = struct.Struct("<II")
_NODE = struct.Struct("<IIIiQQQQ")
_GREETING = struct.Struct("<5I6III4xQQQ")


class MessageKind(enum.IntEnum):
    LAUNCH = 1
    PRINT = 2
    DONE = 3
    FAILED = 4
    INTERRUPTED = 5
    BANK_TABLES = 6
    OPERATION = 7
    WAITING = 8
    TENSORS = 9


class NodeKind(enum.IntEnum):
    WORKER = 0
    DRAM = 1
    ETHERNET = 2


@dataclasses.dataclass(frozen=True)
class Node:
    """Memory at one NoC coordinate: ``size`` bytes of a file, or, without one, memory of the library's own."""

    x: int
    y: int
    kind: NodeKind
    file: int = -1
    file_offset: int = 0
    address: int = 0
    size: int = 0
    go_address: int = 0


@dataclasses.dataclass(frozen=True)
class Greeting:
    """What the library has to know before the host reads its first byte."""

    pci_id: int
    go_signal_byte: int
    init: int
    go: int
    reset_read_pointer: int
    reset_read_pointer_from_host: int
    done: int
    bank_tables_bytes: int
    wants_operations: int
    config_begin: int
    config_end: int
    bank_tables: int


class ClosedError(Exception):
    """The other side has gone."""


def send_greeting(channel: socket.socket, greeting: Greeting, nodes: Sequence[Node], files: Sequence[int]) -> None:
    fields = dataclasses.astuple(greeting)
    body = _GREETING.pack(_MAGIC, _VERSION, fields[0], len(nodes), len(files), *fields[1:])
    body += b"".join(_NODE.pack(*dataclasses.astuple(node)) for node in nodes)
    socket.send_fds(channel, [_MESSAGE.pack(MessageKind.DONE, len(body))], list(files))
    channel.sendall(body)


def send(channel: socket.socket, kind: MessageKind, body: str | bytes = b"") -> None:
    data = body.encode() if isinstance(body, str) else body
    channel.sendall(_MESSAGE.pack(kind, len(data)) + data)


def receive(channel: socket.socket) -> tuple[MessageKind, bytes]:
    """The next message.

    Raises:
        ClosedError: there is none any more.
    """
    kind, size = _MESSAGE.unpack(_exactly(channel, _MESSAGE.size))
    return MessageKind(kind), _exactly(channel, size)


def _exactly(channel: socket.socket, size: int) -> bytes:
    parts = b""
    while len(parts) < size:
        part = channel.recv(size - len(parts))
        if not part:
            raise ClosedError
        parts += part
    return parts
