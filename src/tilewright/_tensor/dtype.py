# SPDX-License-Identifier: Apache-2.0
"""Element types of tensors, and the data formats the chip knows them by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tilewright._tensor.argument import shown, whole_number
from tilewright._tensor.ttnn_enum import TtnnEnum
from tilewright._wire.data_formats import DataFormat

if TYPE_CHECKING:
    from numpy.typing import NDArray


class DataType(TtnnEnum):
    """ttnn's element types. ``FP8_E4M3`` and ``INT8`` exist by name only: no tensor can have them here."""

    BFLOAT16 = 0
    FLOAT32 = 1
    UINT32 = 2
    BFLOAT8_B = 3
    BFLOAT4_B = 4
    UINT8 = 5
    UINT16 = 6
    INT32 = 7
    FP8_E4M3 = 8
    INT8 = 9
    INVALID = 10

    @property
    def data_format(self) -> DataFormat:
        return _DATA_FORMATS[require_supported(self)]

    @property
    def is_block_float(self) -> bool:
        return self in (DataType.BFLOAT8_B, DataType.BFLOAT4_B)

    @property
    def is_floating_point(self) -> bool:
        return self in (DataType.BFLOAT16, DataType.FLOAT32, DataType.BFLOAT8_B, DataType.BFLOAT4_B)

    @property
    def element_bytes(self) -> int:
        """Bytes per element in memory. Block floats have no whole number of bytes and are refused."""
        if self.is_block_float:
            raise ValueError(f"{self} shares exponents among 16 elements: only whole tiles have a size in bytes")
        return int(self.numpy_dtype.itemsize)

    @property
    def numpy_dtype(self) -> np.dtype[Any]:
        """The dtype of a NumPy array of these elements; block floats are held as float32 on the host."""
        require_supported(self)
        if self is DataType.BFLOAT16:
            return bfloat16_numpy_dtype()
        return _NUMPY_DTYPES[self]

    def tile_bytes(self, height: int = 32, width: int = 32) -> int:
        """Bytes of one tile: 2048 for a 32x32 tile of bfloat16, 1088 for bfloat8_b."""
        elements = whole_number("height", height) * whole_number("width", width)
        if self is DataType.BFLOAT8_B:
            return elements + exponent_bytes(height, width)
        if self is DataType.BFLOAT4_B:
            return elements // 2 + exponent_bytes(height, width)
        return elements * self.element_bytes

    @property
    def poison(self) -> int:
        """32-bit pattern of unwritten memory: quiet NaNs for floats, a large odd number else."""
        return POISON_PATTERNS[require_supported(self)]


def exponent_bytes(height: int, width: int) -> int:
    """One shared exponent per 16 elements of a face row, in whole 16-byte words."""
    exponents = height * width // 16
    return (exponents + 15) // 16 * 16


def require_supported(dtype: DataType) -> DataType:
    if not isinstance(dtype, DataType):
        raise TypeError(f"dtype must be a ttnn.DataType such as ttnn.bfloat16, not {shown(dtype)}")
    if dtype not in _DATA_FORMATS:
        allowed = ", ".join(known.name for known in _DATA_FORMATS)
        raise TypeError(f"dtype {dtype.name} is not simulated; allowed: {allowed}")
    return dtype


def bfloat16_numpy_dtype() -> np.dtype[Any]:
    import ml_dtypes

    dtype: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    return dtype


def data_type_of_numpy(array: NDArray[Any]) -> DataType:
    """The tensor dtype an array is taken as when none is asked for."""
    name = array.dtype.name
    if name in _FROM_NUMPY_NAMES:
        return _FROM_NUMPY_NAMES[name]
    raise TypeError(f"an array of {name} has no tensor dtype; allowed: {', '.join(_FROM_NUMPY_NAMES)}")


_DATA_FORMATS = {
    DataType.BFLOAT16: DataFormat.Float16_b,
    DataType.FLOAT32: DataFormat.Float32,
    DataType.BFLOAT8_B: DataFormat.Bfp8_b,
    DataType.BFLOAT4_B: DataFormat.Bfp4_b,
    DataType.INT32: DataFormat.Int32,
    DataType.UINT32: DataFormat.UInt32,
    DataType.UINT16: DataFormat.UInt16,
    DataType.UINT8: DataFormat.UInt8,
}

_NUMPY_DTYPES: dict[DataType, np.dtype[Any]] = {
    DataType.FLOAT32: np.dtype(np.float32),
    DataType.BFLOAT8_B: np.dtype(np.float32),
    DataType.BFLOAT4_B: np.dtype(np.float32),
    DataType.INT32: np.dtype(np.int32),
    DataType.UINT32: np.dtype(np.uint32),
    DataType.UINT16: np.dtype(np.uint16),
    DataType.UINT8: np.dtype(np.uint8),
}

_FROM_NUMPY_NAMES = {
    "bfloat16": DataType.BFLOAT16,
    "float32": DataType.FLOAT32,
    "int32": DataType.INT32,
    "uint32": DataType.UINT32,
    "uint16": DataType.UINT16,
    "uint8": DataType.UINT8,
    "bool": DataType.UINT8,
    "int16": DataType.UINT16,
    "int64": DataType.UINT32,
    # ttnn takes neither of these from NumPy; a float is a float here.
    "float64": DataType.FLOAT32,
    "float16": DataType.BFLOAT16,
}

# What memory holds before its first write. Fresh buffers get these patterns, so that a kernel that reads them shows
# NaNs (or absurd integers) instead of zeros that happen to be right.
# Block floats: 0xFF exponents with full mantissas are the largest numbers the formats have.
POISON_PATTERNS: dict[DataType, int] = {
    DataType.BFLOAT16: 0x7FC77FC7,
    DataType.FLOAT32: 0x7FC7BAD0,
    DataType.BFLOAT8_B: 0xFFFFFFFF,
    DataType.BFLOAT4_B: 0xFFFFFFFF,
    DataType.INT32: 0xDEADBEEF,
    DataType.UINT32: 0xDEADBEEF,
    DataType.UINT16: 0xDEADDEAD,
    DataType.UINT8: 0xDEDEDEDE,
}

bfloat16 = DataType.BFLOAT16
float32 = DataType.FLOAT32
bfloat8_b = DataType.BFLOAT8_B
bfloat4_b = DataType.BFLOAT4_B
int32 = DataType.INT32
uint32 = DataType.UINT32
uint16 = DataType.UINT16
uint8 = DataType.UINT8
