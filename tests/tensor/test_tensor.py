# SPDX-License-Identifier: Apache-2.0
"""Host tensors, device tensors, and the way between them."""

from __future__ import annotations

import itertools

import ml_dtypes
import numpy as np
import pytest

from tilewright._tensor import creation
from tilewright._tensor.dtype import POISON_PATTERNS, DataType
from tilewright._tensor.layout import Layout
from tilewright._tensor.memory_config import (
    DRAM_MEMORY_CONFIG,
    L1_MEMORY_CONFIG,
)
from tilewright._tensor.shape import Shape
from tilewright._tensor.tensor import StorageType, Tensor, allocate_tensor_on_device
from tilewright._tensor.tile import FACE_SHAPES, Tile
from tilewright._tensor.ttnn_names import TTNN_RELEASE

PLAIN_DTYPES = [d for d in POISON_PATTERNS if not d.is_block_float]
SHAPES = [
    (), (0,), (1,), (5,), (33,), (0, 5), (5, 0), (1, 1), (32, 32), (31, 33), (64, 96), (2, 3), (3, 32, 40),
    (2, 0, 4), (2, 3, 33, 1), (1, 2, 3, 4, 5), (2, 1, 2, 33, 65),
]  # fmt: skip


def example(shape, dtype: DataType, seed: int = 1) -> np.ndarray:
    generator = np.random.default_rng(seed)
    if dtype.is_floating_point:
        return generator.standard_normal(shape).astype(dtype.numpy_dtype)
    limits = np.iinfo(dtype.numpy_dtype)
    return generator.integers(limits.min, limits.max, shape, endpoint=True, dtype=dtype.numpy_dtype)


