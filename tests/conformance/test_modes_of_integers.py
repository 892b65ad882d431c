# SPDX-License-Identifier: Apache-2.0
"""Calls of the vector unit that take the format of integers: every function with every format, exactly."""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np

from tests.call_table import Call, assert_all_exact, run_calls
from tilewright import ttnn

INCLUDES = [
    "add_int_sfpu",
    "sub_int_sfpu",
    "mul_int_sfpu",
    "binary_comp",
    "binary_bitwise_sfpu",
    "binary_shift",
    "copy_dest_values",
    "eltwise_unary/bitwise",
    "eltwise_unary/shift",
    "eltwise_unary/fill",
    "eltwise_unary/logical_not",
    "eltwise_unary/where",
]
TYPES = {"Int32": np.int32, "UInt32": np.uint32, "UInt16": np.uint16}
ARITHMETIC: dict[str, Callable] = {
    "add": operator.add,
    "sub": operator.sub,
    "rsub": lambda a, b: b - a,
    "mul": operator.mul,
}
COMPARISONS = ("eq", "ne", "lt", "gt", "le", "ge")
BITWISE: dict[str, Callable] = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}
SCALAR = 0x00F0_5A3C


def _words(array: np.ndarray, kind: type) -> np.ndarray:
    return array.astype(np.uint32).astype(kind)


def _shifted(a: np.ndarray, by: np.ndarray, shift: Callable, beyond: Callable) -> np.ndarray:
    """``beyond`` says what a shift by less than 0 or more than 31 gives."""
    by = by.astype(np.int32)
    inside = (by >= 0) & (by < 32)
    return np.where(inside, shift(a, np.where(inside, by, 0).astype(a.dtype)), beyond(a)).astype(a.dtype)


def _nothing(a: np.ndarray) -> np.ndarray:
    return np.zeros_like(a)


