# SPDX-License-Identifier: Apache-2.0
"""Calls of the matrix unit, unpackers and packer that take a mode: every value of it, with results only it gives.

Operands are small whole numbers in bfloat16 (c_0, c_1) unless said otherwise, so results are exact.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.call_table import Call, assert_all_exact, run_calls
from tilewright import ttnn
from tilewright._errors import KernelError

INCLUDES = [
    "bcast",
    "eltwise_binary",
    "matmul",
    "reduce",
    "reduce_custom",
    "experimental/matmul_custom",
    "transpose",
    "transpose_dest",
    "eltwise_unary/fill",
]
FLOAT32_RESULTS = {"fp32_dest_acc_en": True, "result_dtype": ttnn.float32}
ACQUIRED = "compute_kernel_hw_startup(0, 1, 16);"


def faces_transposed(tile: np.ndarray) -> np.ndarray:
    """The four faces of a tile, each turned over."""
    return tile.reshape(2, 16, 2, 16).transpose(0, 3, 2, 1).reshape(32, 32)


def faces_exchanged(tile: np.ndarray) -> np.ndarray:
    """Faces one and two in each other's place."""
    return tile.reshape(2, 16, 2, 16).transpose(2, 1, 0, 3).reshape(32, 32)


def spread(tile: np.ndarray, dim: str, row: int = 0) -> np.ndarray:
    """A tile as the operand of a broadcast sees it."""
    parts = {"NONE": tile, "ROW": tile[row : row + 1], "COL": tile[:, :1], "SCALAR": tile[:1, :1]}
    return np.broadcast_to(parts[dim], (32, 32))


OPERATIONS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
}
BROADCASTS = ("ROW", "COL", "SCALAR")

TRANSPOSES = [
    Call(f"{ACQUIRED} copy_init(0, {faces}, {within}); copy_tile(0, 0, 0); copy_init(0);", expected)
    for faces, within, expected in [
        (0, 0, lambda a, b: a),
        (1, 0, lambda a, b: faces_exchanged(a)),
        (0, 1, lambda a, b: faces_transposed(a)),
        (1, 1, lambda a, b: a.T),
    ]
]
UNARY_BROADCASTS = [
    Call(
        f"{ACQUIRED} unary_bcast_init<BroadcastType::{dim}>(1); unary_bcast<BroadcastType::{dim}>(1, 0, 0);"
        f" unary_bcast_uninit<BroadcastType::{dim}>(1);",
        lambda a, b, dim=dim: spread(b, dim),
    )
    for dim in ("NONE", *BROADCASTS)
]
# The multiplier always adds to DST; the adder does if its init call has acc_to_dest.
ACCUMULATION = [
    Call(
        f"{ACQUIRED} {op}_init(0, 1, {flag}); {op}_tiles(0, 1, 0, 0, 0); {op}_tiles(0, 1, 0, 0, 0);",
        lambda a, b, function=function, factor=factor: factor * function(a, b),
    )
    for op, function, flag, factor in [
        ("add", np.add, "false", 1),
        ("add", np.add, "true", 2),
        ("sub", np.subtract, "false", 1),
        ("sub", np.subtract, "true", 2),
        ("mul", np.multiply, "false", 2),
        ("mul", np.multiply, "true", 2),
    ]
]
# Without the unpackers' half an init call leaves the operands' broadcast unchanged.
ACCUMULATION += [
    Call(
        f"{ACQUIRED} {setting} binary_tiles_init<{full}, EltwiseBinaryType::ELW{op}>(0, 1, {flag});"
        f" {op.lower()}_tiles(0, 1, 0, 0, 0); {op.lower()}_tiles(0, 1, 0, 0, 0);",
        lambda a, b, op=op, factor=factor: factor * OPERATIONS[op.lower()](a, b),
    )
    for setting, full in (("", "true"), ("add_init(0, 1);", "false"))
    for op, flag, factor in [("ADD", "true", 2), ("ADD", "false", 1), ("SUB", "true", 2), ("MUL", "true", 2)]
]
BROADCAST_OPERATIONS = [
    Call(
        f"{ACQUIRED} {op}_bcast_{name}_init(0, 1); {op}_tiles_bcast<BroadcastType::{dim}>(0, 1, 0, 0, 0);",
        lambda a, b, op=op, dim=dim: OPERATIONS[op](a, spread(b, dim)),
    )
    for op in OPERATIONS
    for dim, name in (("ROW", "rows"), ("COL", "cols"), ("SCALAR", "scalar"))
]
BROADCAST_OPERATIONS += [
    Call(
        f"{ACQUIRED} bcast_init<EltwiseBinaryType::ELW{op.upper()}, BroadcastType::{dim}>(0, 1);"
        f" any_tiles_bcast<EltwiseBinaryType::ELW{op.upper()}, BroadcastType::{dim}>(0, 1, 0, 0, 0);",
        lambda a, b, op=op, dim=dim: OPERATIONS[op](a, spread(b, dim)),
    )
    for op in OPERATIONS
    for dim in ("NONE", *BROADCASTS)
]
BROADCAST_OPERATIONS += [
    Call(
        f"{ACQUIRED} {op}_bcast_rows_init(0, 1); {op}_tiles_bcast_rows(0, 1, 0, 0, 0, {row});",
        lambda a, b, op=op, row=row: OPERATIONS[op](a, spread(b, "ROW", row)),
    )
    for op in OPERATIONS
    for row in (5, 21)
]
REUSES = [
    Call(
        f"{ACQUIRED} copy_init(1); copy_tile(1, 0, 0);"
        f" {op}_reuse_dest_init<EltwiseBinaryReuseDestType::DEST_TO_{side}>(0);"
        f" {op}_reuse_dest_tiles<EltwiseBinaryReuseDestType::DEST_TO_{side}>(0, 0, 0);",
        lambda a, b, op=op, first=side == "SRCA": OPERATIONS[op](b, a) if first else OPERATIONS[op](a, b),
    )
    for op in OPERATIONS
    for side in ("SRCA", "SRCB")
]


