# SPDX-License-Identifier: Apache-2.0
"""Modes of the packer: every one, with results only that mode gives.

Operands are small whole numbers in bfloat16, two tiles in DST 0 and 1, so results are exact. Each case packs two pages.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest

from tests.tile_program import run_tiles
from tilewright import ttnn
from tilewright._errors import KernelError

_KERNEL = """
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/pack_untilize.h"
#include "api/compute/untilize.h"
#include "api/compute/experimental/fast_untilize.h"
#include "api/compute/tile_move_copy.h"

void begin() {
    tile_regs_acquire();
    copy_init(0);
    copy_tile(0, 0, 0);
    copy_tile(0, 1, 1);
    tile_regs_commit();
    cb_reserve_back(16, 2);
    tile_regs_wait();
}
void end() {
    tile_regs_release();
    cb_push_back(16, 2);
}

void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    cb_wait_front(0, 2);
CASES
}
"""


@dataclasses.dataclass(frozen=True)
class Packing:
    """Statements that pack DST 0 and 1 (or c_0), and the two pages they leave, as a card has them in L1."""

    text: str
    expected: Callable[..., list[np.ndarray]]
    from_dst: bool = True


def in_tiles(*tiles: np.ndarray) -> list[np.ndarray]:
    """Pages of tiles, one after the other."""
    return [tile.reshape(2, 16, 2, 16).transpose(0, 2, 1, 3).reshape(-1) for tile in tiles]


def in_rows(rows: np.ndarray) -> list[np.ndarray]:
    """Two pages of rows."""
    return list(rows.reshape(2, 1024))


def relu(config: str, function: Callable[[np.ndarray], np.ndarray]) -> Packing:
    return Packing(
        f"pack_relu_config(ReluConfig::{config}); pack_tile(0, 16); pack_tile(1, 16);"
        " pack_relu_config(ReluConfig::none());",
        lambda a, b: in_tiles(function(a), function(b)),
    )


# Three as a bfloat16 is 0x4040.
PACKINGS = [
    Packing("pack_tile<true>(0, 16, 1); pack_tile<true>(1, 16, 0);", lambda a, b: in_tiles(b, a)),
    Packing("pack_tile<false>(0, 16, 1); pack_tile<false>(1, 16, 0);", lambda a, b: in_tiles(a, b)),
    Packing("pack_tile(1, 16); pack_tile(0, 16);", lambda a, b: in_tiles(b, a)),
    relu("none()", lambda x: x),
    relu("zero()", lambda x: np.maximum(x, 0)),
    relu("min_threshold(0x4040)", lambda x: np.where(x <= 3, 0, x)),
    relu("max_threshold(0x4040)", lambda x: np.clip(x, 0, 3)),
    relu("from_packed(0x40400003)", lambda x: np.clip(x, 0, 3)),
    Packing(
        "pack_tile<true>(0, 16, 0); pack_tile<true>(0, 16, 1); pack_reconfig_l1_acc(1); pack_tile<true>(1, 16, 1);"
        " pack_reconfig_l1_acc(0);",
        lambda a, b: in_tiles(a, a + b),
    ),
    Packing(
        "pack_tile<true>(0, 16, 0); pack_tile<true>(0, 16, 1); pack_reconfig_l1_acc(0); pack_tile<true>(1, 16, 1);",
        lambda a, b: in_tiles(a, b),
    ),
    *(
        Packing(
            f"pack_reconfig_data_format<{flag}>(16); pack_reconfig_data_format<{flag}>(0, 16);"
            " pack_tile(0, 16); pack_tile(1, 16);",
            lambda a, b: in_tiles(a, b),
        )
        for flag in ("true", "false")
    ),
    Packing(
        "pack_untilize_dest_init<2>(16); pack_untilize_dest<2>(16); pack_untilize_uninit(16);",
        lambda a, b: in_rows(np.hstack([a, b])),
    ),
    # Rows of two tiles in blocks of one: the second block lies beside the first.
    Packing(
        "pack_untilize_dest_init<1, 2>(16); pack_untilize_dest<1, 2>(16, 1, 0); pack_untilize_dest<1, 2>(16, 1, 1, 1);"
        " pack_untilize_uninit(16);",
        lambda a, b: in_rows(np.hstack([a, b])),
    ),
    Packing(
        "pack_untilize_dest_init<1, 2>(16); pack_untilize_dest<1, 2>(16, 1, 1);"
        " pack_untilize_dest<1, 2, false, false, TILE_C_DIM, 1>(16, 1, 0); pack_untilize_uninit(16);",
        lambda a, b: in_rows(np.hstack([b, a])),
    ),
    # Two rows of one tile.
    Packing(
        "pack_untilize_dest_init<1, 1>(16); pack_untilize_dest<1, 1>(16, 2); pack_untilize_uninit(16);",
        lambda a, b: in_rows(np.vstack([a, b])),
    ),
    *(
        Packing(
            f"pack_untilize_dest_init<1, 1, true, {width}, false, {remap}>(16);"
            f" pack_untilize_dest<1, 1, false, true, {width}, 0>(16); pack_tile<true>(1, 16, 1);"
            " pack_untilize_uninit(16);",
            lambda a, b, width=width: [np.ascontiguousarray(a[:, :width]).reshape(-1), *in_tiles(b)],
        )
        for width, remap in ((8, "true"), (16, "false"))
    ),
    Packing(
        "pack_untilize_init<2>(0, 16); pack_untilize_block<2>(0, 1, 16); pack_untilize_uninit(16);",
        lambda a, b: in_rows(np.hstack([a, b])),
        from_dst=False,
    ),
    Packing(
        "pack_untilize_init_skip_remap<2, 2>(0, 16); pack_untilize_block<2, 2>(0, 1, 16); pack_untilize_uninit(16);",
        lambda a, b: in_rows(np.hstack([a, b])),
        from_dst=False,
    ),
    Packing(
        "pack_untilize_init_skip_remap<1, 1>(0, 16); pack_untilize_block<1, 1>(0, 1, 16); pack_untilize_uninit(16);",
        lambda a, b: [a.reshape(-1), np.zeros(0)],
        from_dst=False,
    ),
    Packing(
        "pack_untilize_init<1, 2>(0, 16); pack_untilize_block<1, 2>(0, 1, 16, 1);"
        " pack_untilize_block<1, 2>(0, 1, 16, 0); pack_untilize_uninit(16);",
        lambda a, b: in_rows(np.hstack([a, a])),
        from_dst=False,
    ),
    *(
        Packing(
            f"untilize_init(0); untilize_block<{block}>(0, 2, 16); untilize_uninit(0);",
            lambda a, b: in_rows(np.hstack([a, b])),
            from_dst=False,
        )
        for block in (1, 2)
    ),
    *(
        Packing(
            f"{init}<2>(0, 16); fast_untilize_block<2>(0, 16); fast_untilize_uninit<2>(16);",
            lambda a, b: in_rows(np.hstack([a, b])),
            from_dst=False,
        )
        for init in ("fast_untilize_init", "fast_untilize_init_skip_remap")
    ),
    *(
        Packing(
            f"{init}<1>(0, 16); fast_untilize_block<1>(0, 16); fast_untilize_uninit<1>(16);",
            lambda a, b: [a.reshape(-1), np.zeros(0)],
            from_dst=False,
        )
        for init in ("fast_untilize_init", "fast_untilize_init_skip_remap")
    ),
]
CALLS = PACKINGS


def run_packings(device: ttnn.Device, packings: list[Packing], tiles: list[np.ndarray]) -> list[np.ndarray]:
    cases = [
        f"begin(); {each.text} end();" if each.from_dst else f"cb_reserve_back(16, 2); {each.text} cb_push_back(16, 2);"
        for each in packings
    ]
    kernel = _KERNEL.replace("CASES", "\n".join(cases))
    pages = run_tiles(
        device, [(np.vstack(tiles), ttnn.bfloat16)], kernel, (64 * len(packings), 32), ttnn.bfloat16
    ).reshape(-1, 32, 32)
    return [in_tiles(np.asarray(page, np.float32))[0] for page in pages]


def test_pages_in_l1(device: ttnn.Device) -> None:
    generator = np.random.default_rng(1)
    tiles = [generator.integers(-9, 10, (32, 32)).astype(np.float32) for _ in range(2)]
    pages = run_packings(device, PACKINGS, tiles)
    for index, packing in enumerate(PACKINGS):
        for found, expected in zip(pages[2 * index : 2 * index + 2], packing.expected(*tiles), strict=True):
            np.testing.assert_array_equal(found[: len(expected)], expected, err_msg=packing.text)


def test_thresholds_are_bfloat16s(device: ttnn.Device) -> None:
    packing = relu("max_threshold(0x40400000)", np.abs)
    with pytest.raises(KernelError, match="threshold 0x40400000, but the register has 16 bits"):
        run_packings(device, [packing], [np.zeros((32, 32), np.float32)] * 2)
