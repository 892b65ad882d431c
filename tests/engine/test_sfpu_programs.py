# SPDX-License-Identifier: Apache-2.0
"""Vector-unit programs written out in a kernel, with sfpi's vectors and as raw instructions."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.tile_program import run_tiles
from tilewright import ttnn

KERNEL = """
#include "api/compute/tile_move_copy.h"
#include "api/compute/pack.h"
#include "api/compute/common.h"
#include "sfpi.h"

namespace ckernel::sfpu {{
{program}
}}

void kernel_main() {{
    compute_kernel_hw_startup(0, 16);
    copy_init(0);
    cb_wait_front(0, {inputs});
    cb_reserve_back(16, {outputs});
    tile_regs_acquire();
    for (uint32_t i = 0; i < {inputs}; i++) {{
        copy_tile(0, i, i);
    }}
    {call}
    tile_regs_commit();
    tile_regs_wait();
    for (uint32_t i = 0; i < {outputs}; i++) {{
        pack_tile(i, 16);
    }}
    tile_regs_release();
    cb_push_back(16, {outputs});
    cb_pop_front(0, {inputs});
}}
"""


def run(
    device: ttnn.Device, program: str, call: str, *tiles: np.ndarray, outputs: int = 1, wide: bool = True
) -> np.ndarray:
    """The first DST tiles after ``call``, of float32 inputs (bfloat16 and 16-bit DST unless ``wide``)."""
    dtype = ttnn.float32 if wide else ttnn.bfloat16
    source = KERNEL.format(program=program, call=call, inputs=len(tiles), outputs=outputs)
    return run_tiles(
        device,
        [(np.concatenate(tiles), dtype)],
        source,
        (32 * outputs, 32),
        dtype,
        fp32_dest_acc_en=wide,
        unpack_to_dest=(0,) if wide else (),
    )


def numbers(seed: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return (generator.standard_normal((32, 32)) * 8).astype(np.float32)


ON_FACES = "MATH((_llk_math_eltwise_unary_sfpu_params_({function}, 0, VectorMode::{mode})));"
LOOP = "inline void program() {{ for (int i = 0; i < 8; i++) {{ {body} sfpi::dst_reg++; }} }}"

CASES = {
    "fused": (
        "sfpi::vFloat a = sfpi::dst_reg[0], b = sfpi::dst_reg[32]; sfpi::dst_reg[0] = a * b + 1.5f;",
        lambda a, b: (a.astype(np.float64) * b + 1.5).astype(np.float32),
    ),
    "branches": (
        """sfpi::vFloat a = sfpi::dst_reg[0], b = sfpi::dst_reg[32], r = 0.0f;
        v_if(a < 0.0f) { r = -a; v_if(b < 0.0f) { r = b; } v_endif; }
        v_elseif(a > 4.0f && b > 0.0f) { r = 4.0f; }
        v_else { r += a; } v_endif;
        sfpi::dst_reg[0] = r;""",
        lambda a, b: np.where(a < 0, np.where(b < 0, b, -a), np.where((a > 4) & (b > 0), np.float32(4), a)),
    ),
    "parts of floats": (
        """sfpi::vFloat a = sfpi::dst_reg[0];
        sfpi::vInt e = sfpi::exexp(a);
        sfpi::dst_reg[0] = sfpi::setexp(sfpi::setsgn(a, 0), e + 128);""",
        lambda a, b: np.abs(a) * 2,
    ),
    "integers": (
        """sfpi::vInt bits = sfpi::as<sfpi::vInt>(sfpi::vFloat(sfpi::dst_reg[0]));
        sfpi::vUInt low = sfpi::as<sfpi::vUInt>(bits) >> 16;
        sfpi::dst_reg[0] = sfpi::as<sfpi::vFloat>((low << 16) | 0x8000);""",
        lambda a, b: ((a.view(np.uint32) & np.uint32(0xFFFF0000)) | np.uint32(0x8000)).view(np.float32),
    ),
    "minimum, conversion": (
        """sfpi::vFloat a = sfpi::dst_reg[0], b = sfpi::dst_reg[32];
        auto whole = sfpi::convert<sfpi::vSMag16>(sfpi::min(a, b), sfpi::RoundMode::Nearest);
        sfpi::dst_reg[0] = sfpi::convert<sfpi::vFloat>(whole, sfpi::RoundMode::Nearest);""",
        lambda a, b: np.sign(np.minimum(a, b)) * np.floor(np.abs(np.minimum(a, b)) + np.float32(0.5)),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_vectors_compute_lane_by_lane(device: ttnn.Device, name: str) -> None:
    body, expected = CASES[name]
    a, b = numbers(1), numbers(2)
    call = ON_FACES.format(function="ckernel::sfpu::program", mode="RC")
    result = run(device, LOOP.format(body=body), call, a, b)
    np.testing.assert_array_equal(result, expected(a, b))


@pytest.mark.parametrize(
    ("mode", "faces"), [("RC", (0, 1, 2, 3)), ("R", (0, 1)), ("C", (0, 2)), ("None", (0,)), ("RC_custom", (0,))]
)
def test_a_vector_mode_names_faces(device: ttnn.Device, mode: str, faces: tuple[int, ...]) -> None:
    a = numbers(3)
    call = ON_FACES.format(function="ckernel::sfpu::program", mode=mode)
    result = run(device, LOOP.format(body="sfpi::dst_reg[0] = 1.0f;"), call, a)
    expected = a.copy()
    for face in faces:
        top, left = face // 2 * 16, face % 2 * 16
        expected[top : top + 16, left : left + 16] = 1
    np.testing.assert_array_equal(result, expected)


def test_a_store_into_16_bits_cuts_and_a_conversion_rounds(device: ttnn.Device) -> None:
    a = np.full((32, 32), 1.0, dtype=np.float32)
    body = """sfpi::vFloat x = sfpi::dst_reg[0];
        v_if(sfpi::vConstTileId < 32) { sfpi::dst_reg[0] = x + 0.0077f; }
        v_else { sfpi::dst_reg[0] = sfpi::convert<sfpi::vFloat16b>(x + 0.0077f, sfpi::RoundMode::Nearest); }
        v_endif;"""
    call = ON_FACES.format(function="ckernel::sfpu::program", mode="RC")
    result = run(device, LOOP.format(body=body), call, a, wide=False)
    assert set(result[:2].ravel()) == {np.float32(1.0)}  # 1.0077 lies below 1.0078125
    assert set(result[2:4].ravel()) == {np.float32(1.0078125)}


KAHAN = """
template <int IN, int SUM, int LOST>
inline void step() {
    for (int i = 0; i < 8; i++) {
        sfpi::vFloat in = sfpi::dst_reg[IN * 32], sum = sfpi::dst_reg[SUM * 32], lost = sfpi::dst_reg[LOST * 32];
        sfpi::vFloat y = in - lost;
        sfpi::vFloat t = sum + y;
        sfpi::vFloat difference = t - sum;
        sfpi::vFloat rest = difference - y;
        v_if(sfpi::exexp(difference, sfpi::ExponentMode::Biased) >= 255) { rest = 0.0f; }
        v_endif;
        sfpi::dst_reg[LOST * 32] = rest;
        sfpi::dst_reg[SUM * 32] = t;
        sfpi::dst_reg++;
    }
}
"""


def test_an_integer_in_16_bits_is_packed_as_bfloat16_in_the_order_of_dst(device: ttnn.Device) -> None:
    """DST has exponents in the lower bits: a small integer comes out there, and is the same integer when it is back."""
    program = """
    inline void program() {
        TTI_SETRWC(p_setrwc::CLR_NONE, 0, 0, 0, 0, p_setrwc::SET_D);
        TTI_SFPLOAD(p_sfpu::LREG1, InstrModLoadStore::LO16, 3, 2);
        TTI_SFPLOADI(p_sfpu::LREG0, SFPLOADI_MOD0_USHORT, 0x15a);
        TTI_SFPSTORE(p_sfpu::LREG0, InstrModLoadStore::LO16_ONLY, 3, 0);
        TTI_SFPSTORE(p_sfpu::LREG1, InstrModLoadStore::LO16, 3, 2);
    }
    """
    tile = numbers(12)
    call = ON_FACES.format(function="ckernel::sfpu::program", mode="RC_custom")
    found = run(device, program, call, tile, wide=False)
    bits = found.astype(np.float32).view(np.uint32) >> 16
    np.testing.assert_array_equal(bits[:4, :16:2], 0x5A << 7 | 1)
    kept = tile.astype(ml_dtypes.bfloat16).astype(np.float32)
    np.testing.assert_array_equal(found[:4, 1:16:2], kept[:4, 1:16:2])


def test_compensated_sum_keeps_the_rounding_errors(device: ttnn.Device) -> None:
    small = np.full((32, 32), 1e-4, dtype=np.float32)
    start = np.full((32, 32), 4096, dtype=np.float32)
    zero = np.zeros((32, 32), dtype=np.float32)
    call = """for (int i = 0; i < 1000; i++) {
        SFPU_UNARY_CALL(DST_SYNC_MODE, DST_ACCUM_MODE, step, (0, 1, 2), 0, VectorMode::RC);
    }"""
    result = run(device, KAHAN, call, small, start, zero, outputs=2)[32:]
    exact = 4096 + 1000 * float(np.float32(1e-4))
    assert np.all(np.abs(result.astype(np.float64) - exact) <= np.spacing(np.float32(4096)) / 2)


# Every column's four rows of a group sorted, the largest first: rows become registers, registers are compared.
SORT_ROWS = """
inline void program() {
    for (int half = 0; half < 2; half++) {
        TT_SFPLOAD(p_sfpu::LREG0, InstrModLoadStore::FP32, ADDR_MOD_3, 2 * half);
        TTI_SFPLOADI(p_sfpu::LREG1, sfpi::SFPLOADI_MOD0_FLOATB, 0);
        TTI_SFPMOV(0, p_sfpu::LREG1, p_sfpu::LREG2, 0);
        TTI_SFPMOV(0, p_sfpu::LREG1, p_sfpu::LREG3, 0);
        TTI_SFPTRANSP(0, 0, 0, 0);
        lltt::record<lltt::Exec>(0, 3);
        TTI_SFPSWAP(0, p_sfpu::LREG0, p_sfpu::LREG1, p_sfpswap::ALL_ROWS_MAX);
        TTI_SFPSWAP(0, p_sfpu::LREG1, p_sfpu::LREG2, p_sfpswap::ALL_ROWS_MAX);
        TTI_SFPSWAP(0, p_sfpu::LREG2, p_sfpu::LREG3, p_sfpswap::ALL_ROWS_MAX);
        lltt::replay(0, 3);
        lltt::replay(0, 3);
        TTI_SFPTRANSP(0, 0, 0, 0);
        TT_SFPSTORE(p_sfpu::LREG0, InstrModLoadStore::FP32, ADDR_MOD_3, 2 * half);
    }
}
"""


def test_instructions_swap_transpose_and_replay(device: ttnn.Device) -> None:
    a = numbers(4)
    result = run(device, SORT_ROWS, ON_FACES.format(function="ckernel::sfpu::program", mode="None"), a)
    expected = a.copy()
    expected[:4, :16] = -np.sort(-a[:4, :16], axis=0)
    np.testing.assert_array_equal(result, expected)


# 2 where negative, 0.5 times the value elsewhere; integers beside: the exponent plus one.
FLAGS = """
inline void program() {
    addr_mod_t{.srca = {.incr = 0}, .srcb = {.incr = 0}, .dest = {.incr = 2}}.set(ADDR_MOD_6);
    for (int i = 0; i < 8; i++) {
        TTI_SFPLOAD(p_sfpu::LREG0, InstrModLoadStore::FP32, ADDR_MOD_3, 0);
        TTI_SFPEXEXP(0, p_sfpu::LREG0, p_sfpu::LREG3, sfpi::SFPEXEXP_MOD1_NODEBIAS);
        TTI_SFPIADD(-1 & 0xfff, p_sfpu::LREG3, p_sfpu::LREG3, sfpi::SFPIADD_MOD1_ARG_IMM | sfpi::SFPIADD_MOD1_CC_NONE);
        TTI_SFPMOV(0, p_sfpu::LREG3, p_sfpu::LREG1, 0);
        TTI_SFPSETEXP(0, p_sfpu::LREG0, p_sfpu::LREG1, 0);
        TTI_SFPSETCC(0, p_sfpu::LREG0, 0, sfpi::SFPSETCC_MOD1_LREG_LT0);
        TTI_SFPLOADI(p_sfpu::LREG1, sfpi::SFPLOADI_MOD0_LOWER, 0);
        TTI_SFPLOADI(p_sfpu::LREG1, sfpi::SFPLOADI_MOD0_UPPER, 0x4000);
        TTI_SFPENCC(0, 0, 0, 0);
        TTI_SFPSTORE(p_sfpu::LREG1, InstrModLoadStore::FP32, ADDR_MOD_2, 0);
    }
}
"""


def test_flags_choose_the_lanes_and_modifiers_step_on(device: ttnn.Device) -> None:
    a = numbers(5)
    result = run(device, FLAGS, ON_FACES.format(function="ckernel::sfpu::program", mode="RC"), a)
    np.testing.assert_array_equal(result, np.where(a < 0, np.float32(2), a / 2))


# Four rows of two tiles compared in every mode, with numbers that travel along, in lanes some of which are reversed.
SWAPS = """
template <uint32_t mode>
inline void swap_in_mode() {
    constexpr uint32_t place = 4 * (mode / 2) + 2 * (mode % 2);
    TTI_SFPLOAD(p_sfpu::LREG0, InstrModLoadStore::FP32, ADDR_MOD_3, 0);
    TTI_SFPLOAD(p_sfpu::LREG1, InstrModLoadStore::FP32, ADDR_MOD_3, 64);
    TTI_SFPMOV(0, p_sfpu::LCONST_1, p_sfpu::LREG4, 0);
    TTI_SFPLOADI(p_sfpu::LREG5, sfpi::SFPLOADI_MOD0_FLOATB, 0x4000);
    TTI_SFPSWAP(0, p_sfpu::LREG0, p_sfpu::LREG1, mode);
    TTI_SFPSTORE(p_sfpu::LREG0, InstrModLoadStore::FP32, ADDR_MOD_3, 128 + place);
    TTI_SFPSTORE(p_sfpu::LREG4, InstrModLoadStore::FP32, ADDR_MOD_3, 192 + place);
}

