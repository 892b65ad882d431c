# SPDX-License-Identifier: Apache-2.0
"""Sending and receiving the messages of ``_wire/card.py`` on a socket."""

from __future__ import annotations

import socket
from collections.abc import Sequence

from tilewright._wire.card import CardGreeting, CardMessageHeader, CardMessageKind, CardNode
from tilewright._wire.layout import packer

_HEADER = packer(CardMessageHeader)


class ClosedError(Exception):
    """The other side has gone."""


def send_greeting(
    channel: socket.socket, greeting: CardGreeting, nodes: Sequence[CardNode], files: Sequence[int]
) -> None:
    """Sends the first message, with the files attached."""
    greeting.num_nodes, greeting.num_files = len(nodes), len(files)
    body = bytes(greeting) + b"".join(map(bytes, nodes))
    socket.send_fds(channel, [_HEADER.pack(CardMessageKind.DONE, len(body))], list(files))
    channel.sendall(body)


def send(channel: socket.socket, kind: CardMessageKind, body: str | bytes = b"") -> None:
    """Sends a message.

    Raises:
        ClosedError: the other side has gone.
    """
    data = body.encode() if isinstance(body, str) else body
    try:
        channel.sendall(_HEADER.pack(kind, len(data)) + data)
    except (BrokenPipeError, ConnectionResetError):
        raise ClosedError from None


def receive(channel: socket.socket) -> tuple[CardMessageKind, bytes]:
    """The next message.

    Raises:
        ClosedError: there is none any more.
    """
    kind, size = _HEADER.unpack(_exactly(channel, _HEADER.size))
    return CardMessageKind(kind), _exactly(channel, size)


def _exactly(channel: socket.socket, size: int) -> bytes:
    parts = b""
    while len(parts) < size:
        part = channel.recv(size - len(parts))
        if not part:
            raise ClosedError
        parts += part
    return parts
