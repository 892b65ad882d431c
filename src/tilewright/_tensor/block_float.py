# SPDX-License-Identifier: Apache-2.0
"""Block floats (bfloat8_b, bfloat4_b): 16 elements of a face row share one exponent.

A tile in memory is its exponent bytes, one per face row in face order, then the elements in the same order: one byte
each (sign, 7 bits) for bfloat8_b, half a byte (sign, 3 bits; the earlier element in the low half) for bfloat4_b.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tilewright._tensor.dtype import DataType, exponent_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 16
_MAGNITUDE_BITS = {DataType.BFLOAT8_B: 7, DataType.BFLOAT4_B: 3}
# Tiles handled at a time: the intermediate arrays then stay in the cache.
_TILES_AT_ONCE = 256


def pack_tiles(elements: NDArray[np.float32], dtype: DataType) -> NDArray[np.uint8]:
    """Tiles of float32 in face order (num_tiles, elements per tile) as bytes (num_tiles, tile bytes)."""
    num_tiles, per_tile = elements.shape
    num_exponents = exponent_bytes(per_tile // BLOCK, BLOCK)
    payload = per_tile if dtype is DataType.BFLOAT8_B else per_tile // 2
    pages = np.zeros((num_tiles, num_exponents + payload), np.uint8)
    for first in range(0, num_tiles, _TILES_AT_ONCE):
        part = slice(first, first + _TILES_AT_ONCE)
        exponents, codes = _quantise(elements[part], _MAGNITUDE_BITS[dtype])
        pages[part, : per_tile // BLOCK] = exponents
        if dtype is DataType.BFLOAT4_B:
            pages[part, num_exponents:] = codes[:, 0::2] | (codes[:, 1::2] << 4)
        else:
            pages[part, num_exponents:] = codes
    return pages


def unpack_tiles(pages: NDArray[np.uint8], dtype: DataType, per_tile: int) -> NDArray[np.float32]:
    """The inverse of ``pack_tiles``."""
    num_exponents = exponent_bytes(per_tile // BLOCK, BLOCK)
    bits = _MAGNITUDE_BITS[dtype]
    elements = np.empty((len(pages), per_tile), np.float32)
    table = _element_values(bits)
    for first in range(0, len(pages), _TILES_AT_ONCE):
        part = slice(first, first + _TILES_AT_ONCE)
        exponents = pages[part, : per_tile // BLOCK]
        codes = pages[part, num_exponents:]
        if dtype is DataType.BFLOAT4_B:
            halves = np.empty((len(codes), per_tile), np.uint8)
            halves[:, 0::2] = codes & 0xF
            halves[:, 1::2] = codes >> 4
            codes = halves
        values = table[codes].reshape(len(codes), -1, BLOCK) * _scales(exponents)
        _restore_special(values, exponents)
        elements[part] = values.reshape(len(codes), per_tile)
    return elements


def _quantise(elements: NDArray[np.float32], magnitude_bits: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Shared exponents (tiles, blocks) and sign-magnitude codes (tiles, elements), rounded to nearest even."""
    words = np.ascontiguousarray(elements).view(np.uint32).reshape(len(elements), -1, BLOCK)
    exponents = (words >> 23) & 0xFF
    shared = exponents.max(axis=2, keepdims=True)
    significand = np.where(exponents != 0, (words & 0x7FFFFF) | 0x800000, 0).astype(np.uint32)
    aligned = significand >> np.minimum(shared - exponents, 31)
    magnitude = _round_to_even(aligned, 24 - magnitude_bits)
    # A block's exponent is not raised when its largest element rounds up past it: the element saturates.
    magnitude = np.minimum(magnitude, (1 << magnitude_bits) - 1)
    sign = np.where(magnitude != 0, words >> 31, 0)
    codes = ((sign << magnitude_bits) | magnitude).astype(np.uint8)
    return shared[:, :, 0].astype(np.uint8), codes.reshape(elements.shape)


def _round_to_even(values: NDArray[Any], shift: int) -> NDArray[Any]:
    """``values / 2**shift`` rounded to the nearest integer, halves to the even one."""
    half_minus_one = (1 << (shift - 1)) - 1
    rounded: NDArray[Any] = (values + half_minus_one + ((values >> shift) & 1)) >> shift
    return rounded


def _scales(exponents: NDArray[np.uint8]) -> NDArray[np.float32]:
    """2 to the power of each shared exponent (254 for 255), shaped to multiply blocks."""
    words = np.minimum(exponents, 254).astype(np.uint32) << 23
    words[exponents == 0] = 0x400000  # 2**-127 has no exponent bits
    return words.view(np.float32)[:, :, None]


def _restore_special(values: NDArray[np.float32], exponents: NDArray[np.uint8]) -> None:
    """Blocks with exponent 255 hold infinities and NaNs: raise the exponent bits that ``_scales`` kept lower."""
    special = exponents == 255
    if special.any():
        words = values[special].view(np.uint32)
        words[words & 0x7FFFFFFF != 0] += 1 << 23
        values[special] = words.view(np.float32)


def _element_values(magnitude_bits: int) -> NDArray[np.float32]:
    """Value of each code under exponent 127."""
    codes = np.arange(1 << (magnitude_bits + 1))
    magnitude = (codes & ((1 << magnitude_bits) - 1)) / float(1 << (magnitude_bits - 1))
    return np.where(codes >> magnitude_bits, -magnitude, magnitude).astype(np.float32)
