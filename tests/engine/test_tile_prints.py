# SPDX-License-Identifier: Apache-2.0
"""Tiles that kernels print: whole ones, and slices of what is at the front or about to be pushed."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tile_program import run_tiles
from tilewright import ttnn

COMPUTE = """
#include "api/compute/tile_move_copy.h"
#include "api/compute/pack.h"
#include "api/debug/dprint.h"
#include "api/debug/dprint_pages.h"
#include "api/debug/dprint_tile.h"

void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    copy_init(0);
    cb_wait_front(0, 1);
    cb_reserve_back(16, 1);
    tile_regs_acquire();
    copy_tile(0, 0, 0);
    copy_tile(0, 0, 1);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    UNPACK(DPRINT("front\\n{}", TSLICE(0, 0, SliceRange::hw0_32_16()));)
    const SliceRange row{.h0 = 2, .h1 = 3, .hs = 1, .w0 = 0, .w1 = 32, .ws = 8};
    UNPACK(DPRINT("row {}\\n", TileSlice(0, 0, row, false));)
    PACK((DPRINT << "back" << ENDL() << TSLICE(16, 0, SliceRange::hw041(), true, false)));
    UNPACK((print_full_tile(0, 0, true)));
    tile_regs_release();
    cb_push_back(16, 1);
}
"""


def test_slices_and_whole_tiles(capsys: pytest.CaptureFixture[str]) -> None:
    device = ttnn.open_device(device_id=0)
    values = np.arange(1024, dtype=np.float32).reshape(32, 32) % 251
    run_tiles(device, [(values, ttnn.bfloat16)], COMPUTE, (32, 32), ttnn.bfloat16)
    lines = [line.partition(": ")[2].strip() for line in capsys.readouterr().out.splitlines()]
    assert lines[:3] == ["front", "0 16", f"{values[16, 0]:g} {values[16, 16]:g}"]
    assert lines[3] == "row " + " ".join(f"{each:g}" for each in values[2, ::8])
    # As the first 128 words lie in L1: a row of 16 of the first face after the other.
    in_faces = values[:16, :16].reshape(-1)
    assert lines[4:9] == ["back"] + [
        " ".join(f"{each:g}" for each in in_faces[row * 32 : row * 32 + 4]) for row in range(4)
    ]
    assert [line.split(": ")[1].split() for line in lines[9:41]] == [[f"{each:g}" for each in row] for row in values]
