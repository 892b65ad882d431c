# SPDX-License-Identifier: Apache-2.0
"""Shards: which page lies on which core, conversions between placements, and what is refused.

``tests/card/test_sharded_tensors.py`` compares the same with the real ttnn.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from tilewright import ttnn
from tilewright._tensor.device import Device
from tilewright._tensor.sharded_config import ShardStrategy, create_sharded_memory_config

HEIGHT, WIDTH, BLOCK = (
    ttnn.TensorMemoryLayout.HEIGHT_SHARDED,
    ttnn.TensorMemoryLayout.WIDTH_SHARDED,
    ttnn.TensorMemoryLayout.BLOCK_SHARDED,
)
BY_ROWS, BY_COLUMNS = ttnn.ShardOrientation.ROW_MAJOR, ttnn.ShardOrientation.COL_MAJOR
TILES, ROWS = ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT


def grid(x0: int, y0: int, x1: int, y1: int) -> ttnn.CoreRangeSet:
    return ttnn.CoreRangeSet([ttnn.CoreRange((x0, y0), (x1, y1))])


def sharded(kind, cores, shard, orientation=BY_ROWS, memory=ttnn.BufferType.L1) -> ttnn.MemoryConfig:
    return ttnn.MemoryConfig(kind, memory, ttnn.ShardSpec(cores, shard, orientation))


# Banks of Wormhole's L1 are its cores row by row, eight to a row; (bank, page of the bank) for each page.
PLACES = [
    ([96, 64], TILES, sharded(HEIGHT, grid(0, 0, 1, 0), [64, 64]),
     [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1)]),
    ([96, 64], TILES, sharded(HEIGHT, grid(1, 1, 2, 2), [32, 64], BY_COLUMNS),
     [(9, 0), (9, 1), (17, 0), (17, 1), (10, 0), (10, 1)]),
    ([64, 96], TILES, sharded(WIDTH, grid(0, 0, 1, 0), [64, 64]),
     [(0, 0), (0, 1), (1, 0), (0, 2), (0, 3), (1, 2)]),
    ([64, 96], TILES, sharded(BLOCK, grid(2, 0, 3, 1), [32, 64]),
     [(2, 0), (2, 1), (3, 0), (10, 0), (10, 1), (11, 0)]),
    ([64, 96], TILES, sharded(BLOCK, grid(2, 0, 3, 1), [32, 64], BY_COLUMNS),
     [(2, 0), (2, 1), (10, 0), (3, 0), (3, 1), (11, 0)]),
    ([2, 3, 5], ROWS, sharded(HEIGHT, grid(0, 0, 1, 0), [4, 5]),
     [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1)]),
    ([3, 10], ROWS, sharded(WIDTH, grid(0, 0, 1, 0), [3, 6]),
     [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2)]),
    ([64, 96], TILES, sharded(WIDTH, grid(1, 0, 3, 0), [64, 32], memory=ttnn.BufferType.DRAM),
     [(1, 0), (2, 0), (3, 0), (1, 1), (2, 1), (3, 1)]),
]  # fmt: skip


@pytest.mark.parametrize(("shape", "layout", "config", "places"), PLACES)
def test_pages_lie_in_shards(wormhole: Device, shape, layout, config, places) -> None:
    tensor = ttnn.allocate_tensor_on_device(shape, ttnn.bfloat16, layout, wormhole, config)
    buffer = tensor.buffer()
    stride = buffer.aligned_page_size
    assert [buffer.page_location(page) for page in range(buffer.num_pages)] == [
        (bank, buffer.address + row * stride) for bank, row in places
    ]
    assert buffer.bytes_per_bank() == max(row + 1 for _, row in places) * stride
    assert tensor.is_sharded()
    assert ttnn.is_sharded(tensor)


def random_config(generator: random.Random, shape: list[int], layout) -> ttnn.MemoryConfig:
    unit = 32 if layout is TILES else 1
    width = -(-shape[-1] // unit) * unit
    height = int(np.prod(shape[:-2])) * -(-shape[-2] // unit) * unit
    kind, orientation = generator.choice([HEIGHT, WIDTH, BLOCK]), generator.choice([BY_ROWS, BY_COLUMNS])

    def part(side: int) -> int:
        units = -(-side // unit)
        return -(-units // generator.randint(1, min(units, 4))) * unit

    shard = [height if kind is WIDTH else part(height), width if kind is HEIGHT else part(width)]
    down, across = -(-height // shard[0]), -(-width // shard[1])
    x, y = (across, down) if orientation is BY_ROWS else (down, across)
    left, top = generator.randint(0, 8 - x), generator.randint(0, 8 - y)
    return sharded(kind, grid(left, top, left + x - 1, top + y - 1), shard, orientation)


def test_random_tensors_keep_their_elements_from_place_to_place(wormhole: Device) -> None:
    generator = random.Random(30)
    for number in range(150):
        layout = generator.choice([TILES, ROWS])
        dtype = generator.choice([ttnn.bfloat16, ttnn.float32, ttnn.uint16, *([ttnn.bfloat8_b] * (layout is TILES))])
        shape = [generator.randint(1, 3) for _ in range(generator.randint(0, 2))]
        shape += [generator.randint(1, 140), generator.randint(1, 140)]
        elements = np.random.default_rng(number).integers(0, 2, shape)  # bfloat8_b holds them, too
        x = ttnn.from_numpy(elements, dtype, layout=layout, device=wormhole,
                            memory_config=random_config(generator, shape, layout))  # fmt: skip
        y = ttnn.to_memory_config(x, random_config(generator, shape, layout))
        for each in (x, y, ttnn.reshard(y, x.memory_config()), ttnn.sharded_to_interleaved(y), y.cpu()):
            assert np.array_equal(each.to_numpy(), elements), (number, each.memory_config())
        host = ttnn.from_numpy(1 - elements, dtype, layout=layout)
        ttnn.copy_host_to_device_tensor(host, x)
        assert np.array_equal(x.to_numpy(), 1 - elements)


def test_rows_of_shards_that_do_not_divide_them_are_padded(wormhole: Device) -> None:
    config = sharded(WIDTH, grid(0, 0, 3, 0), [3, 16])
    x = ttnn.from_numpy(np.ones((3, 50)), ttnn.bfloat16, device=wormhole, memory_config=config, pad_value=7)
    assert x.padded_shape == [3, 64]
    assert (x.buffer_page_size(), x.buffer_num_pages()) == (32, 12)
    assert x.to_numpy_with_padding()[:, 48:].tolist() == [[1.0] * 2 + [7.0] * 14] * 3
    host = x.cpu()
    assert host.memory_config() == config
    assert host.to_layout(TILES).memory_config() == ttnn.DRAM_MEMORY_CONFIG


def test_interleaved_to_sharded_takes_a_config_or_its_parts(wormhole: Device) -> None:
    x = ttnn.ones([64, 64], ttnn.bfloat16, TILES, wormhole)
    config = sharded(HEIGHT, grid(0, 0, 1, 0), [32, 64])
    for arguments in ((config,), (grid(0, 0, 1, 0), [32, 64], HEIGHT, BY_ROWS)):
        assert ttnn.interleaved_to_sharded(x, *arguments).memory_config() == config
    y = ttnn.interleaved_to_sharded(x, sharded_memory_config=config, output_dtype=ttnn.bfloat16)
    assert ttnn.empty_like(y).memory_config() == config
    assert ttnn.sharded_to_interleaved(y, ttnn.L1_MEMORY_CONFIG).memory_config() == ttnn.L1_MEMORY_CONFIG
    assert "L1 HEIGHT_SHARDED" in y._repr_html_()
    with pytest.raises(ValueError, match="input_tensor must be interleaved, not L1 HEIGHT_SHARDED"):
        ttnn.interleaved_to_sharded(y, config)
    with pytest.raises(ValueError, match="sharded_memory_config must be sharded, not DRAM"):
        ttnn.interleaved_to_sharded(x, ttnn.DRAM_MEMORY_CONFIG)
    with pytest.raises(ValueError, match="input_tensor must be sharded, not DRAM"):
        ttnn.reshard(x, config)
    with pytest.raises(NotImplementedError, match="output_dtype must be BFLOAT16 or None, not FLOAT32"):
        ttnn.interleaved_to_sharded(x, config, ttnn.float32)


def test_circular_buffer_over_shards(wormhole: Device) -> None:
    config = sharded(HEIGHT, grid(0, 0, 2, 0), [4, 37])
    x = ttnn.allocate_tensor_on_device([10, 37], ttnn.bfloat16, ROWS, wormhole, config)
    buffer = ttnn.cb_descriptor_from_sharded_tensor(3, x)
    assert buffer.total_size == 4 * 80
    assert buffer.core_ranges == grid(0, 0, 2, 0)
    assert [(each.buffer_index, each.page_size) for each in buffer.format_descriptors] == [(3, 80)]
    assert buffer.buffer_address() == x.buffer_address()
    with pytest.raises(ValueError, match=r"address_offset 80 \+ total_size 320 exceeds the 320 bytes of a shard"):
        ttnn.cb_descriptor_from_sharded_tensor(3, x, 80)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (ttnn.L1_BLOCK_SHARDED_MEMORY_CONFIG, "BLOCK_SHARDED needs a shard_spec, not None"),
        (sharded(BLOCK, grid(0, 0, 0, 1), [32, 32]), "along width 2 must not exceed number of columns 1 for row major"),
        (
            sharded(BLOCK, grid(0, 0, 0, 1), [32, 32], BY_COLUMNS),
            "height 2 must not exceed number of columns 1 for col",
        ),
        (sharded(HEIGHT, grid(0, 0, 0, 0), [64, 32]), "Shard width 32 must match physical width 64 for height sharded"),
        (sharded(HEIGHT, grid(7, 7, 8, 7), [32, 64]), "shard core 8-7 has no L1 bank on this device; allowed: .* 8x8"),
        (sharded(HEIGHT, grid(0, 0, 1, 0), [48, 64]), r"shard shape \(48, 64\) must be tile \{32, 32\} sized"),
        (ttnn.MemoryConfig(ttnn.TensorMemoryLayout.ND_SHARDED), "does not allocate ND_SHARDED tensors; use HEIGHT_"),
        (ttnn.MemoryConfig(buffer_type=ttnn.BufferType.L1_SMALL), "no L1_SMALL memory; use BufferType.DRAM or L1"),
    ],
)
def test_shards_that_cannot_be_are_refused(wormhole: Device, config, message) -> None:
    with pytest.raises((ValueError, NotImplementedError), match=message):
        ttnn.zeros([64, 64], ttnn.bfloat16, TILES, wormhole, config)


def test_configs_of_tensors_that_cores_do_not_divide_are_refused() -> None:
    with pytest.raises(ValueError, match="cuts the width 250 into 8, which does not divide it"):
        create_sharded_memory_config((1, 1, 160, 250), ttnn.CoreGrid(x=4, y=2), ShardStrategy.WIDTH)
    with pytest.raises(ValueError, match="core_grid may be a CoreRangeSet only with use_height_and_width_as_shard"):
        create_sharded_memory_config((64, 64), grid(0, 0, 0, 0), ShardStrategy.WIDTH)
