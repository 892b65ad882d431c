# SPDX-License-Identifier: Apache-2.0
"""Programs of the bench compute right results."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from bench import plain_warnings, programs
from tilewright import check_program, ttnn

# Rows of 256: 8 tiles, two DST sections of 4; 96 rows on 2 cores split unevenly.
SHAPE = (96, 256)
GRID = (2, 1)
# A result rounded to bfloat16 is off by at most 2^-9 of itself; one more such step for each operand or scaler that was
# rounded on the way (the maximum, the reciprocal, partial sums): no program has more than 4.
STEP = 2.0**-8


def rounded(values: np.ndarray) -> np.ndarray:
    return values.astype(ml_dtypes.bfloat16).astype(np.float64)


@pytest.fixture(scope="module")
def inputs() -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(1)
    return generator.standard_normal(SHAPE, dtype=np.float32), generator.standard_normal(SHAPE, dtype=np.float32)


def result_of(prepared: programs.Prepared) -> np.ndarray:
    prepared.run()
    return prepared.output()


def test_add(device: ttnn.Device, inputs: tuple[np.ndarray, np.ndarray]) -> None:
    expected = rounded(inputs[0]) + rounded(inputs[1])
    error = np.abs(result_of(programs.elementwise("add", inputs, device, GRID)) - expected)
    assert np.all(error <= STEP * np.abs(expected))


def test_exp(device: ttnn.Device, inputs: tuple[np.ndarray, np.ndarray]) -> None:
    expected = np.exp(rounded(inputs[0]))
    error = np.abs(result_of(programs.elementwise("exp", inputs[:1], device, GRID)) - expected)
    assert np.all(error <= STEP * expected)


def test_tilize(device: ttnn.Device, inputs: tuple[np.ndarray, np.ndarray]) -> None:
    assert np.array_equal(result_of(programs.tilize(inputs[0], device, GRID)), rounded(inputs[0]))


def test_softmax(device: ttnn.Device, inputs: tuple[np.ndarray, np.ndarray]) -> None:
    x = rounded(inputs[0])
    exps = np.exp(x - x.max(axis=-1, keepdims=True))
    expected = exps / exps.sum(axis=-1, keepdims=True)
    error = np.abs(result_of(programs.softmax(inputs[0], device, GRID)) - expected)
    assert np.all(error <= 4 * STEP * expected)


def test_two_threads_give_the_same_bytes(device: ttnn.Device, inputs: tuple[np.ndarray, np.ndarray]) -> None:
    prepared = programs.softmax(inputs[0], device, GRID)
    one = result_of(prepared)
    prepared.run(threads=2)
    assert np.array_equal(prepared.output(), one)


@pytest.mark.parametrize("wide_dst", [False, True])
def test_matmul(device: ttnn.Device, wide_dst: bool) -> None:
    generator = np.random.default_rng(2)
    first, second = (generator.standard_normal(shape, dtype=np.float32) for shape in ((128, 64), (64, 256)))
    prepared = programs.matmul(first, second, device, GRID, ttnn.MathFidelity.HiFi4, wide_dst)
    expected = rounded(first) @ rounded(second)
    # 32-bit DST rounds once, when it is packed. 16-bit DST rounds the growing sum in each of 4 phases of 4 faces of the
    # inner dimension, each time by half a step of a number that the sum of magnitudes bounds.
    steps = 16 * (np.abs(rounded(first)) @ np.abs(rounded(second)))
    allowed = STEP * np.abs(expected) + 2.0**-20 if wide_dst else STEP / 2 * steps
    assert np.all(np.abs(result_of(prepared) - expected) <= allowed)


def test_multicasts_are_right_and_change_rectangles(device: ttnn.Device) -> None:
    x = ttnn.full([32, 32], 1.0, ttnn.bfloat16, ttnn.TILE_LAYOUT, device)
    for rows in ((1, 1), (1, 2)):
        result = check_program([x, x], plain_warnings.multicasts(device, rows, count=4))
        assert result.ok, (rows, result.findings)