inline void program() {
    TTI_SFPLOADI(p_sfpu::LREG0, sfpi::SFPLOADI_MOD0_USHORT, 0x104);
    TTI_SFPCONFIG(0, 0xf, 1);
    TTI_SFPCONFIG(0x0055, 0xf, 8);
    swap_in_mode<0>();
    swap_in_mode<1>();
    swap_in_mode<2>();
    swap_in_mode<3>();
    swap_in_mode<4>();
    swap_in_mode<5>();
    swap_in_mode<6>();
    swap_in_mode<7>();
    swap_in_mode<8>();
    swap_in_mode<9>();
    TTI_SFPCONFIG(0, 0xf, 1);
}
"""


def test_swaps_in_every_mode_with_ties(device: ttnn.Device) -> None:
    generator = np.random.default_rng(6)
    a, b = (generator.integers(-2, 3, (32, 32)).astype(np.float32) for _ in range(2))
    blank = np.zeros((32, 32), np.float32)
    call = ON_FACES.format(function="ckernel::sfpu::program", mode="None")
    values, marks = run(device, SWAPS, call, a, b, blank, blank, outputs=4).reshape(4, 32, 32)[2:]
    c, d = a[:4, 0:16:2], b[:4, 0:16:2]
    reversed_lanes = np.arange(8) < 4  # which also carry the second number
    larger_rows = ["", "0123", "01", "02", "03", "0", "1", "2", "3", ""]
    for mode, larger in enumerate(larger_rows):
        to_first = np.isin(np.arange(4), [int(row) for row in larger])[:, None]
        swaps = np.where(to_first, c < d, c >= d) != reversed_lanes
        swaps = np.ones_like(swaps) if mode == 0 else swaps
        row, column = 4 * (mode // 2), 16 * (mode >= 8)
        shown = np.s_[row % 16 : row % 16 + 4, column + mode % 2 : column + 16 : 2]
        np.testing.assert_array_equal(values[shown], np.where(swaps, d, c), err_msg=f"mode {mode}")
        np.testing.assert_array_equal(marks[shown], np.where(swaps & reversed_lanes, 2, 1), err_msg=f"mode {mode}")


def test_blackhole_names_all_modifiers() -> None:
    """A program for Blackhole means modifier 0 by 0; Wormhole's would mean 4."""
    program = """inline void program() {
        addr_mod_t{.srca = {.incr = 0}, .srcb = {.incr = 0}, .dest = {.incr = 2}}.set(ADDR_MOD_0);
        for (int i = 0; i < 8; i++) {
            TTI_SFPLOAD(p_sfpu::LREG0, InstrModLoadStore::FP32, ADDR_MOD_7, 0);
            TTI_SFPSETSGN(1, p_sfpu::LREG0, p_sfpu::LREG0, 1);
            TTI_SFPSTORE(p_sfpu::LREG0, InstrModLoadStore::FP32, ADDR_MOD_0, 0);
        }
    }"""
    device = ttnn.open_device(device_id=1, arch="blackhole")
    a = np.abs(numbers(7))
    result = run(device, program, ON_FACES.format(function="ckernel::sfpu::program", mode="RC"), a)
    ttnn.close_device(device)
    np.testing.assert_array_equal(result, -a)
