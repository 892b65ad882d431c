# SPDX-License-Identifier: Apache-2.0
"""Rows of 64 words put together from pieces of other rows, by data-movement kernels alone.

A row of the output is a list of pieces, each taken from some row of the input and moved in its own way: read to where
it belongs, read with a transaction id, read with the state of the last read, read to a scratch page and copied there by
the processor's own loads and stores, or read to the scratch page and moved on by a read from the core's own L1. Which
row a piece comes from is in its arguments, or in a table that the kernel reads from an L1 or DRAM tensor. Pieces begin
anywhere a word does, as long as source and destination agree in their alignment.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from hypothesis import strategies as st

from tests.bugs.corpus.host import Core, Host
from tests.bugs.corpus.model import BLACKHOLE, Launch
from tests.bugs.generated.model import Family, Fault, RulesFor, always, number_of, numbered
from tilewright import ttnn

WORDS = 64  # in a row
ROW_BYTES = 4 * WORDS
ALIGNED_WORDS = 16  # 64 bytes, the alignment of Blackhole's DRAM
SOURCE_ROWS = 12
DIRECT, TRANSACTION, STATE, COPIED, LOOPED_BACK = range(5)

READER = """
#include "api/dataflow/dataflow_api.h"

enum : uint32_t { DIRECT, TRANSACTION, STATE, COPIED, LOOPED_BACK };

constexpr uint32_t cb_rows = 0;
constexpr uint32_t cb_scratch = 1;
constexpr uint32_t cb_table = 2;
constexpr uint32_t row_bytes = 256;

void kernel_main() {
    const uint32_t fault = get_arg_val<uint32_t>(0);
    const uint32_t num_rows = get_arg_val<uint32_t>(1);
    const uint32_t by_table = get_arg_val<uint32_t>(2);
    const uint32_t per_push = get_arg_val<uint32_t>(3);
    constexpr auto src_args = TensorAccessorArgs<0>();
    constexpr auto table_args = TensorAccessorArgs<src_args.next_compile_time_args_offset()>();
    const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0));
    const auto table = TensorAccessor(table_args, get_common_arg_val<uint32_t>(1));
    cb_reserve_back(cb_scratch, 1);
    cb_reserve_back(cb_table, 1);
    const uint32_t scratch = get_write_ptr(cb_scratch);
    auto rows_of = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_table));
    if (by_table) {
        if (fault != SKIP_TABLE) {
            noc_async_read_page(0, table, get_write_ptr(cb_table));
        }
        if (fault != USE_TABLE_EARLY) {
            noc_async_read_barrier();
        }
        invalidate_l1_cache();
    }
    uint32_t at = 4;
    for (uint32_t row = 0; row < num_rows; row++) {
        const bool first_of_push = row % per_push == 0;
        if (first_of_push) {
            cb_reserve_back(cb_rows, per_push);
        }
        const uint32_t page = get_write_ptr(cb_rows) + (row % per_push) * row_bytes;
        const uint32_t num_pieces = get_arg_val<uint32_t>(at++);
        for (uint32_t piece = 0; piece < num_pieces; piece++) {
            const uint32_t way = get_arg_val<uint32_t>(at++);
            const uint32_t given = get_arg_val<uint32_t>(at++);
            const uint32_t from_word = get_arg_val<uint32_t>(at++);
            const uint32_t to_word = get_arg_val<uint32_t>(at++);
            const uint32_t words = get_arg_val<uint32_t>(at++);
            const uint32_t src_row = by_table ? rows_of[given] : given;  // AT SKIP_TABLE USE_TABLE_EARLY
            const uint64_t from = src.get_noc_addr(src_row) + 4 * from_word;
            const uint32_t to = page + 4 * to_word;
            // The scratch page keeps the alignment of the source.
            const uint32_t there = scratch + 4 * from_word;
            if (fault == SHIFT_SOURCE && piece == 0) {
                noc_async_read(from + 4, to, 4 * words);  // AT SHIFT_SOURCE
            }
            if (way == DIRECT) {
                noc_async_read(from, to, 4 * words);
            } else if (way == TRANSACTION) {
                noc_async_read_set_trid(3);
                noc_async_read(from, to, 4 * words);
                if (fault != WAIT_FOR_ANOTHER_ID) {
                    noc_async_read_barrier_with_trid(3);
                } else {
                    noc_async_read_barrier_with_trid(5);
                }
                noc_async_read_set_trid(0);
            } else if (way == STATE) {
                noc_async_read_one_packet_set_state(from, 4 * words);
                noc_async_read_one_packet_with_state(static_cast<uint32_t>(from), to);
            } else if (way == COPIED) {
                noc_async_read(from, there, 4 * words);
                if (fault != COPY_EARLY) {
                    noc_async_read_barrier();
                }
                invalidate_l1_cache();
                auto source = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(there);
                auto target = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(to);
                for (uint32_t word = 0; word < words; word++) {
                    target[word] = source[word];  // AT COPY_EARLY
                }
                if (fault == STORE_HALVES) {
                    *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(to + 2) = 0;  // AT STORE_HALVES
                }
                if (fault != NO_READ_BACK) {
                    [[maybe_unused]] const uint32_t landed = target[words - 1];
                }
            } else {
                noc_async_read(from, there, 4 * words);  // AT REFILL_EARLY
                noc_async_read_barrier();
                noc_async_read(get_noc_addr(there), to, 4 * words);
                if (fault != REFILL_EARLY) {
                    noc_async_read_barrier();
                }
            }
            if (way == LOOPED_BACK && fault == REFILL_EARLY) {
                noc_async_read(from, there, 4 * words);  // AT REFILL_EARLY
            }
        }
        if ((row + 1) % per_push == 0) {
            if (fault == LEAVE_PIECE_IN_FLIGHT) {
                noc_async_read(src.get_noc_addr(0), page, 4);
            } else if (fault != WAIT_FOR_ANOTHER_ID) {
                noc_async_read_barrier();
            }
            cb_push_back(cb_rows, per_push);  // AT LEAVE_PIECE_IN_FLIGHT WAIT_FOR_ANOTHER_ID NO_READ_BACK
        }
    }
    noc_async_read_barrier();
}
"""

WRITER = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t fault = get_arg_val<uint32_t>(0);
    const uint32_t num_rows = get_arg_val<uint32_t>(1);
    const uint32_t first_row = get_arg_val<uint32_t>(2);
    const uint32_t all_rows = get_arg_val<uint32_t>(3);
    const uint32_t split = get_arg_val<uint32_t>(4);
    constexpr auto dst_args = TensorAccessorArgs<0>();
    const auto dst = TensorAccessor(dst_args, get_common_arg_val<uint32_t>(0));
    constexpr uint32_t row_bytes = 256;
    uint32_t checked = 0;
    for (uint32_t row = first_row; row < first_row + num_rows; row++) {
        cb_wait_front(0, 1);
        const uint32_t from = get_read_ptr(0);
        if (fault != NO_INVALIDATE) {
            invalidate_l1_cache();
        }
        checked += *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(from);  // AT NO_INVALIDATE
        if (fault == NO_INVALIDATE) {  // and no write to be flushed, which would empty the cache
            cb_pop_front(0, 1);
            continue;
        }
        const uint64_t to = dst.get_noc_addr(row);
        noc_async_write(from, to, 4 * split);
        noc_async_write(from + 4 * split, to + 4 * split, row_bytes - 4 * split);
        if (fault == WRITE_ROW_BEYOND) {
            noc_async_write(from, dst.get_noc_addr(all_rows), row_bytes);  // AT WRITE_ROW_BEYOND
        }
        if (fault == OVERWRITE_WHILE_SENDING) {
            *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(from) = checked;  // AT OVERWRITE_WHILE_SENDING
        }
        noc_async_writes_flushed();
        cb_pop_front(0, 1);
    }
    noc_async_write_barrier();
}
"""


