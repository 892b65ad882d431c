# SPDX-License-Identifier: Apache-2.0
"""Rules for L1 outside CB access windows, and for the layout of pages."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tests.check.cb_access_program import PAGE_BYTES, line_of, marked_line, notes, tiles, words
from tilewright import ttnn


@pytest.fixture(scope="module")
def device() -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=0, grid=(2, 1))
    yield device
    ttnn.close_device(device)


WORD = "volatile tt_l1_ptr uint32_t"


def pointer(address: str) -> str:
    return f"reinterpret_cast<{WORD}*>({address})"


# rule -> kernels; every program has c_0 and c_1 of two pages, an L1 tensor of one page and one in DRAM
TWINS: dict[str, dict[str, str]] = {
    "l1-outside-buffer": {
        "reader": f"""void kernel_main() {{
    const uint32_t address = get_write_ptr(1) + 2 * {PAGE_BYTES};    // -
    const uint32_t address = get_write_ptr(1) + {PAGE_BYTES};        // +
    *{pointer("address")} = 1;  // BUG
}}
"""
    },
    "l1-misaligned": {
        "reader": f"""void kernel_main() {{
    cb_reserve_back(0, 1);
    const uint32_t address = get_write_ptr(0) + 2;                   // -
    const uint32_t address = get_write_ptr(0) + 4;                   // +
    *{pointer("address")} = 1;  // BUG
}}
"""
    },
    "l1-uninitialised": {
        "reader": f"""void kernel_main() {{
    cb_reserve_back(0, 1);
    *{pointer("get_write_ptr(0)")} = 3;                              // +
    const uint32_t count = *{pointer("get_write_ptr(0)")};  // BUG
    for (uint32_t i = 0; i < count % 4; i++) {{
        *{pointer("get_write_ptr(0)")} = i;
    }}
}}
"""
    },
    "l1-store-then-credit": {
        "reader": f"""void kernel_main() {{
    cb_reserve_back(0, 1);
    *{pointer("get_write_ptr(0)")} = 3;
    [[maybe_unused]] const uint32_t landed = *{pointer("get_write_ptr(0)")};    // +
    cb_push_back(0, 1);  // BUG
}}
""",
        "writer": """void kernel_main() {
    cb_wait_front(0, 1);
    noc_async_write(get_read_ptr(0), get_noc_addr(get_write_ptr(1)), 16);
    noc_async_write_barrier();
    cb_pop_front(0, 1);
}
""",
    },
    "l1-race": {
        "reader": f"""void kernel_main() {{
    *{pointer("get_write_ptr(0)")} = 1;
    cb_reserve_back(1, 1);                                           // +
    cb_push_back(1, 1);                                              // +
}}
""",
        "writer": f"""void kernel_main() {{
    cb_wait_front(1, 1);                                             // +
    volatile uint32_t seen = *{pointer("get_write_ptr(0)")};  // BUG
    cb_pop_front(1, 1);                                              // +
}}
""",
    },
}


@pytest.mark.parametrize("rule", TWINS)
def test_a_broken_rule_is_named_at_its_line(device: ttnn.Device, rule: str) -> None:
    kernels = TWINS[rule]
    found = notes([words(device)], {0: 2, 1: 2}, fixed=False, **kernels)
    line = next(marked_line(source) for source in kernels.values() if "// BUG" in source)
    assert {(note.rule, line_of(note)) for note in found} == {(rule, line)}


@pytest.mark.parametrize("rule", TWINS)
def test_the_cure_is_silent(device: ttnn.Device, rule: str) -> None:
    assert notes([words(device)], {0: 2, 1: 2}, fixed=True, **TWINS[rule]) == []


def test_stores_that_only_the_unpacker_reads_need_no_load(device: ttnn.Device) -> None:
    """Every kernel that fills a scaler tile does so."""
    reader = f"""void kernel_main() {{
    cb_reserve_back(0, 1);
    for (uint32_t i = 0; i < 512; i++) {{
        {pointer("get_write_ptr(0)")}[i] = 0;
    }}
    cb_push_back(0, 1);
}}
"""
    compute = COMPUTE.replace("STEPS", "copy(0, 1); cb_wait_front(1, 1); cb_pop_front(1, 1);")
    assert notes([words(device)], {0: 2, 1: 2}, fixed=True, reader=reader, compute=compute) == []


def test_a_remote_write_outside_everything(device: ttnn.Device) -> None:
    reader = f"""void kernel_main() {{
    if (get_arg_val<uint32_t>(0) != 0) {{ return; }}
    cb_reserve_back(0, 1);
    *{pointer("get_write_ptr(0)")} = 7;
    const uint32_t there = get_write_ptr(0) + 2 * {PAGE_BYTES};      // -
    const uint32_t there = get_write_ptr(0) + {PAGE_BYTES};          // +
    noc_async_write(get_write_ptr(0), get_noc_addr(19, 18, there), 16);
    noc_async_write_barrier();
}}
"""
    cores = [(0, 0), (1, 0)]
    found = notes([words(device)], {0: 2}, fixed=False, cores=cores, reader=reader)
    assert [(note.rule, note.core) for note in found] == [("l1-outside-buffer", (0, 0))]
    assert notes([words(device)], {0: 2}, fixed=True, cores=cores, reader=reader) == []


def test_a_tensors_page_is_on_one_core_only(device: ttnn.Device) -> None:
    """The tensor has one page, on core (0,0); core (1,0) reads what lies at the same address of its own L1."""
    counts = words(device, l1=True)
    reader = f"""void kernel_main() {{
    if (get_arg_val<uint32_t>(0) != 0) {{ return; }}                 // +
    const uint32_t count = *{pointer("get_common_arg_val<uint32_t>(0)")};
    for (uint32_t i = 0; i < count % 4; i++) {{
        *{pointer("get_write_ptr(0)")} = i;
    }}
}}
"""
    cores = [(0, 0), (1, 0)]
    found = notes([counts], {0: 2}, fixed=False, cores=cores, reader=reader)
    assert [(note.rule, note.core) for note in found] == [("l1-uninitialised", (1, 0))]
    assert notes([counts], {0: 2}, fixed=True, cores=cores, reader=reader) == []


def test_copy_of_unwritten_memory_is_no_use(device: ttnn.Device) -> None:
    """A copy carries the marks along, whether a loop or the C library makes it; the use of the copy is named."""
    reader = f"""#include <cstring>
