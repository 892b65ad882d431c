# SPDX-License-Identifier: Apache-2.0
"""Pages that a compute kernel packs and unpacks: what orders the two threads, and what only looks as if it did."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright
from tests.check.compute_programs import circular_buffer, compute_kernel, empty, reader, tiles
from tests.page_writer import PAGE_WRITER
from tests.tile_program import source_kernel
from tilewright import ttnn
from tilewright._launch.run_options import RunOptions
from tilewright._record.run import RunNote

STEPS = 6
BODY = """
    enum Mode : uint32_t { IN_PLACE, THROUGH_THE_BUFFER, SYNC_BUFFER, READ_TOO_EARLY, FAR_AHEAD, IN_PLACE_ONCE, FULL };
    const uint32_t mode = get_common_arg_val<uint32_t>(0), steps = get_common_arg_val<uint32_t>(1);
    compute_kernel_hw_startup(0, 1, 1);
    auto pack_to_page = [&](uint32_t cb, uint32_t page) {
        tile_regs_commit();
        tile_regs_wait();
        pack_tile<true>(0, cb, page);
        tile_regs_release();
    };
    auto copy = [&](uint32_t from, uint32_t page, uint32_t to, uint32_t to_page) {
        copy_init(from);
        tile_regs_acquire();
        copy_tile(from, page, 0);
        pack_to_page(to, to_page);
    };
    cb_wait_front(0, 1);
    cb_reserve_back(1, 1);
    copy(0, 0, 1, 0);
    cb_push_back(1, 1);
    cb_wait_front(1, 1);
    add_init(0, 1);
    for (uint32_t step = 0; step < steps; step++) {
        if (mode == THROUGH_THE_BUFFER) {
            cb_wait_front(1, 1);
            tile_regs_acquire();
            add_tiles(0, 1, 0, 0, 0);
            cb_pop_front(1, 1);
            cb_reserve_back(1, 1);
            pack_to_page(1, 0);
            cb_push_back(1, 1);
        } else if (mode == FULL) {
            // The buffer is full, so the next page to write is the one that was waited for.
            cb_wait_front(1, 1);
            tile_regs_acquire();
            add_tiles(0, 1, 0, 0, 0);
            tile_regs_commit();
            tile_regs_wait();
            pack_tile(0, 1);
            tile_regs_release();
            cb_pop_front(1, 1);
            cb_reserve_back(1, 1);
            cb_push_back(1, 1);
        } else if (mode == FAR_AHEAD) {
            // Each page is read six sections after it was packed: DST and the source registers keep them apart.
            tile_regs_acquire();
            add_tiles(0, 2, 0, step % 6, 0);
            pack_to_page(2, step % 6);
        } else {
            tile_regs_acquire();
            add_tiles(0, 1, 0, 0, 0);
            pack_to_page(mode == READ_TOO_EARLY ? 2 : 1, 0);
            if (mode == SYNC_BUFFER) {
                cb_reserve_back(3, 1);
                cb_push_back(3, 1);
                cb_wait_front(3, 1);
                cb_pop_front(3, 1);
            }
            if (mode == READ_TOO_EARLY) {
                tile_regs_acquire();
                add_tiles(0, 2, 0, 0, 0);
                pack_to_page(16, 0);
            }
        }
    }
    cb_wait_front(1, 1);
    cb_reserve_back(16, 1);
    copy(0, 0, 16, 0);
    cb_push_back(16, 1);
    cb_pop_front(0, 1);
    cb_pop_front(1, 1);
"""
MODES = ("IN_PLACE", "THROUGH_THE_BUFFER", "SYNC_BUFFER", "READ_TOO_EARLY", "FAR_AHEAD", "IN_PLACE_ONCE", "FULL")
RULE = "pack-unpack-order"


def notes_of(device: ttnn.Device, mode: str) -> list[RunNote]:
    return [note for note in every_note_of(device, mode) if note.rule == RULE]


def every_note_of(device: ttnn.Device, mode: str) -> list[RunNote]:
    source, output = tiles(device, 32, 32), empty(device, 32, 32)
    steps = 1 if mode == "IN_PLACE_ONCE" else STEPS
    program = ttnn.ProgramDescriptor(
        kernels=[
            reader([source], [1]),
            source_kernel(
                "compute", compute_kernel(BODY), ttnn.ComputeConfigDescriptor(), [], MODES.index(mode), steps
            ),
            source_kernel("writer", PAGE_WRITER, ttnn.WriterConfigDescriptor(), [output], 1),
        ],
        cbs=[
            circular_buffer(0, 1),
            circular_buffer(1, 1),
            circular_buffer(2, 6),
            circular_buffer(3, 1),
            circular_buffer(16, 1),
        ],
        semaphores=[],
    )
    run = tilewright.run_program([source, output], program, RunOptions(checked=True))
    np.testing.assert_array_equal(ttnn.to_numpy(output), ttnn.to_numpy(source))
    return run.notes


def test_a_page_read_again_where_it_was_packed_in_place(device: ttnn.Device) -> None:
    (note,) = notes_of(device, "IN_PLACE")
    assert note.text == "the unpack thread may read a page of c_1 before the pack thread has written it"
    assert note.count == STEPS - 1
    assert note.related is not None


def test_a_page_read_after_a_pack_that_nothing_waits_for(device: ttnn.Device) -> None:
    texts = {note.text for note in notes_of(device, "READ_TOO_EARLY")}
    assert "the unpack thread may read a page of c_2 before the pack thread has written it" in texts


@pytest.mark.parametrize("mode", ["THROUGH_THE_BUFFER", "SYNC_BUFFER", "FAR_AHEAD", "IN_PLACE_ONCE"])
def test_pages_that_something_orders_are_silent(device: ttnn.Device, mode: str) -> None:
    assert notes_of(device, mode) == []


def test_a_full_buffer_of_ones_own_may_be_packed_over(device: ttnn.Device) -> None:
    assert every_note_of(device, "FULL") == []
