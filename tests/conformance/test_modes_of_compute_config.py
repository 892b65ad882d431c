# SPDX-License-Identifier: Apache-2.0
"""Compute configurations: every value, as the kernel's constants and in what the calls do.

``math_approx_mode`` is a constant for the kernel and makes no other difference (docs/numerics.md).
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.call_table import Call, assert_all_exact, run_calls
from tests.conformance.test_modes_of_tiles import ACQUIRED, as_floats, high_part, in_phases
from tilewright import ttnn
from tilewright._errors import KernelError

FIDELITIES = {"LoFi": 1, "HiFi2": 2, "HiFi3": 3, "HiFi4": 4}


def in_element_phases(phases: int, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """An element-wise product: SrcA is the first operand here."""
    high_a, high_b = high_part(a, 5), high_part(b, 7)
    parts = [(high_a, high_b), (a - high_a, high_b), (high_a, b - high_b), (a - high_a, b - high_b)]
    return np.sum([x * y for x, y in parts[:phases]], axis=0)


@pytest.mark.parametrize("name", FIDELITIES)
def test_fidelities(device: ttnn.Device, name: str) -> None:
    phases = FIDELITIES[name]
    calls = [
        Call(
            "compute_kernel_hw_startup<SrcOrder::Reverse>(0, 1, 16); matmul_init(0, 1); matmul_tiles(0, 1, 0, 0, 0);",
            in_phases(phases),
        ),
        Call(
            f"{ACQUIRED} mul_init(0, 1); mul_tiles(0, 1, 0, 0, 0);",
            lambda a, b: in_element_phases(phases, a, b),
        ),
        Call(
            f"fill_tile(0, float(MATH_FIDELITY == MathFidelity::{name}));",
            lambda a, b: np.ones((32, 32)),
        ),
    ]
    generator = np.random.default_rng(1)
    given = [generator.integers(128, 256, (32, 32)).astype(np.float32) for _ in range(2)]
    results = run_calls(
        device,
        calls,
        given,
        ttnn.bfloat16,
        ["eltwise_binary", "matmul", "eltwise_unary/fill"],
        in_dst=False,
        result_dtype=ttnn.float32,
        fp32_dest_acc_en=True,
        math_fidelity=getattr(ttnn.MathFidelity, name),
    )
    assert_all_exact(calls, as_floats(results), given)


@pytest.mark.parametrize("wide", [True, False])
@pytest.mark.parametrize("full", [True, False])
def test_constants_and_room_in_dst(device: ttnn.Device, full: bool, wide: bool) -> None:
    """16 tiles of DST, half as many where packer and maths share it, half of these where a word has 32 bits."""
    tiles = 16 // (1 if full else 2) // (2 if wide else 1)
    approximate = full != wide
    settings = {"fp32_dest_acc_en": wide, "dst_full_sync_en": full, "math_approx_mode": approximate}
    values = [float(wide), float(full), float(approximate), 5.0]
    texts = ["DST_ACCUM_MODE", "DST_SYNC_MODE == DstSync::SyncFull", "APPROX"]
    calls = [Call(f"fill_tile(0, float({text}));", lambda a: a) for text in texts]
    calls.append(Call(f"fill_tile({tiles - 1}, 5.0f);", lambda a: a, tiles - 1))
    given = [np.zeros((32, 32), np.float32)]
    results = run_calls(device, calls, given, ttnn.bfloat16, ["eltwise_unary/fill"], in_dst=False, **settings)
    for value, result in zip(values, results, strict=True):
        np.testing.assert_array_equal(np.asarray(result, np.float32), value)
    beyond = [Call(f"fill_tile({tiles}, 5.0f);", lambda a: a)]
    with pytest.raises(KernelError, match=f"{tiles}"):
        run_calls(device, beyond, given, ttnn.bfloat16, ["eltwise_unary/fill"], in_dst=False, **settings)


@pytest.mark.parametrize("to_dest", [True, False])
def test_words_that_go_straight_to_dst_keep_all_their_bits(device: ttnn.Device, to_dest: bool) -> None:
    kept = np.uint32(0xFFFFFFFF if to_dest else 0xFFFFE000)  # of a float32 SrcA keeps 19 bits
    calls = [Call("", lambda a: (a.view(np.uint32) & kept).view(np.float32))]
    given = [np.random.default_rng(2).uniform(-4, 4, (32, 32)).astype(np.float32)]
    settings = {"fp32_dest_acc_en": True, "unpack_to_dest": (0,) if to_dest else ()}
    assert_all_exact(calls, run_calls(device, calls, given, ttnn.float32, [], **settings), given)
