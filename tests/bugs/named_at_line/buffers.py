# SPDX-License-Identifier: Apache-2.0
"""Circular buffers that are not there, stores that leave a buffer, and what is right only by luck."""

from __future__ import annotations

import numpy as np

from tests.bugs.corpus.host import WRITER, Host
from tests.bugs.corpus.model import Build, Launch
from tests.bugs.named_at_line.model import (
    MARKED_READER,
    MARKED_WRITER,
    READER_TO_16,
    Launches,
    compute,
    copy_program,
    dataflow,
    twin,
)
from tilewright import ttnn

ABSENT, STORES, LATENT = "absent", "stores", "latent"
FILL = """
    noc_async_read_page(0, tensor0, get_write_ptr(5));
    noc_async_read_barrier();
    cb_push_back(5, 1);
"""


def around_a_page(host: Host, body: str, *buffers: tuple[int, int, int], tail: str = FILL) -> Launch:
    """``body`` in a reader that has reserved a page of c_5; ``buffers`` are index, pages, bytes of a page."""
    source, values = host.tiles(1)
    output = host.output_tiles(1)
    return host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", dataflow("    cb_reserve_back(5, 1);" + body + tail, tensors=1), (), [source]),
            host.kernel("writer", WRITER.replace("cb_out = 16", "cb_out = 5"), [1, 0], [output]),
        ],
        [host.cb(index, f"cb{index}", pages, page_size=size) for index, pages, size in (*buffers, (5, 1, 2048))],
    )


def absent_in_a_reader(name: str, use: str) -> None:
    def build(host: Host) -> Launches:
        yield around_a_page(host, f"\n    {use}  // - BUG\n")

    build.__name__ = name
    build.__doc__ = f"A reader uses a circular buffer its core does not have: {use}"
    twin(ABSENT, "cb-not-configured")(build)


absent_in_a_reader("stores_behind_its_begin", "words(get_write_ptr(9) + 64)[0] = 1;")
absent_in_a_reader("sends_from_it", "noc_async_write_page(0, tensor0, get_read_ptr(9));")
absent_in_a_reader("polls_it", "if (cb_pages_available_at_front(9, 1)) { cb_pop_front(9, 1); }")


def absent_in_compute(name: str, call: str) -> Build:
    def build(host: Host) -> Launches:
        body = f"""
        compute_kernel_hw_startup(0, 0, 16);
        cb_wait_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        {call}  // - BUG
        copy_init(0);           // +
        copy_tile(0, 0, 0);     // +
        pack_section(16);
        cb_push_back(16, 1);
        cb_pop_front(0, 1);
        """
        source, values = host.tiles(1)
        output = host.output_tiles(1)
        yield host.launch(
            [source, output],
            values,
            [
                host.kernel("reader", READER_TO_16.replace("cb_in = 16", "cb_in = 0"), [1, 0], [source]),
                host.kernel("compute", compute(body)),
                host.kernel("writer", WRITER, [1, 0], [output]),
            ],
            [host.cb(0, "in", 1), host.cb(16, "out", 1)],
        )

    build.__name__ = name
    build.__doc__ = f"A compute kernel uses a circular buffer its core does not have: {call}"
    return twin(ABSENT, "cb-not-configured")(build)


absent_in_compute("multiplies_it", "matmul_init(0, 7); matmul_tiles(0, 7, 0, 0, 0);")


@twin(ABSENT, "cb-not-configured")
def absent_on_the_last_core(host: Host) -> Launches:
    """The buffer was made on all cores but the last."""
    cores = [(0, 0), (1, 0)]
    body = """
    cb_reserve_back(5, 1);
    noc_async_read_page(arg(0), tensor0, get_write_ptr(7));  // BUG
    noc_async_read_barrier();
    noc_async_read(get_noc_addr(get_write_ptr(7)), get_write_ptr(5), 2048);
    noc_async_read_barrier();
    cb_push_back(5, 1);
    """
    source, values = host.tiles(2)
    output = host.output_tiles(2)
    writer = WRITER.replace("cb_out = 16", "cb_out = 5")
    staging = host.pick(buggy=cores[:1], fixed=cores)
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", dataflow(body, tensors=1), {(x, 0): [x] for x in range(2)}, [source], cores),
            host.kernel("writer", writer, {(x, 0): [1, x] for x in range(2)}, [output], cores),
        ],
        [host.cb(5, "page", 1, cores=cores), host.cb(7, "staging", 1, cores=staging)],
    )


