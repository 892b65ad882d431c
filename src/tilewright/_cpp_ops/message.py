# SPDX-License-Identifier: Apache-2.0
"""Messages between Python and an operation's library: values as bytes (``native/host/include/tw_host/message.hpp``)."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ObjectId:
    """Number of a Python object in the bridge's table."""

    number: int


def encode(value: Any) -> bytes:
    """Bytes of a value made of None, bool, int, float, str, list and :class:`ObjectId`.

    >>> decode(encode([None, True, -3, 0.5, "a", [ObjectId(7)]]))
    [None, True, -3, 0.5, 'a', [ObjectId(number=7)]]
    """
    parts: list[bytes] = []
    _write(value, parts)
    return b"".join(parts)


def _write(value: Any, parts: list[bytes]) -> None:
    if value is None:
        parts.append(b"N")
    elif isinstance(value, bool):
        parts.append(b"T" if value else b"F")
    elif isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise TypeError(f"{value} is no integer of 64 bits")
        parts.append(b"i" + struct.pack("<q", value))
    elif isinstance(value, float):
        parts.append(b"d" + struct.pack("<d", value))
    elif isinstance(value, str):
        text = value.encode("utf-8", "surrogateescape")
        parts.append(b"s" + struct.pack("<I", len(text)) + text)
    elif isinstance(value, ObjectId):
        parts.append(b"o" + struct.pack("<q", value.number))
    else:
        parts.append(b"l" + struct.pack("<I", len(value)))
        for each in value:
            _write(each, parts)


def decode(data: bytes) -> Any:
    """The value that ``data`` was made from."""
    value, end = _read(data, 0)
    if end != len(data):
        raise ValueError(f"{len(data) - end} bytes follow the message")
    return value


def _read(data: bytes, at: int) -> tuple[Any, int]:
    kind = data[at : at + 1]
    at += 1
    if kind in (b"N", b"T", b"F"):
        return {b"N": None, b"T": True, b"F": False}[kind], at
    if kind == b"i":
        return struct.unpack_from("<q", data, at)[0], at + 8
    if kind == b"d":
        return struct.unpack_from("<d", data, at)[0], at + 8
    if kind == b"o":
        return ObjectId(struct.unpack_from("<q", data, at)[0]), at + 8
    (size,) = struct.unpack_from("<I", data, at)
    at += 4
    if kind == b"s":
        return data[at : at + size].decode("utf-8", "surrogateescape"), at + size
    items = []
    for _ in range(size):
        item, at = _read(data, at)
        items.append(item)
    return items, at
