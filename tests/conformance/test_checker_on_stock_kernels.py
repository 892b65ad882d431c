# SPDX-License-Identifier: Apache-2.0
"""The checker has nothing to say about the stock kernels: some of the other tests here, run again under every rule."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance import (
    layernorm_program,
    test_broadcast,
    test_matmul,
    test_reduce,
    test_softmax,
    test_tilize_untilize,
    test_unary,
)
from tests.conformance.programs import ALL_CORES, ONE_CORE
from tilewright import ttnn
from tilewright._launch.observer import observed_launches
from tilewright.check._observer import CheckObserver

Program = Callable[[Path, ttnn.Device], object]


def _softmax(case: test_softmax.Case, shape: tuple[int, int]) -> Program:
    kernels = "normalization/softmax/device/kernels/attention"
    return lambda operations, device: test_softmax.check(case, shape, device, operations / kernels)


def _layernorm(case: layernorm_program.Case, shape: tuple[int, int]) -> Program:
    return lambda operations, device: layernorm_program.check(case, shape, device, operations)


def _reduce(pool: str, dim: str) -> Program:
    return lambda operations, device: test_reduce.test_poisoned_padding_stays_outside(dim, pool, operations, device)


def _unary(shape: tuple[int, ...], cores: ttnn.CoreRangeSet, dtype: ttnn.DataType) -> Program:
    return lambda operations, device: test_unary.test_sizes_and_cores(dtype, shape, cores, operations, device)


def _broadcast(which: str) -> Program:
    shape = (2, 3, 50, 80)
    return lambda operations, device: test_broadcast.test_sizes_and_cores(which, shape, ALL_CORES, operations, device)


def _layout(operation: Callable[..., object], shape: tuple[int, int]) -> Program:
    return lambda operations, device: test_tilize_untilize.test_one_core_moves_every_bit(
        operation, shape, ttnn.bfloat16, operations, device
    )


PROGRAMS: dict[str, Program] = {
    "exp": _unary((2, 3, 50, 70), ALL_CORES, ttnn.bfloat16),
    "exp-float32": _unary((96, 160), ONE_CORE, ttnn.float32),
    "broadcast-row": _broadcast("row"),
    "broadcast-column": _broadcast("column"),
    "broadcast-scalar": _broadcast("scalar"),
    "sum-rows": _reduce("SUM", "W"),
    "sum-columns": _reduce("SUM", "H"),
    "max-rows": _reduce("MAX", "W"),
    "max-columns": _reduce("MAX", "H"),
    "sum-on-the-vector-unit": lambda operations, device: test_reduce.test_float32_on_the_vector_unit(
        "W", operations, device
    ),
    "softmax": _softmax(test_softmax.Case(), (96, 160)),
    "softmax-padded": _softmax(test_softmax.Case(scale=0.125), (70, 150)),
    "softmax-streamed": _softmax(test_softmax.Case(test_softmax.LARGE, pass_tiles=2), (96, 160)),
    "layernorm": _layernorm(layernorm_program.Case(), (96, 160)),
    "layernorm-streamed": _layernorm(layernorm_program.Case(form=layernorm_program.LARGE), (96, 160)),
    "matmul-padded": test_matmul.test_poisoned_padding_is_zeroed_by_the_reader,
    "tilize": _layout(test_tilize_untilize.tilize_on_one_core, (96, 160)),
    "untilize": _layout(test_tilize_untilize.untilize_on_one_core, (96, 160)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_stock_kernels_have_no_findings(name: str, operations: Path, device: ttnn.Device) -> None:
    with observed_launches(CheckObserver(seeds=0)) as results:
        PROGRAMS[name](operations, device)
    assert results
    found = [(finding.rule, finding.line, finding.numbers) for result in results for finding in result.findings]
    assert found == []
