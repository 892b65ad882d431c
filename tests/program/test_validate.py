# SPDX-License-Identifier: Apache-2.0
"""Each mistake in a program is found and named; the program without it is accepted."""

from __future__ import annotations

import time

import pytest

from tilewright import ttnn
from tilewright._program.errors import ProgramError
from tilewright._program.validate import find_problems, validate_program

ALL = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (1, 1))])
ONE = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (0, 0))])
OUTSIDE = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (8, 0))])
SOURCE = "void kernel_main() {}"


def kernel(config=None, cores=ALL, name="reader", **keywords):
    keywords.setdefault("source_type", ttnn.KernelDescriptor.SourceType.SOURCE_CODE)
    return ttnn.KernelDescriptor(
        kernel_source=keywords.pop("source", SOURCE),
        core_ranges=cores,
        config=config or ttnn.ReaderConfigDescriptor(),
        name=name,
        **keywords,
    )


def cb(index=0, pages=2, page_size=2048, cores=ALL, total_size=None, name=None, tile=None):
    return ttnn.CBDescriptor(
        total_size=pages * page_size if total_size is None else total_size,
        core_ranges=cores,
        format_descriptors=[ttnn.CBFormatDescriptor(index, ttnn.bfloat16, page_size, tile=tile, name=name)],
    )


def semaphore(id=0, cores=ALL):
    return ttnn.SemaphoreDescriptor(id=id, core_ranges=cores, initial_value=0)


def program(kernels=None, cbs=(), semaphores=()):
    return ttnn.ProgramDescriptor(kernels=[kernel()] if kernels is None else kernels, cbs=cbs, semaphores=semaphores)


def args_on(*cores, count=1):
    return [(ttnn.CoreCoord(core), [0] * count) for core in cores]


GRID = [(0, 0), (1, 0), (0, 1), (1, 1)]
COMPUTE = ttnn.ComputeConfigDescriptor()
WRITER = ttnn.WriterConfigDescriptor()

