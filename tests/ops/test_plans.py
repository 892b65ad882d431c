# SPDX-License-Identifier: Apache-2.0
"""Plans: the documents' page counts, what is chosen when, and that all of them compute the same."""

from __future__ import annotations

import numpy as np
import pytest

from tests.ops.running import Result, Runner
from tilewright import Rows, operation, ttnn
from tilewright._launch.observer import observed_launches
from tilewright._planner.model import Reduce
from tilewright._planner.plan import PageKind, Plan
from tilewright._tensor.paper_device import paper_device
from tilewright.formula import Value, mean, rsqrt, square, sum, var
from tilewright.ops import OPERATIONS, OperationError, Options, Strategy
from tilewright.ops._accuracy import held, judge
from tilewright.timing._observer import TimeObserver

# Pages for a row of 4 tiles by index: 2*Wt is 8, and so on. A stick page is one row, so 64 of them are 2*Wt tiles.
PAGES = {
    "centralize_w_rm": {0: 8, 1: 4, 2: 1, 3: 1, 16: 8},
    "variance_w_rm": {0: 8, 1: 4, 2: 1, 3: 1, 4: 4, 5: 4, 6: 1, 16: 2},
    "standardize_w_rm": {0: 8, 1: 4, 2: 1, 3: 1, 4: 4, 5: 4, 6: 1, 7: 1, 8: 1, 9: 4, 16: 8},
    "layernorm_fused_rm": {
        0: 64, 1: 4, 2: 1, 3: 1, 4: 1, 5: 1, 6: 4, 7: 4, 16: 64, 24: 1, 25: 1, 26: 1, 27: 1,
    },
}  # fmt: skip


def plan(name: str, shape: tuple[int, ...], **options: object) -> Plan:
    return OPERATIONS[name].plan(shape, ttnn.bfloat16, paper_device("wormhole_b0"), **options)  # type: ignore[arg-type]


def assert_differs_in_last_bits(first: Result, second: Result) -> None:
    """Sums in another order change a last bit of the mean, which may change a last bit wherever something is cut.

    The result's own format: 7 mantissa bits in bfloat16. Before beta is added: the matrix unit's 10.
    """
    before_beta = np.abs(first.exact - first.operands.get("beta", 0))
    np.testing.assert_array_less(
        np.abs(first.y - second.y), 2.0**-7 * np.abs(first.y) + 2.0**-9 * np.maximum(1, before_beta)
    )


@pytest.mark.parametrize("name", OPERATIONS)
def test_page_counts(name: str) -> None:
    made = plan(name, (64, 128))
    assert made.strategy is Strategy.RESIDENT
    assert {each.buffer.index: each.pages for each in made.buffers} == PAGES[name]


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("width", [32, 4096, 5000, 20000, 262144, 1 << 20])
def test_every_plan_fits_and_covers_the_row(name: str, width: int) -> None:
    made = plan(name, (64, width))
    assert made.l1_bytes <= made.l1_budget
    assert 0 < made.last_block_tiles <= made.block_tiles
    if made.strategy.keeps_lines:
        assert made.num_blocks * made.block_tiles == made.rows.width_tiles


def test_a_plan_is_made_once() -> None:
    operation, device = OPERATIONS["centralize_w_rm"], paper_device("wormhole_b0")
    before = operation.plan((64, 256), ttnn.bfloat16, device)
    assert operation.plan((64, 256), ttnn.bfloat16, device) is before
    assert operation.plan((64, 256), ttnn.float32, device) != before


def test_wide_rows_stream() -> None:
    strategies = [plan("standardize_w_rm", (32, width)).strategy for width in (1024, 4096, 32768)]
    assert strategies == [Strategy.RESIDENT, Strategy.RESIDENT, Strategy.STREAMING]


def test_rows_that_serve_all_tile_rows_stream_before_the_tile_row_does() -> None:
    strategies = [plan("layernorm_fused_rm", (32, width)).strategy for width in (4096, 8192, 32768)]
    assert strategies == [Strategy.RESIDENT, Strategy.PARTLY_RESIDENT, Strategy.STREAMING]


