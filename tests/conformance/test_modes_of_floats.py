# SPDX-License-Identifier: Apache-2.0
"""Element-wise calls of the vector unit that take a mode: every value of it, with results only that value gives.

Approximate forms are computed like the accurate ones (docs/numerics.md), so a flag that asks for one makes no
difference: all its values must give the same bits, and these the function in float64.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from tests.call_table import Call, assert_all_exact, assert_all_near, run_calls
from tilewright import ttnn

INCLUDES = [
    "compute_kernel_api",
    "eltwise_binary_sfpu",
    "binary_max_min",
    "isclose",
    "mask",
    "copy_dest_values",
    "eltwise_unary/exp",
    "eltwise_unary/erf_erfc",
    "eltwise_unary/gelu",
    "eltwise_unary/log1p",
    "eltwise_unary/mish",
    "eltwise_unary/recip",
    "eltwise_unary/rsqrt",
    "eltwise_unary/sqrt",
    "eltwise_unary/tanh_derivative",
    "eltwise_unary/rdiv",
    "eltwise_unary/rpow",
    "eltwise_unary/where",
    "eltwise_unary/logical_not",
    "eltwise_unary/addcmul",
    "eltwise_unary/addcdiv",
    "eltwise_unary/lerp",
    "eltwise_unary/mac",
    "eltwise_unary/snake_beta",
]
WIDE = {"fp32_dest_acc_en": True, "unpack_to_dest": (0, 1, 2)}
# A function is within about one unit of float32's last place, and made of a few steps at most.
FEW_UNITS = 2.0**-20

_erf = np.vectorize(math.erf)
_erfc = np.vectorize(math.erfc)


def _normal_share(x: np.ndarray) -> np.ndarray:
    return 0.5 * _erfc(-x / math.sqrt(2))


def _gelu_tanh(x: np.ndarray) -> np.ndarray:
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def _gelu_derivative(x: np.ndarray) -> np.ndarray:
    return _normal_share(x) + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


# Operands of these: x of both signs in DST 0, y > 0 in DST 1, z in DST 2.
def of_x(function: Callable[[np.ndarray], np.ndarray]) -> Callable[..., np.ndarray]:
    return lambda x, y, z: function(x)


def of_y(function: Callable[[np.ndarray], np.ndarray]) -> Callable[..., np.ndarray]:
    return lambda x, y, z: function(y)


# Calls whose flag asks for an approximate form: the values in one row give the same bits.
APPROXIMATE: list[list[Call]] = [
    [Call(f"{init}<{flag}>(); {name}<{flag}>({dst});", expected, dst) for flag in ("true", "false")]
    for init, name, dst, expected in [
        ("tanh_tile_init", "tanh_tile", 0, of_x(np.tanh)),
        ("log_tile_init", "log_tile", 1, of_y(np.log)),
        ("log1p_tile_init", "log1p_tile", 1, of_y(np.log1p)),
        ("expm1_tile_init", "expm1_tile", 0, of_x(np.expm1)),
        ("erf_tile_init", "erf_tile", 0, of_x(_erf)),
        ("erfc_tile_init", "erfc_tile", 0, of_x(_erfc)),
        ("gelu_tile_init", "gelu_tile", 0, of_x(lambda x: x * _normal_share(x))),
        ("gelu_derivative_tile_init", "gelu_derivative_tile", 0, of_x(_gelu_derivative)),
        ("mish_tile_init", "mish_tile", 0, of_x(lambda x: x * np.tanh(np.log1p(np.exp(x))))),
        ("sqrt_tile_init", "sqrt_tile", 1, of_y(np.sqrt)),
        ("tanh_derivative_tile_init", "tanh_derivative_tile", 0, of_x(lambda x: np.cosh(x) ** -2.0)),
    ]
]
APPROXIMATE += [
    [
        Call(f"sigmoid_tile_init<{flag}>(); sigmoid_tile<VectorMode::RC, {flag}>(0);", of_x(_sigmoid))
        for flag in ("true", "false")
    ],
    [
        Call(f"gelu_tanh_tile_init<{flag}>(); gelu_tanh_tile<true, {flag}>(0);", of_x(_gelu_tanh))
        for flag in ("true", "false")
    ],
    [
        Call(
            f"log_with_base_tile_init<{flag}>(); log_with_base_tile<{flag}, false>(1, 0x3ede5bd9u);",
            of_y(lambda y: np.log(y) * float(np.uint32(0x3EDE5BD9).view(np.float32))),
            1,
        )
        for flag in ("true", "false")
    ],
    [
        Call(f"log_with_base_tile_init<{flag}>(); log_with_base_tile<{flag}, true>(1, 0x3fb8aa3bu);", of_y(np.log2), 1)
        for flag in ("true", "false")
    ],
    [
        Call(f"rsqrt_tile_init(); rsqrt_tile<RsqrtMode::{mode}>(1);", of_y(lambda y: y**-0.5), 1)
        for mode in ("Default", "Fast")
    ],
    [
        Call(f"recip_tile_init<{width}, {mode}>(); recip_tile<{width}, {mode}>(0);", of_x(lambda x: 1 / x))
        for width in ("ReciprocalDestAcc::FP32",)
        for mode in (f"ReciprocalApproxMode::{name}" for name in ("Default", "Precise", "Approximate"))
    ],
    # The same on the pack thread.
    *(
        [
            Call("", expected, 0, before_pack=f"{name}_tile_init_pack<{flag}>(); {name}_tile_pack<{more}{flag}>(0);")
            for flag in ("true", "false")
        ]
        for name, more, expected in [
            ("sigmoid", "VectorMode::RC, ", of_x(_sigmoid)),
            ("tanh", "", of_x(np.tanh)),
            ("gelu", "", of_x(lambda x: x * _normal_share(x))),
            ("gelu_tanh", "true, ", of_x(_gelu_tanh)),
        ]
    ),
]


def in_faces(mode: str, function: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """The first operand, changed in the faces of a vector mode."""
    faces = {"None": [0], "R": [0, 1], "C": [0, 2], "RC": [0, 1, 2, 3]}[mode]

    def expected(*operands: np.ndarray) -> np.ndarray:
        result, changed = operands[0].copy(), function(*operands)
        for face in faces:
            part = np.s_[face // 2 * 16 : face // 2 * 16 + 16, face % 2 * 16 : face % 2 * 16 + 16]
            result[part] = changed[part]
        return result

    return expected


VECTOR_MODES = [
    Call(text.replace("MODE", f"VectorMode::{mode}"), in_faces(mode, function))
    for mode in ("None", "R", "C", "RC")
    for text, function in [
        ("recip_tile_init(); recip_tile(0, MODE);", of_x(lambda x: 1 / x)),
        ("rdiv_tile_init(); rdiv_tile(0, 0x40a00000u, MODE);", of_x(lambda x: 5 / x)),
        ("rpow_tile_init(); rpow_tile(0, 0x40400000u, MODE);", of_x(lambda x: 3**x)),
        ("exp_tile_init(); exp_tile(0, MODE);", of_x(np.exp)),
        ("sigmoid_tile_init(); sigmoid_tile<MODE>(0);", of_x(_sigmoid)),
        ("binary_max_tile_init(); binary_max_tile(0, 1, 0, MODE);", lambda x, y, z: np.maximum(x, y)),
        ("binary_min_tile_init(); binary_min_tile(0, 1, 0, MODE);", lambda x, y, z: np.minimum(x, y)),
    ]
]
VECTOR_MODES += [
    Call(
        "",
        in_faces(mode, of_x(function)),
        before_pack=text.replace("MODE", f"VectorMode::{mode}"),
    )
    for mode in ("None", "R", "C", "RC")
    for text, function in [
        ("sigmoid_tile_init_pack(); sigmoid_tile_pack<MODE>(0);", _sigmoid),
        ("exp_packthread_tile_init(); exp_packthread_tile(0, MODE);", np.exp),
    ]
]


# Blackhole has these, Wormhole does not.
GATED = [
    Call(text.replace("MODE", f"VectorMode::{mode}"), in_faces(mode, function))
    for mode in ("None", "R", "C", "RC")
    for text, function in [
        (
            "clamped_silu_glu_tile_init(); clamped_silu_glu_tile(0, 1, 0, MODE);",
            lambda x, y, z: np.minimum(x, 10) * _sigmoid(np.minimum(x, 10)) * np.clip(y, -10, 10),
        ),
        (
            "situ_glu_tile_init(); situ_glu_tile(0, 1, 0, MODE);",
            lambda x, y, z: 4 * np.tanh(x / 4) * _sigmoid(x) * 25 * np.tanh(y / 25),
        ),
    ]
]


def first_rows(rows: int, function: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """The first operand, changed in the first rows of each face."""

    def expected(*operands: np.ndarray) -> np.ndarray:
        return np.where((np.arange(32) % 16 < rows)[:, None], function(*operands), operands[0])

    return expected


# Half as bfloat16 is 0x3f00. The approximate form has the scale of its init call, whatever the call's own says.
EXPONENTIALS = [
    Call(f"{init}(); {call}", expected)
    for init, call, expected in [
        ("exp_tile_init", "exp_tile<false, false>(0);", of_x(np.exp)),
        ("exp_tile_init", "exp_tile<false, true>(0, VectorMode::RC, 0x3f00);", of_x(lambda x: np.exp(x / 2))),
        ("exp_tile_init", "exp_tile<false, false>(0, VectorMode::RC, 0x3f00);", of_x(np.exp)),
        ("exp_tile_init<true, 0x40000000u>", "exp_tile<true, false>(0);", of_x(lambda x: np.exp(2 * x))),
        (
            "exp_tile_init<true, 0x40000000u>",
            "exp_tile<true, true>(0, VectorMode::RC, 0x3f00);",
            of_x(lambda x: np.exp(2 * x)),
        ),
        (
            "exp_tile_init<true, 0x40000000u, InputClamping::None>",
            "exp_tile<true, false, InputClamping::None>(0);",
            of_x(lambda x: np.exp(2 * x)),
        ),
        (
            "exp_tile_init<false, 0x3f800000u, InputClamping::None>",
            "exp_tile<false, false, InputClamping::None>(0);",
            of_x(np.exp),
        ),
        # A vector is four rows and every other column of a face.
        (
            "exp_tile_init",
            "exp_tile<false, false, InputClamping::ClampToNegative, 2>(0);",
            first_rows(4, of_x(np.exp)),
        ),
        (
            "exp_tile_init",
            "exp_tile<false, false, InputClamping::None, 4>(0);",
            first_rows(8, of_x(np.exp)),
        ),
        # The clamping form of the approximation is written out for whole faces.
        (
            "exp_tile_init<true>",
            "exp_tile<true, false, InputClamping::ClampToNegative, 2>(0);",
            of_x(np.exp),
        ),
    ]
]
EXPONENTIALS += [
    Call("", expected, before_pack=f"{init}(); {call}")
    for init, call, expected in [
        (
            "exp_packthread_tile_init<true, 0x40000000u, InputClamping::None>",
            "exp_packthread_tile<true, false, InputClamping::None>(0);",
            of_x(lambda x: np.exp(2 * x)),
        ),
        (
            "exp_packthread_tile_init",
            "exp_packthread_tile<false, false, InputClamping::None, 8>(0);",
            of_x(np.exp),
        ),
        (
            "exp_packthread_tile_init<false, 0x3f800000u, InputClamping::ClampToNegative>",
            "exp_packthread_tile<false, true, InputClamping::ClampToNegative, 2>(0, VectorMode::RC, 0x3f00);",
            first_rows(4, of_x(lambda x: np.exp(x / 2))),
        ),
    ]
]


def _half_masked(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    return np.where(b == 0, 0, a)


# Operands of these are small whole numbers, some of b zero, so that every step of every form is exact.
EXACT = [
    Call("rdiv_tile_init(); rdiv_tile<RoundingMode::None>(2, 0x41100000u);", lambda a, b, c: 9 / c, 2),
    Call("rdiv_tile_init(); rdiv_tile<RoundingMode::Trunc>(2, 0x41100000u);", lambda a, b, c: np.trunc(9 / c), 2),
    Call("rdiv_tile_init(); rdiv_tile<RoundingMode::Floor>(2, 0x41100000u);", lambda a, b, c: np.floor(9 / c), 2),
    Call("mask_tile_init(); mask_tile(0, 1, DataFormat::Float16_b);", _half_masked),
    Call("mask_tile_init(); mask_tile(0, 1, DataFormat::Float16);", _half_masked),
    Call("mask_tile_init(); mask_tile(0, 1, DataFormat::Int32);", _half_masked),
    Call("mask_tile_init(); mask_tile(0, 1, DataFormat::Float32);", lambda a, b, c: a),  # a card has no such mask
    *(
        Call(f"where_tile_init(); where_tile<DataFormat::{name}>(1, 0, 2, 0);", lambda a, b, c: np.where(b != 0, a, c))
        for name in ("Float32", "Float16_b")
    ),
    *(
        Call(f"logical_not_tile_init(); logical_not_tile<DataFormat::{name}>(1);", lambda a, b, c: b == 0, 1)
        for name in ("Float32", "Float16_b", "Bfp8_b", "Bfp4_b")
    ),
    *(
        Call(f"copy_dest_values_init(); copy_dest_values<DataFormat::{name}>(2, 0);", lambda a, b, c: c)
        for name in ("Float32", "Float16_b")
    ),
    *(
        Call(
            f"addcmul_tile_init(); addcmul_tile<DataFormat::{name}>(0, 1, 2, 0, 0x40000000u);",
            lambda a, b, c: a + 2 * b * c,
        )
        for name in ("Float32", "Float16_b", "Bfp8_b")
    ),
    *(
        Call(
            f"addcdiv_tile_init(); addcdiv_tile<DataFormat::{name}>(0, 1, 2, 0, 0x40000000u);",
            lambda a, b, c: a + 2 * b / c,
        )
        for name in ("Float32", "Float16_b")
    ),
    *(
        Call(f"lerp_tile_init(); lerp_tile<DataFormat::{name}>(0, 1, 2, 0);", lambda a, b, c: a + c * (b - a))
        for name in ("Float32", "Float16_b")
    ),
    *(
        Call(
            f"mac_tile_init<DataFormat::{name}>(); mac_tile<DataFormat::{name}>(0, 1, 2, 0);",
            lambda a, b, c: a * b + c,
        )
        for name in ("Float32", "Float16_b")
    ),
]
# With an operand that is not a number.
CLOSE = [
    Call(
        f"isclose_binary_tile_init(); isclose_binary_tile<{flag}>(0, 1, 0, 0x3e000000u, 0x3f000000u);",
        lambda a, b, same=flag == "true": np.isclose(a, b, rtol=0.125, atol=0.5, equal_nan=same),
    )
    for flag in ("true", "false")
]
SNAKES = [
    Call(
        f"snake_beta_tile_init(); snake_beta_tile<DataFormat::{name}>(0, 1, 2, 0);",
        lambda x, y, z: x + np.sin(y * x) ** 2 / z,
    )
    for name in ("Float32", "Float16_b")
]
# Sums in 16-bit DST.
ROUNDED = [
    Call(f"{op}_binary_tile_init(); {op}_binary_tile<DstRoundingMode::{mode}>(0, 1, 0);", expected)
    for mode in ("Default", "NearestEven")
    for op, expected in [
        ("add", lambda a, b, mode=mode: to_bfloat16(a + b, mode)),
        ("sub", lambda a, b, mode=mode: to_bfloat16(a - b, mode)),
        ("rsub", lambda a, b, mode=mode: to_bfloat16(b - a, mode)),
    ]
]


def to_bfloat16(values: np.ndarray, mode: str) -> np.ndarray:
    bits = values.astype(np.float32).view(np.uint32)
    if mode == "NearestEven":
        bits = bits + 0x7FFF + (bits >> 16 & 1)
    elif mode == "Nearest":  # ties away from zero
        bits = bits + np.uint32(0x8000)
    return (bits & np.uint32(0xFFFF0000)).view(np.float32)


def operands() -> list[np.ndarray]:
    generator = np.random.default_rng(5)
    x = generator.uniform(0.01, 4, (32, 32)) * generator.choice([-1, 1], (32, 32))
    y, z = generator.uniform(0.05, 8, (2, 32, 32))
    return [values.astype(np.float32) for values in (x, y, z)]


# In 16-bit DST the reciprocal is rounded to bfloat16 before the scalar, 21, is multiplied by it; the product is cut.
DIVISIONS = [
    Call(
        f"rdiv_tile_init(); rdiv_tile<RoundingMode::{mode}>(0, 0x41a80000u);",
        lambda a, b, function=function: to_bfloat16(function(21 * to_bfloat16(1 / a, "Nearest")), "Default"),
    )
    for mode, function in (("None", np.positive), ("Trunc", np.trunc), ("Floor", np.floor))
]
CALLS = [
    *DIVISIONS,
    *GATED,
    *(call for row in APPROXIMATE for call in row),
    *VECTOR_MODES,
    *EXPONENTIALS,
    *EXACT,
    *CLOSE,
    *SNAKES,
    *ROUNDED,
]


def test_flags_that_ask_for_an_approximation_make_no_difference(device: ttnn.Device) -> None:
    given = operands()
    calls = [call for row in APPROXIMATE for call in row]
    results = run_calls(device, calls, given, ttnn.float32, INCLUDES, **WIDE)
    assert_all_near(calls, results, given, FEW_UNITS)
    position = 0
    for row in APPROXIMATE:
        same = results[position : position + len(row)]
        position += len(row)
        for call, found in zip(row[1:], same[1:], strict=True):
            np.testing.assert_array_equal(found, same[0], err_msg=call.text + call.before_pack)


def test_faces_scales_and_vectors(device: ttnn.Device) -> None:
    given = operands()
    calls = VECTOR_MODES + EXPONENTIALS + SNAKES
    results = run_calls(device, calls, given, ttnn.float32, INCLUDES, **WIDE)
    assert_all_near(calls, results, given, FEW_UNITS)


def test_faces_of_gates() -> None:
    device = ttnn.open_device(device_id=1, arch="blackhole")  # the tests around it have 0
    given = [3 * each for each in operands()]
    results = run_calls(device, GATED, given, ttnn.float32, ["situ_glu", "clamped_silu_glu"], **WIDE)
    assert_all_near(GATED, results, given, FEW_UNITS)
    ttnn.close_device(device)


def test_formats_and_roundings_of_whole_numbers(device: ttnn.Device) -> None:
    generator = np.random.default_rng(6)
    a = generator.integers(-16, 17, (32, 32)).astype(np.float32)
    b = generator.integers(-2, 3, (32, 32)).astype(np.float32)
    c = generator.choice([-16.0, -8, -4, -2, -1, 1, 2, 4, 8, 16], (32, 32)).astype(np.float32)
    results = run_calls(device, EXACT, [a, b, c], ttnn.float32, INCLUDES, **WIDE)
    assert_all_exact(EXACT, results, [a, b, c])


def test_nan_is_close_to_nan_only_with_equal_nan(device: ttnn.Device) -> None:
    a = np.full((32, 32), np.nan, np.float32)
    b = a.copy()
    a[:, :24], b[:, 8:] = 4, np.resize([3.0, 3.5, 4, 4.5, 5.0, 5.25, np.nan, np.inf], (32, 24))
    results = run_calls(device, CLOSE, [a, b], ttnn.float32, INCLUDES, **WIDE)
    assert_all_exact(CLOSE, results, [a, b])


def test_sums_of_bfloat16s_are_cut_or_rounded_to_even(device: ttnn.Device) -> None:
    generator = np.random.default_rng(7)
    given = [to_bfloat16(generator.uniform(-2, 2, (32, 32)), "Default") for _ in range(2)]
    results = run_calls(device, ROUNDED, given, ttnn.bfloat16, INCLUDES)
    assert_all_exact(ROUNDED, [np.asarray(result, np.float32) for result in results], given)


def test_a_scalar_divided_by_bfloat16s(device: ttnn.Device) -> None:
    """21 times the bfloat16 next to one seventh is less than three: its floor is two, as on a card."""
    given = [np.resize(np.arange(1, 129, dtype=np.float32), (32, 32)), np.ones((32, 32), np.float32)]
    given[0][1::2] *= -1
    results = run_calls(device, DIVISIONS, given, ttnn.bfloat16, INCLUDES)
    assert_all_exact(DIVISIONS, [np.asarray(result, np.float32) for result in results], given)
    assert np.asarray(results[2])[0, 6] == 2