def calls_of(format_: str) -> list[Call]:
    """Operands are a, b and shifts c. Words of 16 bits are widened by the unpacker, and cut by the packer."""
    kind = TYPES[format_]
    name = f"DataFormat::{format_}"

    def whole(function: Callable) -> Callable[..., np.ndarray]:
        return lambda a, b, c: function(_words(a, kind), _words(b, kind))

    def shifted(shift: Callable, beyond: Callable = _nothing) -> Callable[..., np.ndarray]:
        # A word of 16 bits has no sign, and is shifted as one of 32.
        wide = np.uint32 if kind is np.uint16 else kind
        return lambda a, b, c: _shifted(_words(a, wide), c, shift, beyond).astype(kind)

    def logical(a: np.ndarray, by: np.ndarray) -> np.ndarray:
        return (a.astype(np.uint32) >> by.astype(np.uint32)).astype(a.dtype)

    def beyond_right(a: np.ndarray) -> np.ndarray:
        return logical(a, np.full(a.shape, 31)) if format_ == "UInt32" else _nothing(a)

    calls = [
        Call(f"{op}_int_tile_init(); {op}_int_tile<{name}>(0, 1, 0);", whole(function))
        for op, function in ARITHMETIC.items()
        if op != "mul"
    ]
    calls += [Call(f"mul_int_tile_init<{name}>(); mul_int_tile<{name}>(0, 1, 0);", whole(operator.mul))]
    calls += [
        Call(f"{op}_int_tile_init<{name}>(); {op}_int_tile<{name}>(0, 1, 0);", whole(getattr(operator, op)))
        for op in COMPARISONS
    ]
    calls += [
        Call(f"binary_bitwise_tile_init(); bitwise_{op}_binary_tile<{name}>(0, 1, 0);", whole(function))
        for op, function in BITWISE.items()
    ]
    calls += [
        Call(
            f"bitwise_{op}_tile_init(); bitwise_{op}_tile<{name}>(0, {SCALAR}u);",
            whole(lambda a, b, function=function: function(a, np.uint32(SCALAR).astype(kind))),
        )
        for op, function in BITWISE.items()
    ]
    calls += [
        Call(f"binary_shift_tile_init(); binary_left_shift_tile<{name}>(0, 2, 0);", shifted(np.left_shift)),
        Call(
            f"binary_shift_tile_init(); binary_right_shift_tile<{name}>(0, 2, 0);",
            shifted(np.right_shift, beyond_right),
        ),
        Call(f"binary_shift_tile_init(); binary_logical_right_shift_tile<{name}>(0, 2, 0);", shifted(logical)),
        Call(f"left_shift_tile_init(); left_shift_tile<{name}>(0, 3u);", whole(lambda a, b: a << kind(3))),
        Call(f"left_shift_tile_init(); left_shift_tile<{name}>(0, 40u);", whole(lambda a, b: _nothing(a))),
        Call(f"right_shift_tile_init(); right_shift_tile<{name}>(0, 3u);", whole(lambda a, b: a >> kind(3))),
        Call(
            f"right_shift_tile_init(); right_shift_tile<{name}>(0, 40u);",
            whole(lambda a, b: a >> kind(31) if kind is not np.uint16 else _nothing(a)),
        ),
        Call(
            f"fill_tile_init(); fill_tile_int<{name}>(0, {SCALAR}u);",
            whole(lambda a, b: np.full_like(a, np.uint32(SCALAR).astype(kind))),
        ),
        Call(f"logical_not_tile_init(); logical_not_tile<{name}>(0);", whole(lambda a, b: a == 0)),
        Call(f"copy_dest_values_init(); copy_dest_values<{name}>(1, 0);", whole(lambda a, b: b)),
    ]
    if format_ == "UInt32":  # the older spelling
        calls += [
            Call("binary_left_shift_uint32_tile<false>(0, 2, 0);", shifted(np.left_shift)),
            Call("binary_right_shift_uint32_tile<false>(0, 2, 0);", shifted(np.right_shift, beyond_right)),
            Call("binary_logical_right_shift_uint32_tile<false>(0, 2, 0);", shifted(logical)),
        ]
    if kind is not np.uint16:  # the only one that has no 16-bit integers
        calls.append(
            Call(
                f"where_tile_init(); where_tile<{name}>(0, 1, 2, 0);",
                lambda a, b, c: np.where(a != 0, _words(b, kind), _words(c, kind)),
            )
        )
    return calls


CALLS = [call for format_ in TYPES for call in calls_of(format_)]


def operands_of(kind: type) -> list[np.ndarray]:
    generator = np.random.default_rng(11)
    limits = np.iinfo(np.uint16 if kind is np.uint16 else np.int32)
    corners = np.array([0, 1, limits.min, limits.max, limits.max - 1, limits.min + 1, 2, 3, 0x100, 0x7FFF])
    a = generator.integers(limits.min, limits.max, 1024, endpoint=True)
    b = generator.integers(limits.min, limits.max, 1024, endpoint=True)
    a[:100], b[:100] = np.repeat(corners, 10), np.tile(corners, 10)
    b[100:300] = a[100:300]
    shifts = np.resize(np.arange(0 if kind is np.uint16 else -4, 41), 1024)
    store = np.uint16 if kind is np.uint16 else np.int32
    return [values.astype(store).reshape(32, 32) for values in (a, b, shifts)]


def test_integers_of_32_bits(device: ttnn.Device) -> None:
    operands = operands_of(np.int32)
    calls = calls_of("Int32") + calls_of("UInt32")
    results = run_calls(device, calls, operands, ttnn.int32, INCLUDES, fp32_dest_acc_en=True, unpack_to_dest=(0, 1, 2))
    assert_all_exact(calls, results, operands)


def test_integers_of_16_bits(device: ttnn.Device) -> None:
    operands = operands_of(np.uint16)
    calls = calls_of("UInt16")
    results = run_calls(device, calls, operands, ttnn.uint16, INCLUDES)
    assert_all_exact(calls, results, operands)