GOOD = {
    "three kernels": program([kernel(), kernel(WRITER, name="writer"), kernel(COMPUTE, name="compute")]),
    "the same processor on other cores": program(
        [kernel(cores=ONE), kernel(cores=ttnn.CoreRangeSet([ttnn.CoreRange((1, 1), (1, 1))]), name="other")]
    ),
    "an index again on other cores": program(
        cbs=[cb(cores=ONE), cb(cores=ttnn.CoreRangeSet([ttnn.CoreRange((1, 1), (1, 1))]))]
    ),
    "args everywhere": program([kernel(runtime_args=args_on(*GRID, count=300), common_runtime_args=[0] * 41)]),
    "empty args": program([kernel(runtime_args=[*args_on((0, 0)), *args_on(*GRID[1:], count=0)])]),
    "all semaphores": program(semaphores=[semaphore(i) for i in range(16)]),
    "highest CB": program(cbs=[cb(31)]),
    "L1 full to the brim": program(cbs=[cb(0, 1, 1393312 // 16 * 16)]),
    "dynamic NoCs": program(
        [
            kernel(ttnn.DataMovementConfigDescriptor(noc_mode=ttnn.NOC_MODE.DM_DYNAMIC_NOC)),
            kernel(
                ttnn.DataMovementConfigDescriptor(
                    ttnn.DataMovementProcessor.RISCV_1, noc_mode=ttnn.NOC_MODE.DM_DYNAMIC_NOC
                ),
                name="other",
            ),
        ]
    ),
}

BAD = {
    "no kernels": (program([]), "the program has no kernels"),
    "kernel outside": (
        program([kernel(cores=OUTSIDE)]),
        "kernel reader: core_ranges has [0-0 - 8-0], which is outside the 8x8 grid of wormhole_b0 (last core 7-7)",
    ),
    "CB outside": (program(cbs=[cb(cores=OUTSIDE, name="input")]), "CB c_0 input: core_ranges has [0-0 - 8-0]"),
    "semaphore outside": (program(semaphores=[semaphore(cores=OUTSIDE)]), "semaphore 0: core_ranges has"),
    "no cores": (program([kernel(cores=ttnn.CoreRangeSet([]))]), "kernel reader: core_ranges is empty"),
    "missing file": (
        program([kernel(source="no/such.cpp", source_type=ttnn.KernelDescriptor.SourceType.FILE_PATH)]),
        "kernel reader: kernel source 'no/such.cpp' does not exist; looked for ",
    ),
    "no source": (program([kernel(source="")]), "kernel reader: kernel_source is empty"),
    "define twice": (program([kernel(defines=[("A", "1"), ("A", "2")])]), "kernel reader: defines has 'A' twice"),
    "define name": (program([kernel(defines=[("A-B", "1")])]), "defines has 'A-B', which is not a macro name"),
    "named arg twice": (
        program([kernel(named_compile_time_args=[("a", 1), ("a", 1)])]),
        "kernel reader: named_compile_time_args has 'a' twice",
    ),
    "no such processor": (
        program([kernel(ttnn.DataMovementConfigDescriptor(ttnn.DataMovementProcessor.RISCV_2))]),
        "kernel reader: processor RISCV_2 does not exist on this chip; allowed: RISCV_0, RISCV_1",
    ),
    "too many args": (
        program([kernel(runtime_args=args_on(*GRID, count=301), common_runtime_args=[0] * 41)]),
        "kernel reader: 301 runtime args and 41 common runtime args are more than the 341 a kernel can have",
    ),
    "args elsewhere": (
        program([kernel(runtime_args=args_on(*GRID, (5, 5)))]),
        "kernel reader: runtime_args for core 5-5, where the kernel does not run",
    ),
    "args missing": (
        program([kernel(runtime_args=args_on(*GRID[:2]))]),
        "kernel reader: no runtime_args for 2 cores (0-1, 1-1)",
    ),
    "args twice": (
        program([kernel(runtime_args=args_on(*GRID, (0, 0)))]),
        "kernel reader: runtime_args has more than one entry for core 0-0",
    ),
    "two readers": (
        program([kernel(), kernel(name="other", cores=ONE)]),
        "kernels reader and other both run on processor RISCV_1 (NCRISC) on core 0-0",
    ),
    "two compute kernels": (
        program([kernel(COMPUTE, name="a"), kernel(COMPUTE, name="b")]),
        "kernels a and b are both compute kernels on 4 cores (0-0, 1-0, 0-1, 1-1)",
    ),
    "the same NoC": (
        program([kernel(), kernel(ttnn.DataMovementConfigDescriptor(), name="other")]),
        "kernels reader and other both use RISCV_0_default in DM_DEDICATED_NOC mode",
    ),
    "mixed NoC modes": (
        program(
            [kernel(), kernel(ttnn.DataMovementConfigDescriptor(noc_mode=ttnn.NOC_MODE.DM_DYNAMIC_NOC), name="other")]
        ),
        "kernels reader and other have different noc_mode (DM_DEDICATED_NOC, DM_DYNAMIC_NOC)",
    ),
    "CB index": (
        program(cbs=[cb(32)]),
        "CB c_32: buffer_index 32 is out of range; wormhole_b0 has 32 (0 .. 31)",
    ),
    "page does not divide": (
        program(cbs=[cb(3, total_size=5000, name="out")]),
        "CB c_3 out: page_size 2048 does not divide total_size 5000 (2 pages and 904 bytes)",
    ),
    "page of nothing": (program(cbs=[cb(page_size=0, total_size=64)]), "CB c_0: page_size is 0"),
    "page of odd bytes": (program(cbs=[cb(page_size=7)]), "CB c_0: page_size 7 is not a multiple of 4"),
    "CB of nothing": (program(cbs=[cb(pages=0)]), "CB c_0: total_size is 0"),
    "CB without format": (program(cbs=[ttnn.CBDescriptor(64, ALL, [])]), "format_descriptors is empty"),
    "CB tile": (program(cbs=[cb(tile=ttnn.TileDescriptor(5, 32))]), "CB c_0: tile 5x32 is not valid"),
    "CB twice": (
        program(cbs=[cb(name="a"), cb(name="b", cores=ONE)]),
        "buffer_index 0 is given to two CBs (a, b) on core 0-0",
    ),
    "semaphore id": (program(semaphores=[semaphore(16)]), "semaphore id 16 is out of range; allowed: 0 .. 15"),
    "semaphore twice": (
        program(semaphores=[semaphore(2), semaphore(2, ONE)]),
        "semaphore id 2 is given twice on core 0-0",
    ),
}


@pytest.mark.parametrize("name", GOOD)
def test_good_programs_are_accepted(wormhole, name):
    validate_program(GOOD[name], wormhole)


@pytest.mark.parametrize("name", BAD)
def test_mistakes_are_named(wormhole, name):
    wrong, message = BAD[name]
    with pytest.raises(ProgramError) as error:
        validate_program(wrong, wormhole)
    assert len(error.value.problems) == 1
    assert message in str(error.value)
    assert isinstance(error.value, ValueError)


def test_all_mistakes_are_reported_at_once(wormhole):
    wrong = program([kernel(), kernel(name="other")], cbs=[cb(40)], semaphores=[semaphore(99)])
    with pytest.raises(ProgramError, match=r"3 things are wrong with this program:\n1\. ") as error:
        validate_program(wrong, wormhole)
    assert len(error.value.problems) == 3


def test_blackhole_has_more_cbs_and_cores(blackhole):
    wide = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (12, 9))])
    validate_program(program([kernel(cores=wide)], cbs=[cb(63, cores=wide)]), blackhole)


