# SPDX-License-Identifier: Apache-2.0
"""Pages, banks and addresses, compared with what ttnn's own allocator answered for the same requests."""

from __future__ import annotations

import concurrent.futures
import json
import sys
from pathlib import Path

import pytest

from tilewright._tensor.allocator import BankAllocator, OutOfMemoryError
from tilewright._tensor.arch import BLACKHOLE, WORMHOLE_B0, describe_arch
from tilewright._tensor.cores import CoreCoord
from tilewright._tensor.device import Device
from tilewright._tensor.dtype import DataType
from tilewright._tensor.layout import Layout
from tilewright._tensor.memory_config import DRAM_MEMORY_CONFIG, L1_MEMORY_CONFIG, BufferType
from tilewright._tensor.tensor import allocate_tensor_on_device

ROW_MAJOR, TILE = Layout.ROW_MAJOR, Layout.TILE
RECORDED = json.loads((Path(__file__).parent / "recorded_allocations.json").read_text())

# Allocated one after the other on an empty device: (address, aligned page size) on Wormhole, then Blackhole.
SEQUENCE = [
    ([64, 64], DataType.BFLOAT16, TILE, BufferType.DRAM, 2048, 4, (0x100040, 2048), (0x100080, 2048)),
    ([3, 5, 77], DataType.BFLOAT16, ROW_MAJOR, BufferType.DRAM, 154, 15, (0x100840, 160), (0x100880, 192)),
    ([3, 5, 77], DataType.FLOAT32, TILE, BufferType.DRAM, 4096, 9, (0x100980, 4096), (0x100A00, 4096)),
    ([1, 1, 32, 32], DataType.BFLOAT8_B, TILE, BufferType.DRAM, 1088, 1, (0x101980, 1088), (0x102A00, 1088)),
    ([1, 1, 32, 32], DataType.BFLOAT4_B, TILE, BufferType.DRAM, 576, 1, (0x101DC0, 576), (0x102E40, 576)),
    ([7], DataType.UINT8, ROW_MAJOR, BufferType.DRAM, 7, 1, (0x102000, 32), (0x103080, 64)),
    ([128, 512], DataType.INT32, TILE, BufferType.DRAM, 4096, 64, (0x102020, 4096), (0x1030C0, 4096)),
    ([64, 64], DataType.BFLOAT16, TILE, BufferType.L1, 2048, 4, (0x16D800, 2048), (0x17F800, 2048)),
    ([3, 5, 77], DataType.BFLOAT16, ROW_MAJOR, BufferType.L1, 154, 15, (0x16D760, 160), (0x17F740, 160)),
    ([3, 5, 77], DataType.FLOAT32, TILE, BufferType.L1, 4096, 9, (0x16C760, 4096), (0x17E740, 4096)),
    ([1, 1, 32, 32], DataType.BFLOAT8_B, TILE, BufferType.L1, 1088, 1, (0x16C320, 1088), (0x17E300, 1088)),
    ([1, 1, 32, 32], DataType.BFLOAT4_B, TILE, BufferType.L1, 576, 1, (0x16C0E0, 576), (0x17E0C0, 576)),
    ([7], DataType.UINT8, ROW_MAJOR, BufferType.L1, 7, 1, (0x16C0C0, 16), (0x17E080, 16)),
    ([128, 512], DataType.INT32, TILE, BufferType.L1, 4096, 64, (0x16B0C0, 4096), (0x17D080, 4096)),
]


def memory_config(buffer_type: BufferType):
    return DRAM_MEMORY_CONFIG if buffer_type is BufferType.DRAM else L1_MEMORY_CONFIG


def test_pages_and_addresses_are_those_of_ttnn(device: Device):
    kept = []
    for shape, dtype, layout, buffer_type, page_size, num_pages, on_wormhole, on_blackhole in SEQUENCE:
        tensor = allocate_tensor_on_device(shape, dtype, layout, device, memory_config(buffer_type))
        kept.append(tensor)
        address, aligned = on_wormhole if device.description is WORMHOLE_B0 else on_blackhole
        assert tensor.buffer_address() == address
        assert tensor.buffer_aligned_page_size() == aligned
        assert tensor.buffer_page_size() == page_size
        assert tensor.buffer_num_pages() == num_pages


@pytest.mark.parametrize("arch", ["wormhole_b0", "blackhole"])
def test_a_long_history_of_allocating_and_freeing_is_that_of_ttnn(arch):
    class Nothing:
        def check_usable(self) -> None:
            pass

        def fill_pages(self, *arguments):
            pass

    device = Device(describe_arch(arch), Nothing())
    live = {}
    for step in RECORDED[arch]:
        if step[0] == "free":
            live.pop(step[1]).deallocate()
            continue
        _, number, kind, shape, layout, address = step
        config = memory_config(BufferType[kind])
        tensor = allocate_tensor_on_device(shape, DataType.BFLOAT16, Layout(layout), device, config)
        live[number] = tensor
        assert tensor.buffer_address() == address


