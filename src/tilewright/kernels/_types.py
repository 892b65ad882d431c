# SPDX-License-Identifier: Apache-2.0
"""Types of kernel values: Python names, C++ names, conversions.

The classes ``uint32``, ``int32`` ... are annotations and casts of the kernel language: ``uint32(x)`` in a kernel
becomes ``static_cast<uint32_t>(x)``.
"""

from __future__ import annotations

import dataclasses
import struct
from typing import Any, Generic, TypeVar, get_args, get_origin


class uint8(int):  # noqa: N801 (the name in C++)
    """Eight bits; an element of L1 memory only."""


class uint16(int):  # noqa: N801 (the name in C++)
    """Sixteen bits, such as those of a bfloat16; an element of L1 memory only."""


class uint32(int):  # noqa: N801 (the name in C++)
    """Type of counts, indices, addresses and arguments. Arithmetic wraps, as on a card."""


class int32(int):  # noqa: N801 (the name in C++)
    """A signed number."""


class uint64(int):  # noqa: N801 (the name in C++)
    """A NoC address."""


class float32(float):  # noqa: N801
    """A real number. The data-movement processors compute these slowly, in software."""


class CB(int):
    """Index of a circular buffer.

    A type of its own, so that ``pack_tile(cb_out, 0)`` for ``pack_tile(0, cb_out)`` is found in translation.
    """


@dataclasses.dataclass(frozen=True)
class Type:
    """Type of a value; ``name`` is how a kernel author writes it."""

    name: str
    cpp: str

    def __str__(self) -> str:
        return self.name


@dataclasses.dataclass(frozen=True)
class PointerType(Type):
    """Elements in L1, made by ``l1_ptr[uint32](address)``."""

    element: Type


UINT8 = Type("uint8", "uint8_t")
UINT16 = Type("uint16", "uint16_t")
UINT32 = Type("uint32", "uint32_t")
INT32 = Type("int32", "int32_t")
UINT64 = Type("uint64", "uint64_t")
FLOAT32 = Type("float32", "float")
BOOL = Type("bool", "bool")
CB_INDEX = Type("CB", "uint32_t")
TENSOR = Type("TensorArg", "auto")
TEXT = Type("str", "const char*")
NOTHING = Type("None", "void")

# What a value of these Python types, or a cast with them, is in a kernel.
PYTHON_TYPES: dict[Any, Type] = {
    uint32: UINT32,
    int32: INT32,
    uint64: UINT64,
    float32: FLOAT32,
    bool: BOOL,
    CB: CB_INDEX,
}
ELEMENT_TYPES: dict[Any, Type] = {uint8: UINT8, uint16: UINT16, uint32: UINT32, int32: INT32, float32: FLOAT32}

INTEGERS = (UINT32, INT32, UINT64)
UNSIGNED = (UINT32, UINT64)
NUMBERS = (*INTEGERS, FLOAT32)


def pointer_to(element: Type) -> PointerType:
    return PointerType(f"l1_ptr[{element}]", f"volatile tt_l1_ptr {element.cpp}*", element)


def enum_type(name: str) -> Type:
    return Type(name, name)


Element = TypeVar("Element", bound=float)


class l1_ptr(Generic[Element]):  # noqa: N801
    """``l1_ptr[uint16](address)``: the elements that lie at an L1 address, read and written with ``[index]``.

    Also the type of such a parameter or result of a kernel function: ``tile: l1_ptr[uint16]``.
    """

    def __init__(self, address: int) -> None:
        raise TypeError("l1_ptr has a meaning inside a kernel only")

    def __getitem__(self, index: int) -> Any:
        raise TypeError("elements of an l1_ptr have a meaning inside a kernel only")

    def __setitem__(self, index: int, value: float) -> None:
        raise TypeError("elements of an l1_ptr have a meaning inside a kernel only")


def type_of_annotation(annotation: Any) -> Type | None:
    """The type a kernel's value has by its annotation; None where kernels have no such type."""
    if get_origin(annotation) is l1_ptr:
        element = ELEMENT_TYPES.get(get_args(annotation)[0])
        return pointer_to(element) if element is not None else None
    return PYTHON_TYPES.get(annotation) if isinstance(annotation, type) else None


def float_bits(x: float) -> int:
    """The 32 bits of a float32, in a kernel and on the host: ``float_bits(1.0) == 0x3f800000``.

    Raises:
        OverflowError: on the host, ``x`` is too large for a float32.
    """
    return int(struct.unpack("<I", struct.pack("<f", x))[0])


def float_from_bits(bits: int) -> float:
    """The float32 that has these 32 bits, in a kernel and on the host: ``float_from_bits(0x3f800000) == 1.0``."""
    return float(struct.unpack("<f", struct.pack("<I", bits))[0])
