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
    send_packed(channel, packed(kind, body))


def packed(kind: CardMessageKind, body: str | bytes = b"") -> bytes:
    """A message as ``send_packed`` takes it, alone or with others behind it."""
    data = body.encode() if isinstance(body, str) else body
    return _HEADER.pack(kind, len(data)) + data


def send_packed(channel: socket.socket, messages: bytes) -> None:
    """Sends messages.

    Raises:
        ClosedError: the other side has gone.
    """
    try:
        channel.sendall(messages)
    except (BrokenPipeError, ConnectionResetError):
        raise ClosedError from None


def has_next(channel: socket.socket) -> bool:
    """Whether bytes of the next message are there already.

    Raises:
        ClosedError: the other side has gone, with messages that it had not read.
    """
    try:
        return bool(channel.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
    except BlockingIOError:
        return False
    except ConnectionResetError:
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
        try:
            part = channel.recv(size - len(parts))
        except ConnectionResetError:  # it had not read all that was sent
            raise ClosedError from None
        if not part:
            raise ClosedError
        parts += part
    return parts