def same(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def tilize_by_hand(matrix: np.ndarray, tile: Tile) -> np.ndarray:
    """Every element's place, from the definition of tiles and faces."""
    face_height, face_width = tile.face_shape
    height, width = matrix.shape
    out = np.empty((height // tile.height * (width // tile.width), tile.height * tile.width), matrix.dtype)
    for row, column in itertools.product(range(height), range(width)):
        number = row // tile.height * (width // tile.width) + column // tile.width
        in_row, in_column = row % tile.height, column % tile.width
        face = in_row // face_height * (tile.width // face_width) + in_column // face_width
        offset = in_row % face_height * face_width + in_column % face_width
        out[number, face * face_height * face_width + offset] = matrix[row, column]
    return out


@pytest.mark.parametrize("layout", [Layout.ROW_MAJOR, Layout.TILE])
@pytest.mark.parametrize("dtype", PLAIN_DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_host_round_trip(shape, dtype, layout):
    array = example(shape, dtype)
    tensor = Tensor(array, dtype, layout=layout)
    assert same(tensor.to_numpy(), array)
    assert tensor.shape == shape
    assert tensor.storage_type() is StorageType.HOST


@pytest.mark.parametrize("memory_config", [DRAM_MEMORY_CONFIG, L1_MEMORY_CONFIG])
@pytest.mark.parametrize("layout", [Layout.ROW_MAJOR, Layout.TILE])
@pytest.mark.parametrize("shape", SHAPES)
def test_device_round_trip(device, shape, layout, memory_config):
    array = example(shape, DataType.BFLOAT16)
    host = creation.from_numpy(array, layout=layout)
    tensor = creation.to_device(host, device, memory_config)
    assert tensor.device() is device
    assert tensor.memory_config() == memory_config
    assert same(tensor.to_numpy(), array)
    assert same(creation.from_device(tensor).to_numpy(), array)
    assert same(host.to_numpy(), array), "moving copies"


@pytest.mark.parametrize("tile_shape", FACE_SHAPES, ids=str)
def test_tile_layout_places_every_element(tile_shape):
    tile = Tile(tile_shape)
    matrix = np.arange(64 * 64, dtype=np.uint16).reshape(64, 64)
    tensor = Tensor(matrix, layout=Layout.TILE, tile=tile)
    assert same(tensor.host_pages().view(np.uint16), tilize_by_hand(matrix, tile))
    assert same(tensor.to_numpy(), matrix)


@pytest.mark.parametrize(
    ("shape", "padded"),
    [((), [32, 32]), ((33,), [32, 64]), ((0,), [32, 0]), ((0, 5), [0, 32]), ((3, 5, 77), [3, 32, 96])],
)
def test_padded_shape(shape, padded):
    assert Tensor(np.zeros(shape, np.float32), layout=Layout.TILE).padded_shape == padded
    assert Tensor(np.zeros(shape, np.float32)).padded_shape == (shape or (1,))


@pytest.mark.parametrize("dtype", PLAIN_DTYPES)
def test_padding_is_zeros_as_in_ttnn(dtype):
    padded = Tensor(example((3, 5), dtype), dtype, layout=Layout.TILE).to_numpy_with_padding()
    outside = np.ones((32, 32), bool)
    outside[:3, :5] = False
    assert not padded[outside].view(np.uint8).any()


@pytest.mark.parametrize("dtype", [*PLAIN_DTYPES, DataType.BFLOAT8_B, DataType.BFLOAT4_B])
def test_fresh_memory_is_poison(wormhole, dtype):
    tensor = allocate_tensor_on_device([64, 64], dtype, Layout.TILE, wormhole)
    values = tensor.to_numpy().astype(np.float32)
    assert not np.isfinite(values).any() if dtype.is_floating_point else (values != 0).all()


def test_pad_value():
    padded = Tensor(np.ones((2, 2), np.float32), layout=Layout.TILE, pad_value=-7).to_numpy_with_padding()
    assert padded.sum() == 4 - 7 * (1024 - 4)


def test_conversions():
    assert Tensor(np.float32([[1.0, 1.00390625, 3.0]]), DataType.BFLOAT16).to_list() == [[1.0, 1.0, 3.0]]
    assert Tensor(np.array([[1.9, -1.9]]), DataType.INT32).to_list() == [[1, -1]]
    assert Tensor([[1, 2]], DataType.UINT16).to_list() == [[1, 2]]
    assert Tensor(np.array([7], ml_dtypes.bfloat16), DataType.FLOAT32).item() == 7.0
    assert creation.to_dtype(Tensor(np.float32([[3]])), DataType.INT32).item() == 3


def test_bfloat16_rounding_is_nearest_even_for_all_upper_halves():
    upper = np.arange(0x0080, 0x7F80, dtype=np.uint32)
    for lower in (0x0000, 0x7FFF, 0x8000, 0x8001, 0xFFFF):
        values = ((upper << 16) | lower).view(np.float32)
        up = (lower > 0x8000) | ((lower == 0x8000) & (upper & 1 == 1))
        got = Tensor(values, DataType.BFLOAT16).to_numpy().view(np.uint16)
        np.testing.assert_array_equal(got, (upper + up).astype(np.uint16))


def test_layout_conversion_on_the_host():
    array = example((3, 33, 40), DataType.BFLOAT16)
    tiles = creation.to_layout(Tensor(array), Layout.TILE, pad_value=0)
    assert tiles.layout is Layout.TILE
    assert not tiles.to_numpy_with_padding()[:, 33:].any()
    assert same(creation.to_layout(tiles, Layout.ROW_MAJOR).to_numpy(), array)


def test_deallocated_tensors_say_so(device):
    tensor = creation.zeros([32, 32], device=device, layout=Layout.TILE)
    assert tensor.is_allocated()
    creation.deallocate(tensor)
    creation.deallocate(tensor)
    assert not tensor.is_allocated()
    with pytest.raises(RuntimeError, match="Tensor is not allocated"):
        tensor.buffer_address()
    with pytest.raises(RuntimeError, match="Tensor is not allocated"):
        tensor.to_numpy()
    assert "<buffer is not allocated>" in repr(tensor)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Tensor(np.zeros(2, complex)), "an array of complex128 has no tensor dtype"),
        (lambda: Tensor(np.zeros(2), "bfloat16"), "dtype must be a ttnn.DataType"),
        (lambda: Tensor(np.zeros(2), DataType.INT8), "dtype INT8 is not simulated; allowed: BFLOAT16"),
        (lambda: Shape([-1]), r"shape\[0\] must be 0 or more, not -1"),
        (lambda: Shape([1.5]), r"shape\[0\] must be an int, not 1.5"),
        (lambda: Tensor(np.zeros(2)).buffer_address(), "it is on the host"),
        (
            lambda: Tensor(np.zeros(2)).extract_shard,
            f"ttnn.Tensor.extract_shard exists in ttnn {TTNN_RELEASE}",
        ),
        (lambda: Tensor(np.zeros(2)).nonsense, "has no attribute 'nonsense'"),
        (lambda: Tensor(np.zeros(2)).item(), "item\\(\\) needs a tensor of one element"),
    ],
)
def test_errors_name_the_mistake(make, message):
    with pytest.raises((TypeError, ValueError, RuntimeError, AttributeError), match=message):
        make()


def test_creation(wormhole):
    assert creation.zeros([2, 3]).dtype is DataType.BFLOAT16
    assert creation.ones([2, 3], DataType.INT32).to_list() == [[1, 1, 1], [1, 1, 1]]
    like = creation.full([40, 40], 2.5, DataType.FLOAT32, Layout.TILE, wormhole, L1_MEMORY_CONFIG)
    copy = creation.zeros_like(like)
    assert (copy.layout, copy.dtype, copy.device()) == (like.layout, like.dtype, wormhole)
    assert copy.memory_config() == L1_MEMORY_CONFIG
    assert like.to_numpy().min() == like.to_numpy().max() == 2.5
    creation.copy_host_to_device_tensor(creation.full([40, 40], 1, DataType.FLOAT32, Layout.TILE), copy)
    assert copy.to_numpy().sum() == 1600
    with pytest.raises(ValueError, match="same dtype"):
        creation.copy_host_to_device_tensor(creation.full([40, 40], 1, layout=Layout.TILE), copy)


def test_text_is_that_of_ttnn():
    assert repr(Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))) == (
        "ttnn.Tensor([[ 0.0000,  1.0000,  2.0000],\n"
        "             [ 3.0000,  4.0000,  5.0000]], "
        "shape=Shape([2, 3]), dtype=DataType::FLOAT32, layout=Layout::ROW_MAJOR)"
    )


def test_torch_tensors_go_in_and_come_out():
    torch = pytest.importorskip("torch")
    for dtype in (torch.bfloat16, torch.float32, torch.int32, torch.uint8, torch.uint16, torch.uint32):
        tensor = torch.arange(12).reshape(3, 4).to(dtype)
        back = creation.to_torch(creation.from_torch(tensor, layout=Layout.TILE))
        assert back.dtype == dtype
        assert torch.equal(back, tensor)