def test_a_partly_resident_plan_reads_the_tensor_once(run: Runner, generator: np.random.Generator) -> None:
    x = generator.standard_normal((96, 256))
    read = {}
    for strategy in (Strategy.RESIDENT, Strategy.PARTLY_RESIDENT, Strategy.STREAMING):
        with observed_launches(TimeObserver()) as launches:
            run("layernorm_fused_rm", x, strategy=strategy, block_tiles=2, core_grid=(1, 1))
        read[strategy] = launches[0].time.dram_read_bytes / (2 * 256)  # rows of 256 bfloat16
    assert read[Strategy.RESIDENT] == 96 + 2
    assert read[Strategy.PARTLY_RESIDENT] == 96 + 2 * 3  # gamma and beta for each of three tile-rows
    assert read[Strategy.STREAMING] == 3 * 96 + 2 * 3


def test_formulas_give_the_pages() -> None:
    for name in OPERATIONS:
        for width in (128, 4096, 100_000):
            made = plan(name, (32, width))
            for each in made.buffers:
                value = eval(each.formula, {"Wt": made.rows.width_tiles, "B": made.block_tiles})
                assert value == each.pages, (name, width, each)


def test_stick_pages_are_a_row_of_a_block() -> None:
    for each in plan("layernorm_fused_rm", (32, 4096)).buffers:
        if each.buffer.page is PageKind.STICK:
            assert each.page_bytes == plan("layernorm_fused_rm", (32, 4096)).block_tiles * 64


def test_a_full_l1_makes_rows_stream(generator: np.random.Generator) -> None:
    device = ttnn.open_device(device_id=7, grid=(1, 1))
    try:
        x = generator.standard_normal((32, 2048))
        whole = Runner(device)("centralize_w_rm", x)
        in_the_way = ttnn.zeros([1, 600_000], ttnn.bfloat16, device=device, memory_config=ttnn.L1_MEMORY_CONFIG)
        squeezed = Runner(device)("centralize_w_rm", x)
        assert whole.outcome.plan.num_blocks == 1
        assert squeezed.outcome.plan.l1_bytes <= squeezed.outcome.plan.l1_budget < whole.outcome.plan.l1_bytes
        np.testing.assert_array_equal(whole.y, squeezed.y)
        in_the_way.deallocate()
    finally:
        ttnn.close_device(device)


def test_plan_that_does_not_fit_is_refused_with_sizes() -> None:
    with pytest.raises(OperationError, match=r"does not fit L1: the resident plan .* needs \d+ bytes, 1393312 are"):
        plan("layernorm_fused_rm", (32, 262144), strategy=Strategy.RESIDENT)


def test_formula_of_too_many_buffers_is_refused_with_a_part_that_fits() -> None:
    @operation
    def many(a: Rows, b: Rows, c: Rows, d: Rows, e: Rows, f: Rows, g: Rows, h: Rows) -> Value:
        """Statistics of eight tensors."""
        products = mean(a) * b + mean(c) * d + mean(e) * f + mean(g) * h
        return products + var(a) * var(b) * var(c) + var(d) * var(e) * var(f) + var(g) * var(h)

    @operation
    def part(a: Rows, b: Rows, c: Rows, d: Rows, e: Rows, f: Rows, g: Rows, h: Rows) -> Value:
        """What the refusal names."""
        return mean(a) * b + mean(c) * d + mean(e) * f + mean(g) * h

    with pytest.raises(OperationError) as refused:
        many.variants(many.form(ttnn.bfloat16))
    named = part.graph.text()
    assert f"and a core has 32: declare an operation for `{named}`, and give its result" in str(refused.value)
    assert part.variants(part.form(ttnn.bfloat16))


