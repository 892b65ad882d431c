# SPDX-License-Identifier: Apache-2.0
"""Layernorm along rows with the stock kernels: a row in L1 or streamed, gamma and beta as tiles or row-major."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.layernorm_program import LARGE, ROW_MAJOR, SMALL, Case, check
from tests.conformance.programs import ONE_CORE, SHAPES
from tilewright import ttnn

FORMATS = [pytest.param(ttnn.bfloat16, False, id="bfloat16"), pytest.param(ttnn.float32, True, id="float32")]


@pytest.mark.parametrize(("dtype", "wide_dst"), FORMATS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_row_in_l1(
    shape: tuple[int, int], dtype: ttnn.DataType, wide_dst: bool, device: ttnn.Device, operations: Path
) -> None:
    check(Case(dtype=dtype, wide_dst=wide_dst), shape, device, operations)


@pytest.mark.parametrize(("dtype", "wide_dst"), FORMATS)
@pytest.mark.parametrize("shape", SHAPES[1:], ids=str)
def test_row_streamed(
    shape: tuple[int, int], dtype: ttnn.DataType, wide_dst: bool, device: ttnn.Device, operations: Path
) -> None:
    check(Case(form=LARGE, dtype=dtype, wide_dst=wide_dst), shape, device, operations)


@pytest.mark.parametrize("form", [SMALL, LARGE])
def test_bfloat16_with_32_bit_dst(form: str, device: ttnn.Device, operations: Path) -> None:
    check(Case(form=form, wide_dst=True), (96, 160), device, operations)


@pytest.mark.parametrize(("dtype", "wide_dst"), FORMATS)
def test_row_major_weights(dtype: ttnn.DataType, wide_dst: bool, device: ttnn.Device, operations: Path) -> None:
    check(Case(weights=ROW_MAJOR, dtype=dtype, wide_dst=wide_dst), (96, 160), device, operations)


@pytest.mark.parametrize(
    ("gamma", "beta"), [(False, False), (True, False), (False, True)], ids=["none", "gamma", "beta"]
)
def test_without_some_weights(gamma: bool, beta: bool, device: ttnn.Device, operations: Path) -> None:
    check(Case(gamma=gamma, beta=beta), (96, 160), device, operations)


@pytest.mark.parametrize("form", [SMALL, LARGE])
def test_one_core(form: str, device: ttnn.Device, operations: Path) -> None:
    check(Case(form=form, cores=ONE_CORE), (96, 160), device, operations)


@pytest.mark.parametrize("form", [SMALL, LARGE])
def test_padding_does_not_count(form: str, device: ttnn.Device, operations: Path) -> None:
    check(Case(form=form), (70, 150), device, operations)
