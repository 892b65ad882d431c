# SPDX-License-Identifier: Apache-2.0
"""Any shape, on any number of cores, on both chips."""

from __future__ import annotations

import numpy as np
import pytest

from tests.ops.running import Runner
from tilewright import ttnn
from tilewright.ops import OPERATIONS

SHAPES = [(1, 64), (33, 64), (7, 5, 64), (2, 3, 40, 64), (2, 1, 3, 20, 64)]


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_leading_dimensions_of_any_rank(run: Runner, generator: np.random.Generator, name: str, shape: tuple) -> None:
    result = run(name, generator.standard_normal(shape))
    assert result.y.shape == OPERATIONS[name].output_shapes(shape)[0]
    assert result.accuracy().share_of_bound <= 1


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("core_grid", [(1, 1), (3, 1), (5, 7), (8, 8)], ids=str)
def test_rows_are_split_over_all_cores_evenly_or_not(
    wormhole: ttnn.Device, generator: np.random.Generator, name: str, core_grid: tuple[int, int]
) -> None:
    result = Runner(wormhole)(name, generator.standard_normal((100 * 32 - 5, 64)), core_grid=core_grid)
    work = result.outcome.plan.split.work
    counts = [each.num_lines for each in work]
    assert len(work) == min(core_grid[0] * core_grid[1], 100)
    assert sum(counts) == 100
    assert max(counts) - min(counts) <= 1
    assert {use.core for use in result.outcome.run.circular_buffers} == {(each.core.x, each.core.y) for each in work}
    assert result.accuracy().share_of_bound <= 1


def test_some_cores_may_be_chosen(wormhole: ttnn.Device, generator: np.random.Generator) -> None:
    cores = ttnn.CoreRangeSet([ttnn.CoreRange((1, 2), (2, 3)), ttnn.CoreRange((7, 7), (7, 7))])
    result = Runner(wormhole)("variance_w_rm", generator.standard_normal((7 * 32, 64)), core_grid=cores)
    assert {(each.core.x, each.core.y) for each in result.outcome.plan.split.work} == {
        (core.x, core.y) for core in cores
    }
    assert result.accuracy().share_of_bound <= 1


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_blackhole(blackhole: ttnn.Device, generator: np.random.Generator, name: str, dtype: str) -> None:
    result = Runner(blackhole)(name, generator.standard_normal((2, 3, 40, 100)), dtype)
    assert result.accuracy().share_of_bound <= 1


@pytest.mark.parametrize("name", OPERATIONS)
def test_two_threads_give_the_same(wormhole: ttnn.Device, generator: np.random.Generator, name: str) -> None:
    x = generator.standard_normal((20 * 32, 64))
    one, two = (Runner(wormhole)(name, x, threads=threads) for threads in (1, 2))
    np.testing.assert_array_equal(one.y, two.y)


@pytest.mark.parametrize("name", OPERATIONS)
def test_l1_tensors(wormhole: ttnn.Device, generator: np.random.Generator, name: str) -> None:
    result = Runner(wormhole)(name, generator.standard_normal((40, 100)), memory_config=ttnn.L1_MEMORY_CONFIG)
    assert result.outcome.output.memory_config() == ttnn.L1_MEMORY_CONFIG
    assert result.accuracy().share_of_bound <= 1


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("fidelity", [ttnn.MathFidelity.LoFi, ttnn.MathFidelity.HiFi2])
def test_compute_kernel_config_is_used(
    run: Runner, generator: np.random.Generator, name: str, fidelity: ttnn.MathFidelity
) -> None:
    config = ttnn.WormholeComputeKernelConfig(math_fidelity=fidelity)
    x = generator.standard_normal((64, 256))
    rough, exact = run(name, x, compute_kernel_config=config), run(name, x)
    used = rough.outcome.program.kernels[1].config
    assert (used.math_fidelity, used.fp32_dest_acc_en) == (fidelity, False)
    # 16-bit DST rounds every step of a sum of 256, and LoFi multiplies 5 by 7 bits: far from the default, not wrong.
    assert rough.accuracy().share_of_bound > exact.accuracy().share_of_bound
    assert rough.accuracy().share_of_bound < 32