def test_kernel_on_a_core_without_its_cb(wormhole):
    built = program([kernel()], cbs=[cb(1, cores=ONE), cb(2)])
    built.kernels[0].circular_buffers = frozenset({2})
    assert list(find_problems(built, wormhole)) == []
    built.kernels[0].circular_buffers = frozenset({1, 2, 7})
    assert list(find_problems(built, wormhole)) == [
        "kernel reader uses CB c_1, which does not exist on 3 cores (1-0, 0-1, 1-1)",
        "kernel reader uses CB c_7, which does not exist on 4 cores (0-0, 1-0, 0-1, 1-1)",
    ]


def test_compute_kernels_need_pages_of_whole_words(wormhole):
    built = program([kernel(COMPUTE, name="compute"), kernel()], cbs=[cb(page_size=20)])
    built.kernels[1].circular_buffers = frozenset({0})
    assert list(find_problems(built, wormhole)) == []
    built.kernels[0].circular_buffers = frozenset({0})
    assert list(find_problems(built, wormhole)) == [
        "CB c_0: page_size 20 is not a multiple of 16, which compute kernel compute needs"
    ]


def test_l1_over_budget_lists_the_users(wormhole):
    kept = ttnn.zeros([1024, 1024], ttnn.bfloat16, ttnn.TILE_LAYOUT, wormhole, ttnn.L1_MEMORY_CONFIG)
    built = program(cbs=[cb(0, 300, name="input"), cb(1, 400, name="output")])
    (problem,) = find_problems(built, wormhole)
    end = 105824 + 700 * 2048
    limit = kept.buffer_address()
    assert problem == (
        f"circular buffers on 4 cores (0-0, 1-0, 0-1, 1-1) end at {end:#x}, {end - limit} bytes above the lowest L1 "
        f"buffer ({limit:#x}). Core 0-0 has 1393312 bytes for CBs and L1 buffers (from 0x19d60):\n"
        "    CB c_0 input              614400  300 pages of 2048\n"
        "    CB c_1 output             819200  400 pages of 2048\n"
        "    L1 buffer at 0x166000      32768  1024 pages in all"
    )
    kept.deallocate()
    built.cbs[1].total_size = 380 * 2048
    validate_program(built, wormhole)


def test_io_tensors_must_be_on_the_device(wormhole, blackhole):
    gone = ttnn.zeros([32, 32], device=wormhole)
    gone.deallocate()
    tensors = [ttnn.zeros([32, 32], device=wormhole), ttnn.zeros([32, 32]), gone, ttnn.zeros([32], device=blackhole), 3]
    assert list(find_problems(program(), wormhole, tensors)) == [
        "io_tensors[1] is on the host; it must be on the device the program runs on",
        "io_tensors[2] has been deallocated",
        "io_tensors[3] is on another device; it must be on the device the program runs on",
        "io_tensors[4] is not a ttnn.Tensor but int",
    ]


def test_a_whole_grid_is_checked_quickly(blackhole):
    wide = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (12, 9))])
    args = [(core, [1] * 8) for core in wide]
    kernels = [
        kernel(config, wide, name, runtime_args=args)
        for config, name in ((ttnn.ReaderConfigDescriptor(), "r"), (WRITER, "w"), (COMPUTE, "c"))
    ]
    built = program(kernels, cbs=[cb(index, cores=wide) for index in range(8)])
    times = []
    for _ in range(5):
        start = time.perf_counter()
        assert list(find_problems(built, blackhole)) == []
        times.append(time.perf_counter() - start)
    assert min(times) < 0.02