@dataclasses.dataclass(frozen=True)
class Piece:
    way: int
    row: int
    from_word: int
    to_word: int
    words: int


@dataclasses.dataclass(frozen=True)
class Sticks:
    """A legal program."""

    rows: tuple[tuple[tuple[Piece, ...], ...], ...]  # pieces of the rows of each core
    by_table: bool
    table_in_l1: bool
    table: tuple[int, ...]
    per_push: int
    fillings: int
    split: int  # words of a row in the first of its two writes

    def has(self, *ways: int) -> bool:
        return any(piece.way in ways for core in self.rows for row in core for piece in row)


@st.composite
def pieces(draw: st.DrawFn) -> tuple[Piece, ...]:
    """A row cut into pieces; a piece comes from a place of the same alignment."""
    cuts = sorted(draw(st.sets(st.integers(1, WORDS - 1), max_size=3)))
    made = []
    for begin, end in zip([0, *cuts], [*cuts, WORDS], strict=True):
        places = range(begin % ALIGNED_WORDS, WORDS - (end - begin) + 1, ALIGNED_WORDS)
        made.append(
            Piece(
                draw(st.integers(0, 4)),
                draw(st.integers(0, SOURCE_ROWS - 1)),
                draw(st.sampled_from(places)),
                begin,
                end - begin,
            )
        )
    return tuple(made)


@st.composite
def sticks(draw: st.DrawFn) -> Sticks:
    per_push = draw(st.integers(1, 2))
    num_cores = draw(st.integers(1, 3))
    return Sticks(
        tuple(tuple(draw(pieces()) for _ in range(per_push * draw(st.integers(1, 3)))) for _ in range(num_cores)),
        draw(st.booleans()),
        draw(st.booleans()),
        tuple(draw(st.permutations(range(SOURCE_ROWS)))),
        per_push,
        draw(st.integers(1, 3)),
        draw(st.sampled_from((16, 32, 48))),
    )