@twin(STORES, "l1-outside-buffer")
def words_counted_as_bytes(host: Host) -> Launches:
    """A page is cleared with as many words as it has bytes."""
    body = """
    for (uint32_t i = 0; i < 2048; i++)  // -
    for (uint32_t i = 0; i < 512; i++)   // +
        words(get_write_ptr(5))[i] = 0;  // BUG
    """
    yield around_a_page(host, body)


@twin(STORES, "l1-outside-buffer")
def scratch_into_scratch(host: Host) -> Launches:
    """A table runs over into the kernel's other table; both are its own."""
    body = """
    Word table = words(get_write_ptr(3));
    for (uint32_t i = 0; i < 16; i++) {
        table[i] = i;
    }
    Word sums = words(get_write_ptr(2));
    for (uint32_t i = 0; i < 20; i++)  // -
    for (uint32_t i = 0; i < 16; i++)  // +
        sums[i] = table[i % 16];  // BUG
    """
    yield around_a_page(host, body, (2, 1, 64), (3, 1, 64))


@twin(STORES, "l1-outside-buffer")
def before_the_first_page(host: Host) -> Launches:
    """A store lands before the buffer, in one the kernel has nothing to do with."""
    body = """
    words(get_write_ptr(5))[-1] = 3;  // - BUG
    words(get_write_ptr(5))[0] = 3;   // +
    """
    yield around_a_page(host, body, (2, 1, 2048))


@twin(STORES, "l1-outside-buffer")
def memset_past_the_page(host: Host) -> Launches:
    """The C library clears more than the page."""
    body = """
    __builtin_memset(reinterpret_cast<void*>(get_write_ptr(5)), 0, 2048 + 64);  // - BUG
    __builtin_memset(reinterpret_cast<void*>(get_write_ptr(5)), 0, 2048);       // +
    """
    yield around_a_page(host, body)


@twin(STORES, "cb-index-wrap")
def rows_rounded_up(host: Host) -> Launches:
    """The last row of a scratch buffer is read with its padding, which has no room."""
    body = """
    const uint64_t row = get_noc_addr_from_bank_id<true>(0, get_common_arg_val<uint32_t>(0));
    for (uint32_t i = 0; i < 3; i++) {
        noc_async_read(row, get_write_ptr(3) + i * 64, 96);  // - BUG
        noc_async_read(row, get_write_ptr(3) + i * 64, 64);  // +
        noc_async_read_barrier();
    }
    """
    yield around_a_page(host, body, (3, 3, 64))


@twin(STORES, "l1-outside-buffer")
def one_page_too_many(host: Host) -> Launches:
    """A second page is read behind a buffer of one, where another begins that the kernel fills next."""
    body = """
    for (uint32_t page = 0; page < 2; page++)  // -
    for (uint32_t page = 0; page < 1; page++)  // +
        noc_async_read_page(0, tensor0, get_write_ptr(5) + page * 2048);  // BUG
    noc_async_read_barrier();
    """
    tail = """
    cb_push_back(5, 1);
    cb_reserve_back(6, 1);
    noc_async_read_page(0, tensor0, get_write_ptr(6));
    noc_async_read_barrier();
    cb_push_back(6, 1);
    """
    launch = around_a_page(host, body, tail=tail)
    writer = launch.program.kernels[1]
    writer.kernel_source = writer.kernel_source.replace(
        "cb_pop_front(cb_out, 1);", "cb_pop_front(cb_out, 1); cb_wait_front(6, 1); cb_pop_front(6, 1);"
    )
    launch.program.cbs = [*launch.program.cbs, host.cb(6, "next", 1)]
    yield launch


