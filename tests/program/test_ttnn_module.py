# SPDX-License-Identifier: Apache-2.0
"""Opening devices and running programs through ttnn's names, with a chip that only notes what it is asked."""

from __future__ import annotations

import sys
import types

import pytest

from tilewright import ttnn
from tilewright._launch.open_devices import all_open_devices
from tilewright._program.errors import ProgramError


class NotedExecutable:
    def __init__(self, program):
        self.program = program

    def note_checked(self):
        pass

    def arguments(self, program):
        return None


class NotingChip:
    def __init__(self, arch, grid=None):
        self.arch, self.grid, self.launched, self.closed = arch, grid, [], False

    def check_usable(self) -> None:
        pass

    def fill_pages(self, *arguments):
        pass

    def write_pages(self, *arguments):
        pass

    def find(self, program, options):
        return None

    def executable(self, program, options):
        return NotedExecutable(program)

    def run(self, executable, arguments, options, io_tensors):
        self.launched.append((executable.program, io_tensors))

    def forget_executables(self):
        pass

    def close(self):
        self.closed = True


@pytest.fixture(autouse=True)
def chip_module(monkeypatch):
    module = types.ModuleType("tilewright._launch.chip")
    module.Chip = NotingChip  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tilewright._launch.chip", module)
    yield
    for device in all_open_devices():
        ttnn.close_device(device)


def one_kernel(name="void kernel_main() {}"):
    cores = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (0, 0))])
    return ttnn.KernelDescriptor(
        kernel_source=name,
        source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=cores,
        config=ttnn.ReaderConfigDescriptor(),
    )


def test_open_and_close():
    device = ttnn.open_device(device_id=0)
    assert ttnn.open_device(device_id=0) is device
    assert device.arch() is ttnn.Arch.WORMHOLE_B0
    assert device.compute_with_storage_grid_size() == (8, 8)
    assert device.dram_grid_size() == (12, 1)
    assert device.worker_core_from_logical_core(ttnn.CoreCoord(0, 0)) == (18, 18)
    assert (device.l1_size_per_core(), device.num_dram_channels()) == (1464 * 1024, 12)
    with pytest.raises(ValueError, match="device 0 is open as wormhole_b0; close it first"):
        ttnn.open_device(device_id=0, arch="blackhole")
    ttnn.close_device(device)
    assert device.memory.closed  # type: ignore[attr-defined]
    other = ttnn.open_device(device_id=0, arch="blackhole", grid=(4, 2))
    assert other is not device
    assert other.compute_with_storage_grid_size() == (4, 2)
    assert other.memory.grid == (4, 2)  # type: ignore[attr-defined]


def test_manage_device():
    with ttnn.manage_device(1) as device:
        assert device.is_open()
    assert not device.is_open()


def test_generic_op_gives_the_last_tensor():
    device = ttnn.open_device()
    x, y = (ttnn.zeros([32, 32], device=device, layout=ttnn.TILE_LAYOUT) for _ in range(2))
    program = ttnn.ProgramDescriptor(kernels=[one_kernel()])
    assert ttnn.generic_op([x, y], program) is y
    assert device.memory.launched == [(program, [x, y])]  # type: ignore[attr-defined]


def test_generic_op_checks_first():
    device = ttnn.open_device()
    x = ttnn.zeros([32, 32], device=device)
    with pytest.raises(ProgramError, match="no kernels"):
        ttnn.generic_op([x], ttnn.ProgramDescriptor())
    with pytest.raises(ProgramError, match=r"io_tensors\[0\] is on the host"):
        ttnn.generic_op([ttnn.zeros([32, 32])], ttnn.ProgramDescriptor(kernels=[one_kernel()]))
    with pytest.raises(ValueError, match="io_tensors is empty"):
        ttnn.generic_op([], ttnn.ProgramDescriptor())
    assert device.memory.launched == []  # type: ignore[attr-defined]


@pytest.mark.parametrize(("memory_config", "config_word"), [(ttnn.DRAM_MEMORY_CONFIG, 2), (ttnn.L1_MEMORY_CONFIG, 0)])
def test_tensor_accessor_args(memory_config, config_word):
    device = ttnn.open_device()
    tiles = ttnn.zeros([64, 64], device=device, layout=ttnn.TILE_LAYOUT, memory_config=memory_config)
    rows = ttnn.zeros([3, 77], device=device, memory_config=memory_config)
    assert ttnn.TensorAccessorArgs(tiles).get_compile_time_args() == [config_word, 2048]
    assert ttnn.TensorAccessorArgs(rows).get_compile_time_args() == [config_word, 160]
    assert ttnn.TensorAccessorArgs(rows).get_common_runtime_args() == []


def test_unsimulated_names_raise_not_simulated():
    message = r"ttnn\.softmax exists in ttnn 0\.81 but tilewright does not simulate it; write it as a program"
    with pytest.raises(AttributeError, match=message):
        _ = ttnn.softmax
    with pytest.raises(AttributeError, match=r"ttnn has no attribute 'sotfmax', neither here nor in ttnn 0\.81"):
        _ = ttnn.sotfmax
    with pytest.raises(AttributeError, match=r"ttnn\.Device\.create_submesh exists in ttnn 0\.81"):
        _ = ttnn.open_device().create_submesh


def test_l1_small_is_kept_free():
    device = ttnn.open_device(l1_small_size=8192)
    assert device.l1_end == device.l1_size_per_core() - 8192
    assert device.allocator(ttnn.BufferType.L1).end == device.l1_end


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"arch": "grayskull"}, "arch 'grayskull' is not simulated; allowed: wormhole_b0, blackhole"),
        ({"grid": (9, 9)}, "grid 9x9 does not fit; allowed: 1x1 to 8x8"),
        ({"l1_small_size": -1}, "l1_small_size must be a whole number from 0 to 1393311, not -1"),
    ],
)
def test_open_device_errors(keywords, message):
    with pytest.raises((ValueError, NotImplementedError), match=message):
        ttnn.open_device(**keywords)


def test_a_device_that_is_none_is_refused():
    with pytest.raises(TypeError, match=r"device must be a device from ttnn\.open_device, not 'cpu'"):
        ttnn.allocate_tensor_on_device(ttnn.Shape([32, 32]), ttnn.bfloat16, ttnn.TILE_LAYOUT, "cpu")


def test_closing_a_closed_device_leaves_its_successor_open():
    first = ttnn.open_device(device_id=7, grid=(1, 1))
    ttnn.close_device(first)
    second = ttnn.open_device(device_id=7, grid=(1, 1))
    ttnn.close_device(first)
    assert ttnn.open_device(device_id=7) is second
    ttnn.close_device(second)


def test_closing_something_else_is_refused():
    with pytest.raises(TypeError, match=r"device must be a device from ttnn.open_device, not 0"):
        ttnn.close_device(0)