def reduced(pool: str, dim: str) -> Callable[..., np.ndarray]:
    """Sums with a scaler of two, maxima with one: what lies beside the result is zero, the reduce mask sees to it."""
    pools: dict[str, Callable] = {"SUM": np.sum, "AVG": np.sum, "MAX": np.max}
    axis = {"ROW": 1, "COL": 0, "SCALAR": (0, 1)}[dim]
    # A whole tile is reduced in two steps, each with the scaler.
    factor = 1 if pool == "MAX" else 4 if dim == "SCALAR" else 2

    def expected(a: np.ndarray, *scalers: np.ndarray) -> np.ndarray:
        result = np.zeros((32, 32))
        values = pools[pool](a, axis=axis, keepdims=True) * factor
        result[: values.shape[0], : values.shape[1]] = values
        return result

    return expected


REDUCTIONS = [
    Call(
        f"{ACQUIRED} reduce_init<PoolType::{pool}, ReduceDim::REDUCE_{dim}>(0, {scaler}, 16);"
        f" reduce_tile<PoolType::{pool}, ReduceDim::REDUCE_{dim}>(0, {scaler}, 0, 0, 0);",
        reduced(pool, dim),
    )
    for pool, scaler in (("SUM", 1), ("AVG", 1), ("MAX", 2))
    for dim in ("ROW", "COL", "SCALAR")
]
REDUCTIONS += [
    Call(
        f"{ACQUIRED} reduce_init<PoolType::{pool}, ReduceDim::REDUCE_{dim}>(0, {scaler}, 16);"
        f" reduce_block<PoolType::{pool}, ReduceDim::REDUCE_{dim}>(0, {scaler}, 0, 0, 0, 1);",
        reduced(pool, dim),
    )
    for pool, scaler in (("SUM", 1), ("AVG", 1), ("MAX", 2))
    for dim in ("ROW", "COL", "SCALAR")
]
REDUCTIONS += [
    Call(
        f"{ACQUIRED} {init} {call}",
        reduced("MAX", "ROW"),
    )
    for init, call in [
        ("reduce_block_max_row_init<1>(16);", "reduce_block_max_row<1>(0, 2, 0, 0);"),
        ("reduce_block_max_row_init<1, true>(16);", "reduce_block_max_row<1, true>(0, 2, 0, 0);"),
        (
            "reduce_block_max_row_init_runtime(16, 1, 0, 0, true);",
            "reduce_block_max_row_runtime(0, 2, 0, 0, true, false);",
        ),
        (
            "reduce_block_max_row_init_runtime(16, 1, 0, 0, false);",
            "reduce_block_max_row_runtime(0, 2, 0, 0, false, true);",
        ),
    ]
]