void kernel_main() {{
    cb_reserve_back(0, 2);
    auto words = {pointer("get_write_ptr(0)")};
    for (uint32_t i = 0; i < 16; i++) {{
        words[16 + i] = words[i];
    }}
    std::memcpy(const_cast<uint32_t*>(words + 32), const_cast<uint32_t*>(words + 16), get_arg_val<uint32_t>(1));
    words[64] = words[33] + 1;  // BUG // -
}}
"""
    found = notes([words(device)], {0: 2}, fixed=False, args=[64], reader=reader)
    assert {(note.rule, line_of(note)) for note in found} == {("l1-uninitialised", marked_line(reader))}
    assert notes([words(device)], {0: 2}, fixed=True, args=[64], reader=reader) == []


def test_semaphores_order_kernels(device: ttnn.Device) -> None:
    reader = f"""void kernel_main() {{
    *{pointer("get_write_ptr(0)")} = 5;
    noc_semaphore_inc(get_noc_addr(my_x[0], my_y[0], get_semaphore(0)), 1);
    noc_async_atomic_barrier();
}}
"""
    writer = f"""void kernel_main() {{
    noc_semaphore_wait({pointer("get_semaphore(0)")}, 1);
    *{pointer("get_write_ptr(1)")} = *{pointer("get_write_ptr(0)")};
}}
"""
    assert notes([words(device)], {0: 2, 1: 2}, fixed=True, semaphores=1, reader=reader, writer=writer) == []


@pytest.mark.parametrize("arch", ["wormhole_b0", "blackhole"])
@pytest.mark.parametrize("fixed", [False, True])
def test_a_line_of_the_cache_that_was_overwritten(arch: str, fixed: bool) -> None:
    """The consumer's second page lies where the first did; only Blackhole has a cache to be stale."""
    reader = """void kernel_main() {
    constexpr auto source_args = TensorAccessorArgs<0>();
    const auto source = TensorAccessor(source_args, get_common_arg_val<uint32_t>(0));
    for (uint32_t page = 0; page < 3; page++) {
        cb_reserve_back(0, 1);
        noc_async_read_page(0, source, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
    }
}
"""
    writer = f"""void kernel_main() {{
    for (uint32_t page = 0; page < 3; page++) {{
        cb_wait_front(0, 1);
        invalidate_l1_cache();                                       // +
        [[maybe_unused]] const uint32_t value = *{pointer("get_read_ptr(0)")};
        cb_pop_front(0, 1);
    }}
}}
"""
    own = ttnn.open_device(device_id=1, arch=arch, grid=(1, 1))
    try:
        found = notes([words(own)], {0: 1}, fixed=fixed, reader=reader, writer=writer)
    finally:
        ttnn.close_device(own)
    is_stale = arch == "blackhole" and not fixed
    assert {note.rule for note in found} == ({"l1-stale-cache"} if is_stale else set())