def _with(*ways: int, rules: tuple[str, ...]) -> RulesFor:
    return lambda program: rules if program.has(*ways) else ()


def _by_table(*rules: str) -> RulesFor:
    return lambda program: rules if program.by_table else ()


def _wait_for_another_id(program: Sticks) -> tuple[str, ...]:
    """The ways through the scratch page wait for all reads before them."""
    for core in program.rows:
        for first in range(0, len(core), program.per_push):
            ways = [piece.way for row in core[first : first + program.per_push] for piece in row]
            after = ways[::-1][: ways[::-1].index(TRANSACTION)] if TRANSACTION in ways else [COPIED]
            if not {COPIED, LOOPED_BACK} & set(after):
                return ("noc-push-in-flight",)
    return ()


FAULTS = (
    Fault("SKIP_TABLE", _by_table("l1-uninitialised")),
    Fault("USE_TABLE_EARLY", _by_table("noc-use-in-flight")),
    Fault("SHIFT_SOURCE", always("noc-unaligned")),
    Fault("WAIT_FOR_ANOTHER_ID", _wait_for_another_id),
    Fault("COPY_EARLY", _with(COPIED, rules=("noc-use-in-flight",))),
    Fault("STORE_HALVES", _with(COPIED, rules=("l1-misaligned",))),
    Fault("NO_READ_BACK", _with(COPIED, rules=("l1-store-then-credit",))),
    Fault("REFILL_EARLY", _with(LOOPED_BACK, rules=("noc-reuse-in-flight",))),
    Fault("LEAVE_PIECE_IN_FLIGHT", always("noc-push-in-flight")),
    Fault("NO_INVALIDATE", lambda program: ("l1-stale-cache",) if _wraps(program) else (), archs=(BLACKHOLE,)),
    Fault("WRITE_ROW_BEYOND", always("noc-page-out-of-range")),
    Fault("OVERWRITE_WHILE_SENDING", always("noc-reuse-in-flight")),
)
NAMES = tuple(fault.name for fault in FAULTS)


def _wraps(program: Sticks) -> bool:
    return any(len(core) > program.per_push * program.fillings for core in program.rows)


def build(host: Host, program: Sticks, fault: str = "") -> Launch:
    """The program, with one fault in it or none, and its right output."""
    cores: list[Core] = [(x, 0) for x in range(len(program.rows))]
    values = np.arange(SOURCE_ROWS * WORDS).reshape(SOURCE_ROWS, WORDS) * 37 + 1
    source = host.tensor(values, ttnn.uint32, ttnn.ROW_MAJOR_LAYOUT)
    table_values = np.zeros((1, WORDS))
    table_values[0, :SOURCE_ROWS] = program.table
    table = host.tensor(
        table_values,
        ttnn.uint32,
        ttnn.ROW_MAJOR_LAYOUT,
        memory_config=ttnn.L1_MEMORY_CONFIG if program.table_in_l1 else ttnn.DRAM_MEMORY_CONFIG,
    )
    all_rows = sum(len(core) for core in program.rows)
    output = host.output(all_rows, WORDS, dtype=ttnn.uint32, layout=ttnn.ROW_MAJOR_LAYOUT)
    number = number_of(fault, NAMES)
    reading = {core: _reader_arguments(program, program.rows[core[0]], number) for core in cores}
    writing = {
        core: [
            number,
            len(program.rows[core[0]]),
            sum(len(each) for each in program.rows[: core[0]]),
            all_rows,
            program.split,
        ]
        for core in cores
    }
    return host.launch(
        [source, table, output],
        np.array([_expected(program, row, values) for core in program.rows for row in core]),
        [
            host.kernel("reader", numbered(READER, NAMES), reading, [source, table], cores),
            host.kernel("writer", numbered(WRITER, NAMES), writing, [output], cores),
        ],
        [
            host.cb(0, "rows", program.per_push * program.fillings, ttnn.uint32, ROW_BYTES, cores),
            host.cb(1, "scratch", 1, ttnn.uint32, ROW_BYTES, cores),
            host.cb(2, "table", 1, ttnn.uint32, ROW_BYTES, cores),
        ],
    )


def _reader_arguments(program: Sticks, rows: tuple[tuple[Piece, ...], ...], number: int) -> list[int]:
    arguments = [number, len(rows), int(program.by_table), program.per_push]
    for row in rows:
        arguments.append(len(row))
        for piece in row:
            arguments += dataclasses.astuple(piece)
    return arguments


def _expected(program: Sticks, row: tuple[Piece, ...], values: np.ndarray) -> np.ndarray:
    parts = []
    for piece in row:
        taken_from = program.table[piece.row] if program.by_table else piece.row
        parts.append(values[taken_from, piece.from_word : piece.from_word + piece.words])
    return np.concatenate(parts)


STICKS = Family("sticks", sticks(), build, {"reader": READER, "writer": WRITER}, FAULTS)
