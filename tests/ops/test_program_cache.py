# SPDX-License-Identifier: Apache-2.0
"""A second call of the same kind builds and compiles nothing, and is right all the same."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Iterator

import numpy as np
import pytest

from tests.ops.running import Runner
from tilewright import ttnn
from tilewright._build import kernel_build
from tilewright._launch import executable
from tilewright.kernels import Kernel
from tilewright.ops import OPERATIONS


class Counter:
    """Counts calls of what would build something."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def watch(self, patch: pytest.MonkeyPatch, owner: object, name: str) -> None:
        original = getattr(owner, name)

        def counted(*arguments: object, **named: object) -> object:
            self.calls.append(name)
            return original(*arguments, **named)

        patch.setattr(owner, name, counted)


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> Counter:
    counter = Counter()
    counter.watch(monkeypatch, Kernel, "descriptor")
    counter.watch(monkeypatch, kernel_build, "_compile")
    counter.watch(monkeypatch, executable.Executable, "__init__")
    return counter


@pytest.fixture
def fresh() -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=8, grid=(2, 1))
    yield device
    ttnn.close_device(device)


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_second_call_builds_nothing(
    fresh: ttnn.Device, generator: np.random.Generator, builds: Counter, name: str
) -> None:
    run = Runner(fresh)
    first = run(name, generator.standard_normal((70, 100)))
    assert {"descriptor", "__init__"} <= set(builds.calls)
    assert fresh.num_program_cache_entries() == 1
    builds.calls.clear()
    second = run(name, generator.standard_normal((70, 100)), epsilon=0.5)
    assert builds.calls == []
    assert fresh.num_program_cache_entries() == 1
    # The first output is still there, so the second lies elsewhere.
    assert first.outcome.output.buffer_address() != second.outcome.output.buffer_address()
    assert first.accuracy().share_of_bound <= 1
    assert second.accuracy().share_of_bound <= 1
    np.testing.assert_array_equal(first.outcome.output.to_numpy().astype(np.float64), first.y)


def test_results_that_stay_in_l1_do_not_make_another_program(
    fresh: ttnn.Device, generator: np.random.Generator
) -> None:
    run = Runner(fresh)
    x = generator.standard_normal((70, 100))
    results = [run("centralize_w_rm", x, memory_config=ttnn.L1_MEMORY_CONFIG) for _ in range(3)]
    budgets = [result.outcome.plan.l1_budget for result in results]
    assert budgets == sorted(set(budgets), reverse=True)  # each finds less L1 than the one before
    assert fresh.num_program_cache_entries() == 1
    assert all(result.accuracy().share_of_bound <= 1 for result in results)


@pytest.mark.parametrize("name", ["standardize_w_rm", "layernorm_fused_rm"])
def test_epsilon_counts_in_every_row(run: Runner, generator: np.random.Generator, name: str) -> None:
    x = generator.standard_normal((40, 64)) * 1e-3
    for epsilon in (1e-5, 1e-2, 4.0):
        result = run(name, x, epsilon=epsilon)
        # Small variances: an epsilon that reached only some rows would be far off in the others.
        assert result.accuracy().share_of_bound <= 1
        scale = np.abs(result.exact - result.operands.get("beta", 0)).max()
        assert np.abs(result.y - result.exact).max() <= 2.0**-6 * max(scale, np.abs(result.exact).max())


@pytest.mark.parametrize(
    "change",
    [
        {"dtype": "float32"},
        {"core_grid": (1, 1)},
        {"memory_config": ttnn.L1_MEMORY_CONFIG},
        {"compute_kernel_config": ttnn.ComputeConfigDescriptor(math_fidelity=ttnn.MathFidelity.HiFi2)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_another_kind_of_call_is_another_program(
    fresh: ttnn.Device, generator: np.random.Generator, change: dict
) -> None:
    run = Runner(fresh)
    x = generator.standard_normal((70, 100))
    run("centralize_w_rm", x)
    run("centralize_w_rm", x, **change)
    assert fresh.num_program_cache_entries() == 2


def test_threads_do_not_share_a_program(fresh: ttnn.Device, generator: np.random.Generator) -> None:
    """Every call has its own addresses in the program it runs."""
    inputs = [generator.standard_normal((40, 96)) for _ in range(12)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda x: Runner(fresh)("centralize_w_rm", x), inputs))
    assert all(result.accuracy().share_of_bound <= 1 for result in results)


def test_changes_of_an_outcomes_program_have_no_effect(fresh: ttnn.Device, generator: np.random.Generator) -> None:
    """Outcome.program is a copy with the call's own arguments."""
    run = Runner(fresh)
    x = generator.standard_normal((70, 100))
    first, second = run("centralize_w_rm", x).outcome, run("centralize_w_rm", x).outcome
    address = first.plan.kernels.writer.runtime_arg_names.index("output")
    for outcome in (first, second):
        written = {words[address] for words in outcome.program.kernels[2].runtime_args.words}
        assert written == {outcome.output.buffer_address()}
    first.program.cbs[0].total_size = 100
    assert run("centralize_w_rm", x).accuracy().share_of_bound <= 1


def test_reports_are_of_their_own_call(fresh: ttnn.Device, generator: np.random.Generator) -> None:
    run = Runner(fresh)
    first = run("layernorm_fused_rm", generator.standard_normal((70, 100))).outcome.run
    second = run("layernorm_fused_rm", generator.standard_normal((70, 100)), epsilon=0.5).outcome.run
    run("centralize_w_rm", generator.standard_normal((640, 100)))
    assert first.traffic == second.traffic
    assert first.circular_buffers == second.circular_buffers
    assert sum(each.pages_pushed for each in first.traffic) > 0


def test_the_cache_can_be_cleared(fresh: ttnn.Device, generator: np.random.Generator) -> None:
    Runner(fresh)("centralize_w_rm", generator.standard_normal((2, 32)))
    fresh.clear_program_cache()
    assert fresh.num_program_cache_entries() == 0
