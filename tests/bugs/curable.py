# SPDX-License-Identifier: Apache-2.0
"""Small bugs of rules that no twin of the corpus breaks, to try their cures on."""

from __future__ import annotations

from collections.abc import Callable

from tests.bugs.corpus.host import COPY, READER, WRITER, Host
from tests.bugs.corpus.model import Build, Launch
from tests.bugs.named_at_line.model import READER_TO_16, Launches, Twin, copy_program, dataflow

TWINS: list[Twin] = []


def small(rule: str) -> Callable[[Build], Build]:
    def register(build: Build) -> Build:
        TWINS.append(Twin("small", build, (rule,), in_kernel=True))
        return build

    return register


def changed(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


def through_compute(host: Host, compute: str) -> Launch:
    """Two tiles through a compute kernel that copies them."""
    source, values = host.tiles(2)
    output = host.output_tiles(2)
    return host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", READER, [2, 0], [source]),
            host.kernel("compute", compute, [2]),
            host.kernel("writer", WRITER, [2, 0], [output]),
        ],
        [host.cb(0, "in", 2), host.cb(16, "out", 2)],
    )


@small("cb-push-unreserved")
def pushed_without_a_reservation(host: Host) -> Launches:
    """The reader pushes two pages for each that it reserves and fills; no kernel fills the second."""
    reader = changed(READER_TO_16, "cb_push_back(cb_in, 1);", "cb_push_back(cb_in, 1);\n cb_push_back(cb_in, 1);")
    writer = changed(
        WRITER, "cb_pop_front(cb_out, 1);", "cb_pop_front(cb_out, 1); cb_wait_front(16, 1); cb_pop_front(16, 1);"
    )
    yield copy_program(host, reader, writer, pages=8)


@small("cb-pop-unwaited")
def popped_without_a_wait(host: Host) -> Launches:
    """The writer pops two pages for each that it waits for."""
    second = "cb_push_back(cb_in, 1); cb_reserve_back(cb_in, 1); cb_push_back(cb_in, 1);"
    reader = changed(READER_TO_16, "cb_push_back(cb_in, 1);", second)
    writer = changed(WRITER, "cb_pop_front(cb_out, 1);", "cb_pop_front(cb_out, 1);\n cb_pop_front(cb_out, 1);")
    yield copy_program(host, reader, writer, pages=8)


@small("cb-use-after-pop")
def read_after_the_pop(host: Host) -> Launches:
    """The writer pops a page, then looks at it."""
    look = "[[maybe_unused]] const uint32_t word = *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(page);"
    writer = changed(WRITER, "        cb_pop_front(cb_out, 1);\n", f"        cb_pop_front(cb_out, 1);\n {look}\n")
    writer = changed(
        writer, "cb_wait_front(cb_out, 1);", "cb_wait_front(cb_out, 1); const uint32_t page = get_read_ptr(16);"
    )
    yield copy_program(host, READER_TO_16, writer, pages=2)


@small("noc-use-in-flight")
def looked_at_before_the_barrier(host: Host) -> Launches:
    """The reader looks at a page that is still on its way."""
    look = "[[maybe_unused]] const uint32_t word = *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(16));"
    reader = changed(READER_TO_16, "        noc_async_read_barrier();", f" {look}\n        noc_async_read_barrier();")
    yield copy_program(host, reader, WRITER, pages=2)


@small("noc-oversized")
def eight_pages_in_one_packet(host: Host) -> Launches:
    """Eight tiles are copied in the core by a call for one packet."""
    count = 8
    reader = dataflow(
        """
    cb_reserve_back(5, 8); cb_reserve_back(16, 8);
    for (uint32_t tile = 0; tile < 8; tile++) {
        noc_async_read_page(tile, tensor0, get_write_ptr(5) + tile * 2048);
    }
    noc_async_read_barrier();
    noc_async_read_one_packet(get_noc_addr(get_write_ptr(5)), get_write_ptr(16), 8 * 2048);
    noc_async_read_barrier();
    cb_push_back(16, 8);
    """,
        tensors=1,
    )
    source, values = host.tiles(count)
    output = host.output_tiles(count)
    yield host.launch(
        [source, output],
        values,
        [host.kernel("reader", reader, [], [source]), host.kernel("writer", WRITER, [count, 0], [output])],
        [host.cb(5, "scratch", count), host.cb(16, "out", count)],
    )


@small("hw-startup-missing")
def never_started(host: Host) -> Launches:
    """A compute kernel begins without its first call."""
    yield through_compute(host, changed(COPY, "    compute_kernel_hw_startup(cb_in, cb_out);\n", ""))


@small("init-missing")
def copies_as_set_up_for_a_sum(host: Host) -> Launches:
    """The unpacker is set up for another operation."""
    header = '#include "api/compute/eltwise_binary.h"\n'
    yield through_compute(host, header + changed(COPY, "copy_init(cb_in);", "add_init(cb_in, cb_in);"))


@small("uninit-missing")
def mask_of_a_reduction_left(host: Host) -> Launches:
    """The packer keeps the mask of a reduction."""
    header = '#include "api/compute/reduce.h"\n'
    reduce = "reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(cb_in, cb_in, cb_out); copy_init(cb_in);"
    yield through_compute(host, header + changed(COPY, "copy_init(cb_in);", reduce))