def test_a_barrier_empties_the_cache() -> None:
    """Every barrier of the kernel API ends so: what a kernel reads over and over it may look at each time."""
    reader = f"""void kernel_main() {{
    constexpr auto source_args = TensorAccessorArgs<0>();
    const auto source = TensorAccessor(source_args, get_common_arg_val<uint32_t>(0));
    cb_reserve_back(0, 1);
    for (uint32_t page = 0; page < 3; page++) {{
        noc_async_read_page(0, source, get_write_ptr(0));
        noc_async_read_barrier();                                    // +
        [[maybe_unused]] const uint32_t value = *{pointer("get_write_ptr(0)")};
    }}
}}
"""
    own = ttnn.open_device(device_id=1, arch="blackhole", grid=(1, 1))
    try:
        silent = notes([words(own)], {0: 1}, fixed=True, reader=reader)
        found = notes([words(own)], {0: 1}, fixed=False, reader=reader)
    finally:
        ttnn.close_device(own)
    assert silent == []
    assert "l1-stale-cache" in {note.rule for note in found}


COMPUTE = """#include "api/compute/tilize.h"
#include "api/compute/untilize.h"
#include "api/compute/tile_move_copy.h"
void copy(uint32_t from, uint32_t to) {
    copy_init(from);
    cb_wait_front(from, 1);
    cb_reserve_back(to, 1);
    tile_regs_acquire();
    copy_tile(from, 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, to);
    tile_regs_release();
    cb_push_back(to, 1);
    cb_pop_front(from, 1);
}
void untilize(uint32_t from, uint32_t to) {
    untilize_init(from);
    cb_wait_front(from, 1);
    cb_reserve_back(to, 1);
    untilize_block(from, 1, to);
    cb_push_back(to, 1);
    cb_pop_front(from, 1);
    untilize_uninit(from);
}
void tilize(uint32_t from, uint32_t to) {
    tilize_init(from, 1, to);
    cb_wait_front(from, 1);
    cb_reserve_back(to, 1);
    tilize_block(from, 1, to);
    cb_push_back(to, 1);
    cb_pop_front(from, 1);
    tilize_uninit(from, to);
}
void kernel_main() {
    compute_kernel_hw_startup(0, 1);
    STEPS
}
"""
TILE_READER = """void kernel_main() {
    constexpr auto source_args = TensorAccessorArgs<0>();
    const auto source = TensorAccessor(source_args, get_common_arg_val<uint32_t>(0));
    cb_reserve_back(0, 1);
    noc_async_read_page(0, source, get_write_ptr(0));
    noc_async_read_barrier();
    cb_push_back(0, 1);
}
"""
ROWS_WRITER = """void kernel_main() {
    constexpr auto source_args = TensorAccessorArgs<0>();
    constexpr auto out_args = TensorAccessorArgs<source_args.next_compile_time_args_offset()>();
    const auto out = TensorAccessor(out_args, get_common_arg_val<uint32_t>(1));
    cb_wait_front(1, 1);
    noc_async_write(get_read_ptr(1), out.get_noc_addr(0), 2048);
    noc_async_write_barrier();
    cb_pop_front(1, 1);
}
"""


@pytest.mark.parametrize("layout", [ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT])
@pytest.mark.parametrize("step", ["copy(0, 1);", "untilize(0, 1);"])
def test_pages_go_to_tensors_of_their_layout(device: ttnn.Device, step: str, layout: ttnn.Layout) -> None:
    shape = ttnn.Shape([32, 32] if layout is ttnn.TILE_LAYOUT else [1, 1024])
    out = ttnn.allocate_tensor_on_device(shape, ttnn.bfloat16, layout, device)
    kernels = {"reader": TILE_READER, "compute": COMPUTE.replace("STEPS", step), "writer": ROWS_WRITER}
    found = notes([tiles(device, 1), out], {0: 1, 1: 1}, fixed=True, **kernels)
    fits = (step == "copy(0, 1);") == (layout is ttnn.TILE_LAYOUT)
    assert {note.rule for note in found} == (set() if fits else {"cb-layout"})


