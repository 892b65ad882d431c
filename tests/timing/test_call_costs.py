# SPDX-License-Identifier: Apache-2.0
"""Every function of the kernel API has a cost in the timing model, or is named here with the reason why not."""

from __future__ import annotations

import re

import pytest

from tilewright.kernels._api_table import FUNCTIONS
from tilewright.timing import Processor
from tilewright.timing._call_costs import cost_of_call
from tilewright.timing._constants import constants_of

# Patterns of names, and why the model counts nothing.
COSTLESS = {
    r"get_.*|cb_pages_.*|read_tile_value": "arithmetic and loads, counted as basic blocks of the kernel between calls",
    r"noc_.*_set_(state|trid)": "registers; published costs of the transfers that follow include them",
    "invalidate_l1_cache": "a loop that polls is charged by the turn",
    "(enable|disable)_fp32_dest_acc": "a register that kernels write once",
    "reconfig_tile_shape.*": "registers that the formats' reconfiguration writes, too",
    "unary_bcast_uninit|(fast_)?tilize_uninit": "restored by the next init call, which is charged",
    "ema_clear_previous_output": "clears registers of the vector unit",
}


@pytest.mark.parametrize("arch", ["wormhole_b0", "blackhole"])
def test_each_function_has_a_cost_or_a_reason_for_none(arch: str) -> None:
    used, without = set(), []
    for name, each in FUNCTIONS.items():
        kinds = [(True, each.compute_header), (False, each.dataflow_header)]
        if all(cost_of_call(name, arch, is_compute=is_compute) for is_compute, header in kinds if header):
            continue
        reasons = [pattern for pattern in COSTLESS if re.fullmatch(pattern, name)]
        used.update(reasons)
        without += [] if reasons else [name]
    assert without == []
    assert used == set(COSTLESS), "a reason that no function needs any more"


@pytest.mark.parametrize(
    ("function", "constants"),
    [
        ("copy_tile", {Processor.UNPACK: "copy_unpack", Processor.MATH: "copy_math"}),
        ("mul_tiles", {Processor.UNPACK: "binary_unpack", Processor.MATH: "multiply_math_4"}),
        ("pack_tile", {Processor.PACK: "pack_16"}),
        ("tile_regs_wait", {Processor.PACK: "dst_wait"}),
        ("cb_wait_front", {Processor.UNPACK: "compute_wait"}),
        ("exp_tile_init", {Processor.MATH: "sfpu_init"}),
        ("pack_reconfig_data_format", {Processor.PACK: "reconfig_pack"}),
    ],
)
@pytest.mark.parametrize("arch", ["wormhole_b0", "blackhole"])
def test_cost_of_a_compute_call_is_its_constants(function: str, constants: dict[Processor, str], arch: str) -> None:
    cost = cost_of_call(function, arch, is_compute=True)
    assert cost is not None
    expected = {processor: constants_of(arch)[name] for processor, name in constants.items()}
    assert cost.cycles == pytest.approx(expected, rel=1e-6)


def test_vector_unit_takes_the_cycles_of_its_row() -> None:
    cost = cost_of_call("gelu_tile", "blackhole", is_compute=True)
    assert cost is not None
    assert cost.cycles == pytest.approx({Processor.MATH: 4 * 714.4})
    assert cost.is_published


def test_cost_without_a_published_figure_says_so() -> None:
    cost = cost_of_call("heaviside_tile", "wormhole_b0", is_compute=True)
    assert str(cost) == "math 400 (not published: assumed)"


def test_transfer_of_a_data_movement_kernel_takes_its_issue() -> None:
    cost = cost_of_call("noc_async_read", "wormhole_b0", is_compute=False)
    assert cost is not None
    assert cost.cycles == pytest.approx({Processor.BRISC: constants_of("wormhole_b0")["issue_dram_read"]})