@pytest.mark.parametrize("shape", [[0], [0, 5], [5, 0]])
def test_tensors_without_elements_have_no_pages(device: Device, shape):
    tensor = allocate_tensor_on_device(shape, DataType.BFLOAT16, ROW_MAJOR, device)
    assert (tensor.buffer_address(), tensor.buffer_num_pages(), tensor.buffer_page_size()) == (0, 0, 4)
    assert tensor.to_numpy().size == 0


def test_pages_go_round_the_banks(device: Device):
    tensor = allocate_tensor_on_device([32, 32 * 1000], DataType.BFLOAT16, TILE, device)
    buffer, banks = tensor.buffer(), device.num_dram_channels()
    assert [buffer.page_location(page) for page in (0, 1, banks, banks + 2)] == [
        (0, buffer.address),
        (1, buffer.address),
        (0, buffer.address + 2048),
        (2, buffer.address + 2048),
    ]
    with pytest.raises(IndexError, match="page 1000 is outside the buffer's 1000 pages"):
        buffer.page_location(1000)


def test_out_of_memory_has_the_numbers(wormhole: Device):
    kept = allocate_tensor_on_device([64, 64], DataType.BFLOAT16, TILE, wormhole, L1_MEMORY_CONFIG)
    with pytest.raises(OutOfMemoryError) as error:
        allocate_tensor_on_device([8192, 8192], DataType.BFLOAT16, TILE, wormhole, L1_MEMORY_CONFIG)
    assert str(error.value) == (
        "Out of Memory: Not enough space to allocate 134217728 B L1 buffer across 64 banks, where each bank needs to "
        "store 2097152 B, but bank size is 1393312 B (allocated: 2048 B, free: 1391264 B, "
        "largest free block: 1391264 B)."
    )
    assert kept.is_allocated()


def test_closing_a_device_frees_its_buffers(wormhole: Device):
    tensor = allocate_tensor_on_device([64, 64], DataType.BFLOAT16, TILE, wormhole)
    wormhole.close()
    assert not tensor.is_allocated()
    with pytest.raises(RuntimeError, match="device 0 is closed"):
        allocate_tensor_on_device([64, 64], DataType.BFLOAT16, TILE, wormhole)


def test_unreferenced_tensor_frees_its_memory(wormhole: Device):
    def allocate() -> int:
        return allocate_tensor_on_device([32, 32], DataType.BFLOAT16, TILE, wormhole, L1_MEMORY_CONFIG).buffer_address()

    assert allocate() == allocate()
    assert wormhole.allocator(BufferType.L1).statistics().total_bytes_allocated_per_bank == 0


def test_freeing_twice_is_an_error_of_the_allocator():
    allocator = BankAllocator("L1", 1, 0, 1024, 16, top_down=True)
    address = allocator.allocate(100)
    assert address == 1024 - 112
    allocator.free(address)
    with pytest.raises(ValueError, match="0x390 is not allocated"):
        allocator.free(address)


def test_threads_get_addresses_of_their_own():
    allocator = BankAllocator("DRAM", 1, 0, 1 << 20, 16)

    def allocate(_: int) -> list[int]:
        kept = []
        for _ in range(200):
            allocator.free(allocator.allocate(16))
            kept.append(allocator.allocate(16))
        return kept

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            given = [address for each in pool.map(allocate, range(4)) for address in each]
    finally:
        sys.setswitchinterval(interval)
    assert len(set(given)) == len(given) == 800


def test_a_buffer_that_could_not_be_made_leaves_nothing(wormhole: Device, monkeypatch: pytest.MonkeyPatch):
    def refuse(*arguments: object) -> None:
        raise RuntimeError("no memory here")

    monkeypatch.setattr(wormhole.memory, "fill_pages", refuse)
    with pytest.raises(RuntimeError, match="no memory here"):
        allocate_tensor_on_device([32, 32], DataType.BFLOAT16, TILE, wormhole)
    assert wormhole.buffers() == []
    assert wormhole.allocator(BufferType.DRAM).statistics().total_bytes_allocated_per_bank == 0


def test_coordinates_are_those_of_ttnn():
    assert [str(WORMHOLE_B0.worker_core_from_logical_core((i, i))) for i in (0, 7)] == ["18-18", "25-25"]
    columns = [BLACKHOLE.worker_core_from_logical_core((x, 0)).x for x in range(13)]
    assert columns == [1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15]
    assert BLACKHOLE.worker_core_from_logical_core((0, 9)) == CoreCoord(1, 11)
    for arch in (WORMHOLE_B0, BLACKHOLE):
        for x in range(arch.grid.x):
            for y in range(arch.grid.y):
                virtual = arch.worker_core_from_logical_core((x, y))
                assert arch.logical_core_from_worker_core(virtual) == (x, y)
    with pytest.raises(ValueError, match="core 8-0 is outside the 8x8 grid of wormhole_b0"):
        WORMHOLE_B0.worker_core_from_logical_core((8, 0))


def test_unknown_arch():
    with pytest.raises(ValueError, match="arch 'quasar' is not simulated; allowed: wormhole_b0, blackhole"):
        describe_arch("quasar")