def test_rows_read_as_a_tile(device: ttnn.Device) -> None:
    out = ttnn.allocate_tensor_on_device(ttnn.Shape([32, 32]), ttnn.bfloat16, ttnn.TILE_LAYOUT, device)
    compute = COMPUTE.replace("STEPS", "untilize(0, 2); copy(2, 1);")
    kernels = {"reader": TILE_READER, "compute": compute, "writer": ROWS_WRITER}
    found = notes([tiles(device, 1), out], {0: 1, 1: 1, 2: 1}, fixed=True, **kernels)
    assert [(note.rule, note.cb) for note in found] == [("cb-layout", 2)]


def test_untilized_rows_may_be_worked_on_and_tilized_again(device: ttnn.Device) -> None:
    out = ttnn.allocate_tensor_on_device(ttnn.Shape([32, 32]), ttnn.bfloat16, ttnn.TILE_LAYOUT, device)
    compute = COMPUTE.replace("STEPS", "untilize(0, 2); copy(2, 3); tilize(3, 1);")
    kernels = {"reader": TILE_READER, "compute": compute, "writer": ROWS_WRITER}
    assert notes([tiles(device, 1), out], {0: 1, 1: 1, 2: 1, 3: 1}, fixed=True, **kernels) == []


def test_rows_of_a_tensor_that_become_tiles(device: ttnn.Device) -> None:
    """The rows were never tilized, and what compute makes of them goes to a tensor in TILE layout."""
    values = np.ones((1, 1024), np.float32)
    source = ttnn.from_numpy(values, dtype=ttnn.bfloat16, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
    out = ttnn.allocate_tensor_on_device(ttnn.Shape([32, 32]), ttnn.bfloat16, ttnn.TILE_LAYOUT, device)
    kernels = {"reader": TILE_READER, "compute": COMPUTE.replace("STEPS", "copy(0, 1);"), "writer": ROWS_WRITER}
    (note,) = notes([source, out], {0: 1, 1: 1}, fixed=True, **kernels)
    assert (note.rule, note.cb, note.kernel) == ("cb-layout", 0, 1)
    assert note.related is not None
    assert note.related.kernel == 2


def test_elementwise_work_on_rows_before_tilize_is_legal(device: ttnn.Device) -> None:
    values = np.ones((32, 32), np.float32)
    source = ttnn.from_numpy(values, dtype=ttnn.bfloat16, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
    out = ttnn.allocate_tensor_on_device(ttnn.Shape([32, 32]), ttnn.bfloat16, ttnn.TILE_LAYOUT, device)
    reader = TILE_READER.replace(
        "    noc_async_read_page(0, source, get_write_ptr(0));\n",
        "    for (uint32_t row = 0; row < 32; row++) {\n"
        "        noc_async_read_page(row, source, get_write_ptr(0) + row * 64);\n"
        "    }\n",
    )
    twice = "for (int i = 0; i < 2; i++) { copy(0, 2); tilize(2, 1); }"
    kernels = {
        "reader": reader.replace("kernel_main() {", "kernel_main() { for (int i = 0; i < 2; i++) {") + "}",
        "compute": COMPUTE.replace("STEPS", twice),
        "writer": ROWS_WRITER.replace("kernel_main() {", "kernel_main() { for (int i = 0; i < 2; i++) {") + "}",
    }
    assert notes([source, out], {0: 1, 1: 1, 2: 1}, fixed=True, **kernels) == []


def test_elementwise_work_on_rows_is_legal(device: ttnn.Device) -> None:
    """Row-major pages of 1024 elements go through tile operations and back as they came."""
    values = np.ones((1, 1024), np.float32)
    source = ttnn.from_numpy(values, dtype=ttnn.bfloat16, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
    out = ttnn.allocate_tensor_on_device(ttnn.Shape([1, 1024]), ttnn.bfloat16, ttnn.ROW_MAJOR_LAYOUT, device)
    kernels = {"reader": TILE_READER, "compute": COMPUTE.replace("STEPS", "copy(0, 1);"), "writer": ROWS_WRITER}
    assert notes([source, out], {0: 1, 1: 1}, fixed=True, **kernels) == []
