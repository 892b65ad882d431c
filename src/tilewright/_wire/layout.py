# SPDX-License-Identifier: Apache-2.0
"""Parts of a schema: field types, and the decorator that makes a structure of a class with annotations."""

from __future__ import annotations

import ctypes
import dataclasses
import enum
import struct
from collections.abc import Iterable
from typing import Annotated, Any, TypeVar

u8 = Annotated[int, ctypes.c_uint8]
u16 = Annotated[int, ctypes.c_uint16]
u32 = Annotated[int, ctypes.c_uint32]
u64 = Annotated[int, ctypes.c_uint64]
i32 = Annotated[int, ctypes.c_int32]
f64 = Annotated[float, ctypes.c_double]


@dataclasses.dataclass(frozen=True)
class PointerTo:
    """A pointer inside this process; its value is an address. ``target`` is the C++ type it points to."""

    target: str


_Structure = TypeVar("_Structure", bound=ctypes.Structure)


def structure(cls: type[_Structure]) -> type[_Structure]:
    """Gives a ctypes structure the fields that its annotations name, in their order."""
    cls._fields_ = [(name, ctype_of(kind)) for name, kind in cls.__annotations__.items()]
    return cls


def ctype_of(annotation: Any) -> Any:
    """The ctypes type of a field, a parameter or a result.

    >>> ctype_of(u32).__name__
    'c_uint'
    """
    stored = annotation.__metadata__[0] if hasattr(annotation, "__metadata__") else annotation
    if isinstance(stored, PointerTo):
        return ctypes.c_void_p
    return ctypes.c_uint32 if issubclass(stored, enum.IntEnum) else stored


@dataclasses.dataclass(frozen=True)
class Function:
    """A C function that Python calls: its result (None is ``void``) and its parameters by name."""

    name: str
    result: Any
    parameters: dict[str, Any]


def declare(library: ctypes.CDLL, functions: Iterable[Function]) -> None:
    """Tells ctypes the types of functions of a library."""
    for each in functions:
        function = getattr(library, each.name)
        function.restype = None if each.result is None else ctype_of(each.result)
        function.argtypes = [ctype_of(kind) for kind in each.parameters.values()]


def packer(of: type[ctypes.Structure]) -> struct.Struct:
    """Packs and unpacks a structure of numbers; faster than ctypes for what each message has."""
    return struct.Struct("@" + "".join(ctype_of(kind)._type_ for kind in of.__annotations__.values()))


def padded(part: bytes) -> bytes:
    """A part of a message; the next one begins at a multiple of 8 bytes."""
    beyond = len(part) % 8
    return part + bytes(8 - beyond) if beyond else part