@pytest.mark.parametrize("width", [100, 224])
@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
@pytest.mark.parametrize("name", OPERATIONS)
def test_streaming_agrees_with_resident(
    run: Runner, generator: np.random.Generator, name: str, dtype: str, width: int
) -> None:
    x = generator.standard_normal((40, width))
    resident = run(name, x, dtype, strategy=Strategy.RESIDENT)
    streamed = run(name, x, dtype, strategy=Strategy.STREAMING, block_tiles=2)
    assert streamed.outcome.plan.num_blocks == -(-width // 64)
    assert streamed.accuracy().share_of_bound <= 1
    assert_differs_in_last_bits(streamed, resident)


@pytest.mark.parametrize("name", OPERATIONS)
def test_blocks_of_a_resident_row_agree_with_the_whole(run: Runner, generator: np.random.Generator, name: str) -> None:
    x = generator.standard_normal((70, 250))
    whole = run(name, x)
    blocks = run(name, x, strategy=Strategy.RESIDENT, block_tiles=2)
    assert (whole.outcome.plan.num_blocks, blocks.outcome.plan.num_blocks) == (1, 4)
    assert_differs_in_last_bits(blocks, whole)


@pytest.mark.parametrize("width", [262_144, 100_001])
@pytest.mark.parametrize("name", OPERATIONS)
def test_rows_far_wider_than_l1(run: Runner, generator: np.random.Generator, name: str, width: int) -> None:
    x = generator.standard_normal((4, width))
    x[3] = 12.3
    result = run(name, x)
    assert result.outcome.plan.strategy is Strategy.STREAMING
    assert result.accuracy(slice(0, 3)).share_of_bound <= 1
    np.testing.assert_array_equal(result.y[3], result.operands.get("beta", 0))


@pytest.mark.parametrize("strategy", [Strategy.RESIDENT, Strategy.STREAMING], ids=lambda each: each.value)
@pytest.mark.parametrize("width", [64, 100])
@pytest.mark.parametrize("name", OPERATIONS)
def test_buffers_are_empty_at_the_end(
    run: Runner, generator: np.random.Generator, name: str, width: int, strategy: Strategy
) -> None:
    """Only what is kept for all rows is left: scalers, epsilon, and gamma and beta unless they stream."""
    result = run(name, generator.standard_normal((96, width)), strategy=strategy, core_grid=(1, 1))
    kept = {"scaler", "epsilon"} | ({"gamma_tiled", "beta_tiled"} if strategy is Strategy.RESIDENT else set())
    names = {each.buffer.index: each.buffer.name for each in result.outcome.plan.buffers}
    left = {names[use.index] for use in result.outcome.run.circular_buffers if use.left_over}
    assert left == kept & set(names.values())


def test_one_tile_serves_all_of_a_tile_column(device: ttnn.Device) -> None:
    """A product with a number for every column that gets a buffer of its own, over several blocks."""

    @operation(buffers={"scaled": 26})
    def columns(x: Rows) -> Value:
        """Columns divided by their length, and that squared."""
        scaled = x * rsqrt(sum(square(x), dim=-2))
        return square(scaled) + scaled

    array = np.random.default_rng(0).standard_normal((100, 40))
    tensors = {"x": ttnn.from_numpy(array, ttnn.bfloat16, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)}
    for strategy in columns.variants(columns.form(ttnn.bfloat16)):
        outcome = columns.launch(tensors, Options(strategy=strategy, block_tiles=2))
        accuracy = judge([outcome.output.to_numpy()], columns.bounds(outcome.plan, held(tensors)))
        assert accuracy.is_within_bound, accuracy.text


def test_equal_expressions_are_computed_once() -> None:
    @operation
    def twice(x: Rows) -> Value:
        """(x - mean) / sqrt(variance), with the mean written down twice."""
        return (x - mean(x)) * rsqrt(var(x) + 1e-5)

    plan = twice.plan((64, 128), ttnn.bfloat16, paper_device("wormhole_b0"))
    reduced = [each.value for each in plan.schedule.steps() if isinstance(each, Reduce)]
    assert [str(each) for each in reduced] == ["mean(x)", "mean(square(x - mean(x)))"]