@twin(STORES, "l1-outside-buffer")
def past_a_tensor_at_the_end_of_l1(host: Host) -> Launches:
    """Words are stored past a tensor in L1, the last that lies there."""
    table = host.tensor(np.zeros((1, 16)), ttnn.float32, ttnn.ROW_MAJOR_LAYOUT, memory_config=ttnn.L1_MEMORY_CONFIG)
    source, values = host.tiles(1)
    output = host.output_tiles(1)
    body = """
    const Word table = words(static_cast<uint32_t>(tensor1.get_noc_addr(0) & 0xfffffff));
    for (uint32_t i = 0; i < 24; i++)  // -
    for (uint32_t i = 0; i < 16; i++)  // +
        table[i] = 0x3f800000;  // BUG
    cb_reserve_back(16, 1);
    noc_async_read_page(0, tensor0, get_write_ptr(16));
    noc_async_read_barrier();
    cb_push_back(16, 1);
    """
    yield host.launch(
        [source, table, output],
        values,
        [
            host.kernel("reader", dataflow(body, tensors=2), (), [source, table]),
            host.kernel("writer", WRITER, [1, 0], [output]),
        ],
        [host.cb(16, "page", 1)],
    )


@twin(LATENT, "cb-read-write-pointer")
def sends_through_the_write_pointer(host: Host) -> Launches:
    """A writer sends from its write pointer, which is right as long as the buffer has one page."""
    wrong = MARKED_WRITER.replace("get_read_ptr", "get_write_ptr")
    yield copy_program(host, READER_TO_16, host.pick(buggy=wrong, fixed=WRITER), pages=1)


@twin(LATENT, "cb-read-write-pointer")
def fills_through_the_read_pointer(host: Host) -> Launches:
    """A reader fills its read pointer, which is right as long as the buffer has one page."""
    wrong = MARKED_READER.replace("get_write_ptr", "get_read_ptr")
    yield copy_program(host, host.pick(buggy=wrong, fixed=READER_TO_16), WRITER, pages=1)


@twin(LATENT, "cb-left-over")
def pages_that_fit(host: Host) -> Launches:
    """A reader pushes twice as many pages as are popped; all of them fit."""
    source, values = host.tiles(4)
    output = host.output_tiles(2)
    reader = READER_TO_16.replace("cb_push_back(cb_in, 1);", "cb_push_back(cb_in, 1);  // BUG")
    writer = WRITER.replace("cb_pop_front(cb_out, 1);", "cb_pop_front(cb_out, 1);  // BUG")
    yield host.launch(
        [source, output],
        values[:, :64],
        [
            host.kernel("reader", reader, [host.pick(buggy=4, fixed=2), 0], [source]),
            host.kernel("writer", writer, [2, 0], [output]),
        ],
        [host.cb(16, "page", 4)],
    )


@twin(LATENT, "cb-use-after-pop")
def pointer_taken_before_the_loop(host: Host) -> Launches:
    """A writer asks for its read pointer once, before its loop."""
    once = MARKED_WRITER.replace(
        "    for (uint32_t tile", "    const uint32_t at = get_read_ptr(cb_out);\n    for (uint32_t tile"
    )
    wrong = once.replace("dst, get_read_ptr(cb_out));", "dst, at);")
    yield copy_program(host, READER_TO_16, host.pick(buggy=wrong, fixed=WRITER), pages=2)


@twin(STORES, "cb-write-past-reserve")
def pointer_kept_over_a_push(host: Host) -> Launches:
    """A reader asks for its write pointer once, before its loop."""
    once = MARKED_READER.replace(
        "    for (uint32_t tile", "    const uint32_t at = get_write_ptr(cb_in);\n    for (uint32_t tile"
    )
    wrong = once.replace("src, get_write_ptr(cb_in));", "src, at);")
    yield copy_program(host, host.pick(buggy=wrong, fixed=READER_TO_16), WRITER, pages=2)
