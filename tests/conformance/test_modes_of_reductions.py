# SPDX-License-Identifier: Apache-2.0
"""Reductions and statistics of the vector unit: every pool, axis, format and flag, with results only it gives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.call_table import Call, assert_all_exact, assert_all_near, run_calls
from tilewright import ttnn
from tilewright._errors import KernelError

INCLUDES = ["compute_kernel_api", "cumsum", "sfpu_binary_bcast", "topk", "triangle_solve", "welford"]
WIDE = {"fp32_dest_acc_en": True, "unpack_to_dest": (0, 1)}
# Up to 64 steps of float32, each off by 2^-24 of a sum that stays below 64, are off by 2^-12 at most; a quarter of it.
SUMMED = 2.0**-14
ONE_32ND = "0x3d000000u"
ONE_16TH = "0x3d800000u"
POOLS: dict[str, Callable] = {"SUM": np.sum, "AVG": np.mean, "MAX": np.max, "MIN": np.min}


def down(pool: str, kind: type = float) -> Callable[..., np.ndarray]:
    """Down the columns. Averages of integers are cut towards zero."""

    def expected(a: np.ndarray, *others: np.ndarray) -> np.ndarray:
        values = a.astype(np.int64) if kind is not float else a
        result = POOLS[pool](values.astype(np.uint32) if kind is np.uint32 else values, axis=0, keepdims=True)
        return result if kind is float else np.trunc(result).astype(np.int64).astype(np.uint32)

    return expected


def along(pool: str, kind: type = float) -> Callable[..., np.ndarray]:
    def expected(a: np.ndarray, *others: np.ndarray) -> np.ndarray:
        values = a.astype(np.int64) if kind is not float else a
        result = POOLS[pool](values.astype(np.uint32) if kind is np.uint32 else values, axis=1, keepdims=True)
        return result if kind is float else result.astype(np.int64).astype(np.uint32)

    return expected


def vector_reductions(format_: str, kind: type) -> list[Call]:
    columns = [
        Call(
            f"sfpu_reduce_init<PoolType::{pool}, DataFormat::{format_}>();"
            f" sfpu_reduce<PoolType::{pool}, DataFormat::{format_}, ReduceDim::REDUCE_COL>(0);",
            down(pool, kind),
        )
        for pool in POOLS
    ]
    rows = [
        Call(
            f"sfpu_reduce_init<PoolType::{pool}, DataFormat::{format_}>();"
            f" sfpu_reduce<PoolType::{pool}, DataFormat::{format_}, ReduceDim::REDUCE_ROW>(0);",
            along(pool, kind),
        )
        for pool in ("SUM", "MAX", "MIN")
    ]
    return columns + rows


# Two tiles: side by side, or one below the other.
BLOCKS = [
    Call(
        f"sfpu_reduce_init<PoolType::{pool}, DataFormat::Float32>();"
        f" sfpu_reduce<PoolType::{pool}, DataFormat::Float32, ReduceDim::REDUCE_ROW>(0, 2, 1);",
        lambda a, b, pool=pool: POOLS[pool](np.hstack([a, b]), axis=1, keepdims=True),
    )
    for pool in ("SUM", "MAX", "MIN")
]
BLOCKS += [
    Call(
        f"sfpu_reduce_init<PoolType::{pool}, DataFormat::Float32>();"
        f" sfpu_reduce<PoolType::{pool}, DataFormat::Float32, ReduceDim::REDUCE_COL>(0, 1, 2);",
        lambda a, b, pool=pool: POOLS[pool](np.vstack([a, b]), axis=0, keepdims=True),
    )
    for pool in ("MAX", "MIN")
]
SPREADS = [
    Call(
        f"sfpu_bcast_init<BroadcastType::{dim}>();"
        f" sfpu_bcast<BroadcastType::{dim}, EltwiseBinaryType::ELW{name}>(0, 1);",
        lambda a, b, dim=dim, function=function: function(a, b[:, :1] if dim == "COL" else b[:1]),
    )
    for dim in ("COL", "ROW")
    for name, function in (("ADD", np.add), ("SUB", np.subtract), ("MUL", np.multiply))
]
TOP_ROWS = {
    format_: Call(
        f"sfpu_add_top_row_init(); sfpu_add_top_row<DataFormat::{format_}>(0, 1, 0);", lambda a, b: (a + b)[:1]
    )
    for format_ in ("Float32", "Int32", "UInt32")
}
RUNNING = [
    Call("cumsum_tile_init(); cumsum_tile(0, true);", lambda a, b: np.cumsum(a, axis=0)),
    Call(
        "cumsum_tile_init(); cumsum_tile(0, true); cumsum_tile(1, false);",
        lambda a, b: np.cumsum(np.vstack([a, b]), axis=0)[32:],
        1,
    ),
    Call("cumsum_tile_init(); cumsum_tile(0, true); cumsum_tile(1, true);", lambda a, b: np.cumsum(b, axis=0), 1),
]


def one_row(values: np.ndarray) -> np.ndarray:
    return np.asarray(values)[None, :]


def two_pass(dual: str, last: str, retain: str = "false") -> str:
    return (
        "two_pass_stats_init_shifted(); two_pass_stats_clear();"
        f" two_pass_stats_update_shifted_rows<TwoPassAccumulation::ShiftedSum, TwoPassAnchor::Initialise, {dual}>"
        f"(0, 0, 16); two_pass_stats_update_shifted_rows<TwoPassAccumulation::ShiftedSum, TwoPassAnchor::Reuse, {dual}>"
        f"(0, 16, 16); two_pass_stats_finish_shifted_mean<{dual}, {retain}>({ONE_32ND});"
        f" two_pass_stats_update_shifted_rows<TwoPassAccumulation::CentredM2, TwoPassAnchor::Reuse, {dual}>(0, 0, 16);"
        f" two_pass_stats_update_rows<{dual}>(0, 16, 16); {last}"
    )


STATISTICS = [
    call
    for dual in ("true", "false")
    for call in [
        Call(
            two_pass(dual, f"two_pass_stats_finalize_to_row<{dual}, true>(1, {ONE_32ND});"),
            lambda a, b: one_row(a.mean(0)),
            1,
        ),
        Call(
            two_pass(dual, f"two_pass_stats_finalize_to_row<{dual}, true>(1, {ONE_32ND});"),
            lambda a, b: one_row(a.var(0)),
            2,
        ),
        Call(two_pass(dual, f"two_pass_stats_finalize_to_row<{dual}, false>(1, {ONE_32ND});"), lambda a, b: b, 1),
        Call(
            two_pass(dual, f"two_pass_stats_finalize_and_combine_to_face<{dual}, true>(1, 0, {ONE_32ND});"),
            lambda a, b: np.full((1, 16), a.var()),
            2,
        ),
        Call(
            two_pass(dual, f"two_pass_stats_finalize_and_combine_to_face<{dual}, false>(1, 0, {ONE_32ND});"),
            lambda a, b: np.full((1, 16), 32 * a.var()),
            2,
        ),
        # Of halves of the tile, the first saved and then taken in.
        Call(
            "two_pass_stats_init_shifted(); two_pass_stats_clear();"
            + "".join(
                f" two_pass_stats_update_shifted_rows<TwoPassAccumulation::ShiftedSum, TwoPassAnchor::Initialise,"
                f" {dual}>(0, {first}, 16); two_pass_stats_finish_shifted_mean<{dual}, false>({ONE_16TH});"
                f" two_pass_stats_update_rows<{dual}>(0, {first}, 16); {last}"
                for first, last in (
                    (0, f"two_pass_stats_save_state<{dual}>(1);"),
                    (16, f"two_pass_stats_combine_block<{dual}>(1, {ONE_32ND}, 0x41800000u);"),
                )
            )
            + f" welford_restore_state(1); two_pass_stats_finalize_to_row<{dual}>(1, {ONE_32ND});",
            lambda a, b: one_row(a.var(0)),
            2,
        ),
        # The statistics of a group, in the even columns of four rows: lane i of a register is column 2i of them.
        Call(
            two_pass(dual, f"two_pass_stats_finalize_to_face<{dual}>(1, 1, {ONE_32ND}); welford_restore_state(1, 1);")
            + " welford_finalize_to_row(2, 0, std::array<uint32_t, 0>{});",
            lambda a, b: one_row(a.mean(0)),
            2,
        ),
    ]
]
# The mean in two parts: its anchor, the first row, in row 0, and what is left of it in row 16.
SPLIT = [
    Call(
        two_pass("true", f"two_pass_stats_finalize_split_mean_to_row<true>(1, {ONE_32ND});", "true"),
        lambda a, b: one_row(a[0]),
        1,
    ),
    Call(
        two_pass("true", f"two_pass_stats_finalize_split_mean_to_row<true>(1, {ONE_32ND});", "true"),
        lambda a, b: one_row(a.var(0)),
        2,
    ),
    Call(
        two_pass("false", f"two_pass_stats_finalize_split_mean_to_row<false>(1, {ONE_32ND});"),
        lambda a, b: one_row(a.var(0)),
        2,
    ),
]
NO_TABLE = "std::array<uint32_t, 0>{}"
TABLE = "reciprocals"
WELFORD = [
    Call(
        "static constexpr auto reciprocals = [] { std::array<uint32_t, 32> table{}; for (uint32_t i = 0; i < 32; i++)"
        " table[i] = __builtin_bit_cast(uint32_t, 1.0f / float(i + 1)); return table; }();"
        f" welford_init<WelfordInitMode::ClearStats>(); welford_update_rows<{size}>(0, 0, 0, 16, {table});"
        f" welford_init<WelfordInitMode::{mode}>(); welford_update_rows<{size}>(0, {start}, 16, 16, {table});"
        f" welford_finalize_to_row<{size}>(1, {start + 15}, {table});",
        lambda a, b, whole=mode == "PreserveStats": one_row((a if whole else a[16:]).var(0)),
        2,
    )
    for size, table in ((0, NO_TABLE), (32, TABLE))
    for mode, start in (("PreserveStats", 16), ("ClearStats", 0))
]
WELFORD = [Call("{ " + call.text + " }", call.expected, call.result) for call in WELFORD]
WELFORD += [
    Call(
        f"welford_init(); welford_update<{size}>(0, 0, std::array<uint32_t, {size}>{{}});"
        f" welford_finalize_to_face<{size}>(1, 31, std::array<uint32_t, {size}>{{}});"
        f" welford_restore_state(1); welford_finalize_to_row<{size}>(1, 0, std::array<uint32_t, {size}>{{}});",
        lambda a, b: one_row(a.var(0)),
        2,
    )
    for size in (0,)
]
# Sums of another group, and of this one again: registers of one accumulator go to DST and come back.
SWITCHED = [
    Call(
        "two_pass_stats_init_shifted(); two_pass_stats_clear();"
        " two_pass_stats_update_shifted_rows<TwoPassAccumulation::ShiftedSum, TwoPassAnchor::Initialise, false>"
        "(0, 0, 32);"
        f" two_pass_stats_finish_shifted_mean<false, false>({ONE_32ND}); two_pass_stats_switch_group<false>(1, 0, 1);"
        " two_pass_stats_clear(); two_pass_stats_switch_group<false>(1, 1, 0);"
        f" two_pass_stats_update_rows<false>(0, 0, 32); two_pass_stats_finalize_to_row<false>(1, {ONE_32ND});",
        lambda a, b: one_row(a.var(0)),
        2,
    )
]
MAXIMA = [
    Call(
        f"max_reduce_with_indices_init<DataLayout::{layout}>();"
        f" max_reduce_with_indices<9, DataLayout::{layout}>(0, 1);",
        expected,
        result,
    )
    for layout, result, expected in [
        ("TILE", 0, lambda a, b: one_row(a[:9].max(0))),
        ("TILE", 1, lambda a, b: one_row(np.take_along_axis(b, a[:9].argmax(0)[None], axis=0)[0])),
    ]
]


def solved(negated: bool) -> Callable[..., np.ndarray]:
    """X of (1 + L) X = B, with L the part of b below its diagonal."""

    def expected(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        lower = np.tril(b, -1) * (-1 if negated else 1)
        return np.linalg.solve(np.eye(32) + lower, a)

    return expected


TRIANGLES = {
    format_: [
        Call(
            f"triangle_solve_tile_init(); triangle_solve_tile<DataFormat::{format_}, {negated}, {cached}>(1, 0, 0, 2);",
            solved(negated == "true"),
            2,
        )
        for negated in ("true", "false")
        for cached in ("true", "false")
    ]
    for format_ in ("Float32", "Float16_b")
}
# Rows of a face that do not exist hold what the init call says, whatever the call that unpacks says.
FILLS = [
    Call(
        f"compute_kernel_hw_startup(0, 1, 16); tilizeA_B_reduce_init<{lowest}, {zero}>(0, 1, 1);"
        f" unpack_tilizeA_B_block<{other}, 1, false, {another}>(0, 1, 1, 0);"
        " reduce_tile_math<PoolType::MAX, ReduceDim::REDUCE_COL>(0, 2);",
        lambda rows, ones, zero=zero: one_row(np.maximum(rows.max(0), 0 if zero == "true" else -np.inf)),
    )
    for lowest, zero, other, another in [
        ("true", "false", "true", "false"),
        ("true", "false", "false", "true"),
        ("false", "true", "false", "true"),
        ("false", "true", "true", "false"),
        ("false", "false", "true", "true"),
    ]
]
# Of whole tiles, from SrcA; a row of sums comes from SrcB and so from another call.
TILIZED = [
    Call(
        f"compute_kernel_hw_startup(0, 1, 16); tilizeA_B_reduce_init<{lowest}, {zero}>(0, 1, 1);"
        f" unpack_tilizeA_B_block<{lowest}, 1, false, {zero}>(0, 1, 1, 0);"
        f" reduce_tile_math<PoolType::{pool}, ReduceDim::REDUCE_{dim}>(0);",
        expected,
    )
    for lowest, zero, pool, dim, expected in [
        ("true", "false", "MAX", "COL", lambda rows, ones: one_row(rows.max(0))),
        ("true", "false", "MAX", "ROW", lambda rows, ones: rows.max(1, keepdims=True)),
        ("true", "false", "MAX", "SCALAR", lambda rows, ones: rows.max(keepdims=True)),
        ("false", "true", "SUM", "COL", lambda rows, ones: one_row(rows.sum(0))),
        ("false", "true", "SUM", "SCALAR", lambda rows, ones: rows.sum(keepdims=True)),
        ("false", "true", "AVG", "COL", lambda rows, ones: one_row(rows.sum(0))),
    ]
]


def tagged(largest: bool, bits: int, first: int) -> Callable[..., np.ndarray]:
    """Words whose last bits say where they are, so that equal ones have an order; zero has no sign."""

    def expected(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        mask = np.int64((1 << bits) - 1)
        words = a.astype(np.int64) & 0xFFFFFFFF & ~mask
        words = np.where(words & 0x7FFFFFFF == 0, 0, words) | (np.arange(32) + first)[:, None]
        negative = words & 0x80000000 != 0
        return np.where(negative != largest, words ^ mask, words).astype(np.uint32)

    return expected


TAGS = [
    Call(
        f"topk_tile_init<false, true, {bits}>(); topk_stamp_tile_rank_range<{flag}, {bits}>(0, 0, 32);",
        tagged(flag == "true", bits, 32),
    )
    for flag in ("true", "false")
    for bits in (8, 16)
]
TAGS += [
    Call(
        f"topk_tile_init<false, true, {bits}>(); topk_stamp_local_positions<{flag}, {bits}>(0);",
        tagged(flag == "true", bits, 0),
    )
    for flag in ("true", "false")
    for bits in (8, 16)
]
TAGS += [
    Call(
        f"topk_strip_rank_tags<{bits}>(0);",
        lambda a, b, bits=bits: a.astype(np.int64) & 0xFFFFFFFF & ~np.int64((1 << bits) - 1),
    )
    for bits in (8, 16)
]
WHOLE = [*vector_reductions("Int32", np.int32), *vector_reductions("UInt32", np.uint32)]
FLOATS = [
    *vector_reductions("Float32", float),
    *vector_reductions("Float16_b", float),
    *BLOCKS,
    *SPREADS,
    TOP_ROWS["Float32"],
    *RUNNING,
    *STATISTICS,
    *SPLIT,
    *WELFORD,
    *SWITCHED,
    *MAXIMA,
]
SHORT = vector_reductions("UInt16", np.uint32)
CALLS = [
    *FILLS,
    *TILIZED,
    *TAGS,
    *WHOLE,
    *FLOATS,
    *SHORT,
    TOP_ROWS["Int32"],
    TOP_ROWS["UInt32"],
    *TRIANGLES["Float32"],
    *TRIANGLES["Float16_b"],
]


def values(seed: int) -> list[np.ndarray]:
    generator = np.random.default_rng(seed)
    return [generator.uniform(-4, 4, (32, 32)).astype(np.float32) for _ in range(2)]


def test_floats(device: ttnn.Device) -> None:
    given = values(1)
    results = run_calls(device, FLOATS, given, ttnn.float32, INCLUDES, **WIDE)
    assert_all_near(FLOATS, results, given, SUMMED)


def test_integers(device: ttnn.Device) -> None:
    generator = np.random.default_rng(2)
    given = [generator.integers(-(2**31), 2**31, (32, 32)).astype(np.int32) for _ in range(2)]
    given[0] //= 64  # sums of 32 of them stay numbers, so that averages mean something
    calls = [*WHOLE, TOP_ROWS["Int32"], TOP_ROWS["UInt32"]]
    results = run_calls(device, calls, given, ttnn.int32, INCLUDES, **WIDE)
    unsigned_average = "sfpu_reduce<PoolType::AVG, DataFormat::UInt32"
    kept = [(call, found) for call, found in zip(calls, results, strict=True) if unsigned_average not in call.text]
    assert_all_exact([call for call, _ in kept], [found for _, found in kept], given)
    (average,) = [found for call, found in zip(calls, results, strict=True) if unsigned_average in call.text]
    sums = given[0].astype(np.uint32).sum(axis=0, dtype=np.uint32)  # which is what is divided
    np.testing.assert_array_equal(average[0].astype(np.uint32), sums // 32)


def test_tags(device: ttnn.Device) -> None:
    generator = np.random.default_rng(2)
    given = [generator.integers(-(2**31), 2**31, (32, 32)).astype(np.int32) for _ in range(2)]
    given[0][3], given[0][5] = 0, -(2**31)  # zero, and the same with a sign
    assert_all_exact(TAGS, run_calls(device, TAGS, given, ttnn.int32, INCLUDES, **WIDE), given)


def test_integers_of_16_bits(device: ttnn.Device) -> None:
    given = [np.random.default_rng(3).integers(0, 2048, (32, 32)).astype(np.uint16)]
    assert_all_exact(SHORT, run_calls(device, SHORT, given, ttnn.uint16, INCLUDES), given)


def test_rows_tilized_on_the_way(device: ttnn.Device) -> None:
    rows = np.random.default_rng(6).integers(-4, 5, (32, 32)).astype(np.float32)
    given = [rows.reshape(2, 2, 16, 16).transpose(0, 2, 1, 3).reshape(32, 32), np.ones((32, 32), np.float32)]
    results = run_calls(device, TILIZED, given, ttnn.bfloat16, [*INCLUDES, "tilize", "reduce"], in_dst=False)
    assert_all_exact(TILIZED, [np.asarray(result, np.float32) for result in results], [rows, given[1]])


def test_rows_that_do_not_exist(device: ttnn.Device) -> None:
    """Four rows of two faces of negative numbers, row after row in L1: a maximum with zeros is zero."""
    rows = -np.arange(1, 129, dtype=np.float32).reshape(4, 32)
    memory = np.full(1024, np.nan, np.float32)
    memory[:128] = rows.reshape(-1)
    tile = memory.reshape(2, 2, 16, 16).transpose(0, 2, 1, 3).reshape(32, 32)
    given = [tile, np.ones((32, 32), np.float32)]
    includes = [*INCLUDES, "tilize", "reduce"]
    results = run_calls(device, FILLS, given, ttnn.bfloat16, includes, in_dst=False, faces={0: (2, 4)})
    assert_all_exact(FILLS, [np.asarray(result, np.float32) for result in results], [rows, given[1]])


@pytest.mark.parametrize(("format_", "dtype"), [("Float32", ttnn.float32), ("Float16_b", ttnn.bfloat16)])
def test_triangles(device: ttnn.Device, format_: str, dtype: ttnn.DataType) -> None:
    generator = np.random.default_rng(4)
    given = [generator.integers(-3, 4, (32, 32)) / 16.0 for _ in range(2)]
    calls = TRIANGLES[format_]
    settings = WIDE if dtype == ttnn.float32 else {"fp32_dest_acc_en": True}
    results = run_calls(device, calls, [each.astype(np.float32) for each in given], dtype, INCLUDES, **settings)
    # A result of bfloat16 is rounded when it is packed.
    near = SUMMED if dtype == ttnn.float32 else 2.0**-8
    assert_all_near(calls, [np.asarray(result, np.float64) for result in results], given, near)


@pytest.mark.parametrize(
    "text",
    [
        "sfpu_reduce<PoolType::SUM, DataFormat::Float32, ReduceDim::REDUCE_COL>(0, 1, 2);",
        "sfpu_reduce<PoolType::MAX, DataFormat::Int32, ReduceDim::REDUCE_COL>(0, 1, 2);",
        "sfpu_reduce<PoolType::MAX, DataFormat::Float32, ReduceDim::REDUCE_COL>(0, 2, 1);",
    ],
)
def test_blocks_that_a_card_does_not_reduce_are_refused(device: ttnn.Device, text: str) -> None:
    with pytest.raises(KernelError, match=r"sfpu_reduce along columns of . x . tiles"):
        run_calls(device, [Call(text, down("SUM"))], values(5), ttnn.float32, INCLUDES, **WIDE)
