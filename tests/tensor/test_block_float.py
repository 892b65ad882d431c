# SPDX-License-Identifier: Apache-2.0
"""Block floats against a model written with exact fractions, one element at a time."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tilewright._tensor.block_float import pack_tiles, unpack_tiles
from tilewright._tensor.dtype import DataType
from tilewright._tensor.layout import Layout
from tilewright._tensor.tensor import Tensor

BITS = {DataType.BFLOAT8_B: 7, DataType.BFLOAT4_B: 3}
BLOCK_FLOATS = list(BITS)


def exponent_of(value: float) -> int:
    """The biased float32 exponent; zero and denormals have 0."""
    return (int(np.float32(value).view(np.uint32)) >> 23) & 0xFF


def model_of_block(block: np.ndarray, bits: int) -> list[float]:
    """Nearest multiple of the block's step (halves to even), never beyond the largest magnitude.

    Elements far below the largest lose the bits that do not fit 24 before they are rounded, as on the host.
    """
    shared = max(exponent_of(value) for value in block)
    step = Fraction(2) ** (shared - 127 - (bits - 1))
    fine = Fraction(2) ** (shared - 127 - 23)
    results = []
    for value in block:
        magnitude = Fraction(0) if exponent_of(value) == 0 else abs(Fraction(float(value)))
        units = (magnitude // fine) * fine / step
        rounded = min(round(units), 2**bits - 1)
        results.append(float(rounded * step) * (-1 if value < 0 and rounded else 1))
    return results


def round_trip(elements: np.ndarray, dtype: DataType) -> np.ndarray:
    return unpack_tiles(pack_tiles(elements, dtype), dtype, elements.shape[1])


@pytest.mark.parametrize("dtype", BLOCK_FLOATS)
@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e6, 1e-37, 1e37])
def test_round_trip_is_the_model(dtype, scale):
    generator = np.random.default_rng(5)
    elements = (generator.standard_normal((1, 1024)) * scale).astype(np.float32)
    expected = [x for block in elements.reshape(-1, 16) for x in model_of_block(block, BITS[dtype])]
    np.testing.assert_array_equal(round_trip(elements, dtype)[0], np.array(expected, np.float32))


@pytest.mark.parametrize("dtype", BLOCK_FLOATS)
def test_elements_of_very_different_size(dtype):
    generator = np.random.default_rng(6)
    powers = np.exp2(generator.integers(-30, 4, (2, 1024)))
    signs = generator.choice([-1, 1], (2, 1024))
    elements = (powers * signs * (1 + generator.integers(0, 512, (2, 1024)) / 512)).astype(np.float32)
    expected = [x for block in elements.reshape(-1, 16) for x in model_of_block(block, BITS[dtype])]
    np.testing.assert_array_equal(round_trip(elements, dtype).reshape(-1), np.array(expected, np.float32))


@pytest.mark.parametrize("dtype", BLOCK_FLOATS)
def test_every_code_and_exponent_survives(dtype):
    bits = BITS[dtype]
    codes = np.arange(2 ** (bits + 1), dtype=np.uint8)
    for exponent in range(1 + bits, 255):
        # One full-magnitude element per block keeps the shared exponent where it is.
        tile = np.zeros((1, 1024), np.float32)
        tile[:, ::16] = float(2.0 ** (exponent - 127))
        values = (codes & (2**bits - 1)) * 2.0 ** (exponent - 127 - (bits - 1)) * np.where(codes >> bits, -1.0, 1.0)
        places = [index for index in range(1024) if index % 16][: len(values)]
        tile[0, places] = values
        np.testing.assert_array_equal(round_trip(tile, dtype), tile)


def test_saturates_instead_of_raising_the_exponent():
    tile = np.zeros((1, 1024), np.float32)
    tile[0, 0] = np.nextafter(np.float32(2), np.float32(0))
    assert round_trip(tile, DataType.BFLOAT8_B)[0, 0] == 127 / 64
    assert round_trip(tile, DataType.BFLOAT4_B)[0, 0] == 7 / 4


def test_memory_of_a_bfloat8_b_tile():
    tile = np.zeros((1, 1024), np.float32)
    tile[0, 16:18] = [1.0, -0.5]
    page = pack_tiles(tile, DataType.BFLOAT8_B)[0]
    assert page.shape == (1088,)
    assert list(page[:3]) == [0, 127, 0]
    assert list(page[64 + 16 : 64 + 19]) == [64, 0x80 | 32, 0]


def test_memory_of_a_bfloat4_b_tile():
    tile = np.zeros((1, 1024), np.float32)
    tile[0, :3] = [1.0, -0.5, 1.75]
    page = pack_tiles(tile, DataType.BFLOAT4_B)[0]
    assert page.shape == (576,)
    assert page[0] == 127
    assert list(page[64:66]) == [0xA4, 0x07]


@pytest.mark.parametrize("dtype", BLOCK_FLOATS)
def test_infinities_and_nans_come_back_as_such(dtype):
    tile = np.zeros((1, 1024), np.float32)
    tile[0, 0], tile[0, 16], tile[0, 17], tile[0, 32] = np.inf, -np.inf, 1.0, np.nan
    back = round_trip(tile, dtype)[0]
    assert back[0] == np.inf
    assert back[16] == -np.inf
    assert np.isnan(back[32])
    assert not back[33:].any()


@pytest.mark.parametrize("dtype", BLOCK_FLOATS)
def test_padding_is_zeros_and_does_not_touch_elements(dtype):
    array = np.full((33, 40), 1.5, np.float32)
    tensor = Tensor(array, dtype, layout=Layout.TILE)
    np.testing.assert_array_equal(tensor.to_numpy(), array)
    padded = tensor.to_numpy_with_padding()
    assert padded.shape == (64, 64)
    assert not padded[:, 40:].any()
    assert not padded[33:].any()


@pytest.mark.parametrize("dtype", BLOCK_FLOATS)
def test_pad_value(dtype):
    tensor = Tensor(np.ones((1, 1), np.float32), dtype, layout=Layout.TILE, pad_value=2.0)
    padded = tensor.to_numpy_with_padding()
    assert padded[0, 0] == 1
    assert (padded.reshape(-1)[1:] == 2).all()


def test_row_major_is_refused():
    with pytest.raises(ValueError, match="BFLOAT8_B shares exponents within tiles: layout must be TILE_LAYOUT"):
        Tensor(np.ones((32, 32), np.float32), DataType.BFLOAT8_B, layout=Layout.ROW_MAJOR)