# Of a row of tiles.
ROWS_OF_TILES = [
    Call(
        f"{ACQUIRED} reduce_block_max_row_init<{tiles}>(16); reduce_block_max_row<{tiles}>(0, 1, {first}, 0);",
        lambda a, b, part=np.s_[:, 32 * first : 32 * (first + tiles)]: a[part].max(1, keepdims=True),
    )
    for tiles, first in ((1, 0), (1, 1), (2, 0), (3, 0))
]


def high_part(values: np.ndarray, bits: int) -> np.ndarray:
    """Bits of a number that the multiplier takes in one pass: so many bits from its leading one."""
    lost = np.uint32((1 << 24 - bits) - 1)
    return (values.astype(np.float32).view(np.uint32) & ~lost).view(np.float32).astype(np.float64)


def in_phases(phases: int) -> Callable[..., np.ndarray]:
    """A product with so many fidelity phases: SrcA, the second operand, is taken 5 bits at a time, SrcB 7."""

    def expected(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        high = {"a": high_part(b, 5), "b": high_part(a, 7)}
        low = {"a": b - high["a"], "b": a - high["b"]}
        parts = [("high", "high"), ("low", "high"), ("high", "low"), ("low", "low")][:phases]
        take = {"high": high, "low": low}
        return np.sum([take[of_b]["b"] @ take[of_a]["a"] for of_a, of_b in parts], axis=0)

    return expected


FIDELITIES = [
    Call(
        "compute_kernel_hw_startup<SrcOrder::Reverse>(0, 1, 16);"
        f" {name}<MathFidelity::{fidelity}>(0, 1, false);"
        f" matmul_block_no_mop_fidelity<MathFidelity::{fidelity}>(0, 1, 0, 0, 0, false, 1, 1, 1);",
        in_phases(phases),
    )
    for name in ("mm_no_mop_init_short_fidelity", "mm_no_mop_reinit_short_fidelity")
    for fidelity, phases in (("LoFi", 1), ("HiFi2", 2), ("HiFi3", 3), ("HiFi4", 4))
]
# c_0 holds bfloat16s, c_1 float32s: operands unpacked in the other's format give other values.
ORDERS = [
    Call(
        f"{text} matmul_init(0, 1); matmul_tiles(0, 1, 0, 0, 0);",
        lambda a, b: a @ b,
    )
    for text in [
        "compute_kernel_hw_startup<SrcOrder::Reverse>(0, 1, 16);",
        "compute_kernel_hw_startup<SrcOrder::Regular>(1, 0, 16);",
        *(
            f"compute_kernel_hw_startup(0, 0, 16); {name}<SrcOrder::{order}>({arguments});"
            for name in ("reconfig_data_format", "reconfig_data_format_skip_int8", "reconfig_full_operand")
            for order, arguments in [
                ("Reverse", "0, 1"),
                ("Regular", "1, 0"),
                ("Reverse", "0, 0, 0, 1"),
                ("Regular", "0, 1, 0, 0"),
            ]
        ),
        *(
            "compute_kernel_hw_startup<SrcOrder::Reverse>(0, 1, 16);"
            f" reconfig_tile_shape<SrcOrder::{order}>({arguments});"
            for order, arguments in [("Reverse", "0, 1"), ("Regular", "1, 0")]
        ),
    ]
]
PRODUCTS = [
    Call(
        "compute_kernel_hw_startup<SrcOrder::Reverse>(0, 1, 16);"
        f" matmul_init(0, 1, {flag}); matmul_tiles(0, 1, 0, 0, 0);",
        lambda a, b, turned=flag: a @ (b.T if turned else b),
    )
    for flag in (0, 1)
]
PRODUCTS += [
    Call(
        f"{ACQUIRED} matmul_block_init(0, 1, {flag}, 1, 1, 1); matmul_block(0, 1, 0, 0, 0, {flag}, 1, 1, 1);",
        lambda a, b, turned=flag: a @ (b.T if turned else b),
    )
    for flag in (0, 1)
]
PRODUCTS += [
    Call(
        f"{ACQUIRED} {init}(0, 1, {flag}); matmul_block_no_mop(0, 1, 0, 0, 0, {flag}, 1, 1, 1);",
        lambda a, b, turned=flag == "true": a @ (b.T if turned else b),
    )
    for init in ("mm_no_mop_init_short", "mm_no_mop_reinit_short")
    for flag in ("true", "false")
]
PRODUCTS += [
    Call(
        f"{ACQUIRED} {init}<MathFidelity::HiFi4>(0, 1, {flag});"
        f" matmul_block_no_mop_fidelity<MathFidelity::HiFi4>(0, 1, 0, 0, 0, {flag}, 1, 1, 1);",
        lambda a, b, turned=flag == "true": a @ (b.T if turned else b),
    )
    for init in ("mm_no_mop_init_short_fidelity", "mm_no_mop_reinit_short_fidelity")
    for flag in ("true", "false")
]
PLAIN = [
    *TRANSPOSES,
    *UNARY_BROADCASTS,
    *ACCUMULATION,
    *BROADCAST_OPERATIONS,
    *REUSES,
]
# Of tiles in DST: 16-bit words in 16-bit DST, all 32 bits of them in 32-bit DST.
TURNS = [
    Call("transpose_dest_init<false>(); transpose_dest<false>(0);", lambda a, b: a.T),
    Call("transpose_dest_init<false, true>(); transpose_dest<false, true>(1);", lambda a, b: b.T, 1),
]
WIDE_TURNS = [
    Call("transpose_dest_init<true>(); transpose_dest<true>(0);", lambda a, b: a.T),
    Call("transpose_dest_init<true, true>(); transpose_dest<true, true>(1);", lambda a, b: b.T, 1),
    Call("transpose_dest_init<true, false>(); transpose_dest<true, false>(0);", lambda a, b: faces_transposed(a)),
]
# Through SrcB a word of 32 bits keeps 19.
CUT_TURNS = [
    Call(
        f"transpose_dest_init<{arguments}>(); transpose_dest<{arguments}>(0);",
        lambda a, b: (a.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32).T,
    )
    for arguments in ("false", "false, true")
]
REFUSED = [
    (
        Call(
            "reduce_init<PoolType::MIN, ReduceDim::REDUCE_COL>(0, 1, 16);"
            " reduce_tile<PoolType::MIN, ReduceDim::REDUCE_COL>(0, 1, 0, 0, 0);",
            np.add,
        ),
        "MIN",
    ),
    (
        Call("transpose_dest_init<true>(); transpose_dest<true>(0);", np.add),
        "is_32bit moves words of 32 bits, and DST has 16",
    ),
    (Call("transpose_dest_init<true, false>(); transpose_dest<true, false>(0);", np.add), "DST has 16 here"),
    (
        Call("mac_tile_init<DataFormat::Float16_b>(); mac_tile<DataFormat::Float16_b>(1, 0, 2, 1);", np.add),
        "it always takes DST tiles 0, 1 and 2",
    ),
    *(
        (
            Call(f"tile_regs_commit(); tile_regs_wait(); pack_untilize_dest_init<1>(16); {text}", np.add),
            f"pack_untilize_dest with {what} is not simulated",
        )
        for text, what in [
            ("pack_untilize_dest<1, 1, false, true, 8>(16, 1, 1);", "narrow_row and a block_c_index"),
            ("pack_untilize_dest<1, 1, true>(16);", "diagonal or dense"),
            ("pack_untilize_dest<1, 1, false, false, TILE_C_DIM, 0, true>(16);", "diagonal or dense"),
        ]
    ),
]
CALLS = [
    *PLAIN,
    *REDUCTIONS,
    *ROWS_OF_TILES,
    *PRODUCTS,
    *FIDELITIES,
    *ORDERS,
    *TURNS,
    *WIDE_TURNS,
    *CUT_TURNS,
    *(call for call, _ in REFUSED),
]


def whole_numbers(seed: int, low: int = -3, high: int = 4) -> list[np.ndarray]:
    generator = np.random.default_rng(seed)
    return [generator.integers(low, high, (32, 32)).astype(np.float32) for _ in range(2)]


def as_floats(results: list[np.ndarray]) -> list[np.ndarray]:
    return [np.asarray(result, np.float32) for result in results]


def test_transposes_broadcasts_accumulation_and_operands_of_dst(device: ttnn.Device) -> None:
    given = whole_numbers(1)
    results = run_calls(device, PLAIN, given, ttnn.bfloat16, INCLUDES, in_dst=False)
    assert_all_exact(PLAIN, as_floats(results), given)


def test_reductions(device: ttnn.Device) -> None:
    """AVG is a sum: the scaler has the division in it."""
    given = [whole_numbers(2, -2, 3)[0], *(np.full((32, 32), value, np.float32) for value in (2, 1))]
    results = run_calls(device, REDUCTIONS, given, ttnn.bfloat16, INCLUDES, in_dst=False, fp32_dest_acc_en=True)
    assert_all_exact(REDUCTIONS, as_floats(results), given)


def test_maxima_of_rows_of_tiles(device: ttnn.Device) -> None:
    row = np.random.default_rng(9).integers(-99, 100, (32, 96)).astype(np.float32)
    given = [row, np.ones((32, 32), np.float32)]
    results = run_calls(device, ROWS_OF_TILES, given, ttnn.bfloat16, INCLUDES, in_dst=False)
    assert_all_exact(ROWS_OF_TILES, as_floats(results), given)


def test_products(device: ttnn.Device) -> None:
    given = whole_numbers(3)
    results = run_calls(device, PRODUCTS, given, ttnn.bfloat16, INCLUDES, in_dst=False, fp32_dest_acc_en=True)
    assert_all_exact(PRODUCTS, as_floats(results), given)


def test_tiles_of_dst_are_turned(device: ttnn.Device) -> None:
    given = whole_numbers(4)
    results = run_calls(device, TURNS, given, ttnn.bfloat16, INCLUDES)
    assert_all_exact(TURNS, as_floats(results), given)
    words = [np.random.default_rng(4).integers(-(2**31), 2**31, (32, 32)).astype(np.int32) for _ in range(2)]
    wide = {"fp32_dest_acc_en": True, "unpack_to_dest": (0, 1)}
    assert_all_exact(WIDE_TURNS, run_calls(device, WIDE_TURNS, words, ttnn.int32, INCLUDES, **wide), words)
    values = [np.random.default_rng(5).uniform(-4, 4, (32, 32)).astype(np.float32) for _ in range(2)]
    assert_all_exact(CUT_TURNS, run_calls(device, CUT_TURNS, values, ttnn.float32, INCLUDES, **wide), values)


@pytest.mark.parametrize(("call", "words"), REFUSED, ids=range(len(REFUSED)))
def test_modes_that_a_card_or_the_engine_does_not_have(device: ttnn.Device, call: Call, words: str) -> None:
    includes = [*INCLUDES, "eltwise_unary/mac", "pack_untilize"]
    with pytest.raises(KernelError, match=words):
        run_calls(device, [call], whole_numbers(6), ttnn.bfloat16, includes)


def test_fidelities(device: ttnn.Device) -> None:
    """Bfloat16s of 8 bits with sums that float32 holds: the phases left out are all that is missing."""
    generator = np.random.default_rng(7)
    given = [generator.integers(128, 256, (32, 32)).astype(np.float32) for _ in range(2)]
    results = run_calls(device, FIDELITIES, given, ttnn.bfloat16, INCLUDES, in_dst=False, **FLOAT32_RESULTS)
    assert_all_exact(FIDELITIES, as_floats(results), given)


def test_orders_of_operands(device: ttnn.Device) -> None:
    given = whole_numbers(8)
    dtypes = [ttnn.bfloat16, ttnn.float32]
    results = run_calls(device, ORDERS, given, dtypes, INCLUDES, in_dst=False, **FLOAT32_RESULTS)
    assert_all_exact(ORDERS, as_floats(results), given)
