# SPDX-License-Identifier: Apache-2.0
"""Attention in one program: right in every form, clean under every rule, and where it is several programs instead."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import pytest

from tilewright import BroadcastTensor, Matrix, Positive, Rows, operation, ttnn
from tilewright._cli.main import main
from tilewright._launch.open_devices import close_device, open_device
from tilewright._tensor.device import Device
from tilewright._tensor.tensor import Tensor
from tilewright.check._check_program import check_program
from tilewright.formula import FormulaError, Value, causal, exp, max, maximum, relu, softmax, sum, tanh, transpose
from tilewright.ops import Operation, OperationError, Options, Outcome
from tilewright.ops._accuracy import held, judge, zeros_pass
from tilewright.ops._options import checked_config
from tilewright.ops._plan_by_clock import chip_of
from tilewright.timing._predicted_time import predict

Shape = tuple[int, ...]


@operation
def plain(q: Rows, k: Rows, v: Rows) -> Value:
    """Nothing but the matmuls and the softmax."""
    return softmax(q @ transpose(k)) @ v


@operation
def masked(values: Rows, keys: Rows, queries: Rows, mask: Rows, *, scale: Positive = 0.125) -> Value:
    """Names and order are free."""
    taken = softmax(queries @ transpose(keys) * scale + mask)
    return taken @ values


@operation
def written_out(q: Rows, k: Rows, v: Rows, mask: BroadcastTensor, bias: BroadcastTensor) -> Value:
    """Softmax as a quotient, scores with a function of the vector unit and two tensors that serve several heads."""
    scores = tanh(q @ transpose(k) * 0.1) * 30.0 + mask - maximum(bias, 0.0)
    powers = exp(scores - max(scores))
    return (powers / sum(powers)) @ v


@operation
def hidden(q: Rows, k: Rows, v: Rows, *, scale: Positive = 0.2) -> Value:
    """Causal."""
    return softmax(causal(q @ transpose(k) * scale)) @ v


@operation
def layer(x: Rows, q: Rows, k: Rows, v: Rows, weights: Matrix, *, scale: Positive = 0.1) -> Value:
    """Attention as one of several programs."""
    return x + relu(softmax(causal(q @ transpose(k) * scale)) @ v) @ weights


@dataclasses.dataclass(frozen=True)
class Case:
    """Tensors of a call: heads of queries and of keys, rows of both, widths, dtype, layout, tiles of a block."""

    declared: Operation
    lead: Shape
    heads: tuple[int, int]
    rows: tuple[int, int]
    widths: tuple[int, int]
    dtype: str = "bfloat16"
    is_tiled: bool = False
    block: int | None = None

    def shapes(self) -> dict[str, Shape]:
        """Shapes in the order of queries, keys, values and what is as large as the scores."""
        (queries, keys), (many, few), (deep, wide) = self.rows, self.heads, self.widths
        found = [(*self.lead, many, queries, deep), (*self.lead, few, keys, deep), (*self.lead, few, keys, wide)]
        names = {"masked": ["queries", "keys", "values", "mask"]}.get(self.declared.name, ["q", "k", "v"])
        made = dict(zip(names, found, strict=False))
        if self.declared is masked:
            made["mask"] = (*self.lead, many, queries, keys)
        if self.declared is written_out:
            made |= {"mask": (queries, keys), "bias": (*self.lead[:1], *(1,) * len(self.lead), queries, keys)}
        return made


CASES = {
    "lengths end inside tiles": Case(masked, (), (2, 2), (40, 170), (40, 33), block=2),
    "in tiles": Case(masked, (), (2, 2), (40, 170), (64, 33), is_tiled=True, block=2),
    "one block, grouped heads": Case(plain, (2,), (4, 2), (70, 90), (32, 64), is_tiled=True),
    "float32": Case(plain, (), (3, 1), (33, 96), (40, 32), "float32", block=1),
    "several rows share keys": Case(plain, (), (2, 1), (192, 64), (32, 32), block=1),
    "block floats": Case(plain, (), (2, 2), (33, 64), (32, 64), "bfloat8_b", is_tiled=True, block=1),
    "one query": Case(masked, (), (4, 2), (1, 130), (64, 64), is_tiled=True, block=1),
    "masks of several heads": Case(written_out, (2,), (2, 1), (40, 70), (32, 32), block=1),
    "causal square": Case(hidden, (), (2, 2), (128, 128), (32, 32), is_tiled=True, block=2),
    "causal, more keys": Case(hidden, (2,), (2, 1), (70, 201), (40, 50), block=1),
    "causal, one query": Case(hidden, (), (2, 2), (1, 100), (32, 32), "float32", is_tiled=True, block=2),
}


@pytest.fixture(scope="module", params=["wormhole_b0", "blackhole"])
def chip(request: pytest.FixtureRequest) -> Iterator[Device]:
    device = open_device(0, request.param, grid=(2, 2))
    yield device
    close_device(device)


def tensors_of(case: Case, device: Device, seed: int = 0) -> dict[str, Tensor]:
    generator = np.random.default_rng(seed)
    layout = ttnn.TILE_LAYOUT if case.is_tiled else ttnn.ROW_MAJOR_LAYOUT
    shapes = case.shapes()
    return {
        each.name: Tensor(generator.standard_normal(shapes[each.name]), getattr(ttnn, case.dtype), device, layout)
        for each in case.declared.inputs
    }


def judged(declared: Operation, outcome: Outcome, tensors: dict[str, Tensor]) -> None:
    wanted = declared.outcome_bounds(outcome, held(tensors))
    accuracy = judge([each.to_numpy() for each in outcome.outputs], wanted)
    assert accuracy.is_within_bound, accuracy.text
    assert not zeros_pass(wanted)
    assert all(np.isfinite(each).all() for each in wanted.allowed)
    for exact, reference in zip(wanted.exact, declared.reference(held(tensors)), strict=True):
        np.testing.assert_allclose(exact, reference, rtol=1e-12, atol=1e-14)
    for each in outcome.parts:
        assert check_program([*each.tensors.values()], each.program).findings == []


@pytest.mark.parametrize("name", CASES)
def test_attention_in_one_program_is_right_and_clean(chip: Device, name: str) -> None:
    case = CASES[name]
    tensors = tensors_of(case, chip)
    outcome = case.declared.launch(tensors, Options(block_tiles=case.block))
    assert len(outcome.parts) == 1
    judged(case.declared, outcome, tensors)


def test_hidden_scores_do_not_count(device: ttnn.Device) -> None:
    """Masks of minus infinity, also for whole blocks and in front of what is seen; huge values beside them."""
    case = Case(masked, (), (1, 1), (33, 128), (32, 32), block=1)
    tensors = tensors_of(case, device)
    mask = np.zeros((1, 33, 128))
    mask[:, :, :70] = -np.inf
    mask[:, 5, :] = -1e9
    mask[:, 5, 100] = 0.0
    values = tensors["values"].to_numpy().astype(np.float64)
    values[:, :70] = 1e30
    for name, each in (("mask", mask), ("values", values)):
        tensors[name] = Tensor(each, ttnn.bfloat16, device)
    outcome = masked.launch(tensors, Options(block_tiles=1))
    judged(masked, outcome, tensors)
    np.testing.assert_array_equal(outcome.output.to_numpy()[0, 5], values[0, 100])


def test_bound_is_finite_where_scores_are_so_large_that_their_errors_decide(device: ttnn.Device) -> None:
    case = CASES["one block, grouped heads"]
    tensors = tensors_of(case, device)
    tensors["q"] = Tensor(tensors["q"].to_numpy().astype(np.float64) * 30, ttnn.bfloat16, device, ttnn.TILE_LAYOUT)
    outcome = plain.launch(tensors)
    wanted = plain.outcome_bounds(outcome, held(tensors))
    values = tensors["v"].to_numpy().astype(np.float64)
    assert wanted.allowed[0].max() < 1.1 * (values.max() - values.min())
    assert judge([outcome.output.to_numpy()], wanted).is_within_bound


def test_causal_blocks_that_no_row_sees_are_not_read(device: ttnn.Device) -> None:
    def bytes_moved(declared: Operation) -> float:
        case = dataclasses.replace(CASES["causal square"], declared=declared, block=1)
        tensors = tensors_of(case, device)
        plan = declared.launch(tensors, Options(block_tiles=1)).plan
        dtypes = dict.fromkeys((*tensors, "output"), ttnn.bfloat16)
        return predict(plan, dtypes, *chip_of(device), checked_config(None)).dram_bytes

    # Of two heads with four tile-rows of queries the first row sees one block of a tile of keys and one of values.
    rows, pair = 2 * 4 * 2 * 2048, 2 * 2 * 2048  # queries and results; keys and values
    assert bytes_moved(hidden) == rows + (1 + 2 + 3 + 4) * pair
    # Without, two rows share what is read.
    assert bytes_moved(plain) == rows + 4 * 4 // 2 * pair


def test_attention_inside_a_formula_is_one_part(device: ttnn.Device) -> None:
    shapes = {"x": (2, 40, 70), "q": (2, 40, 32), "k": (2, 60, 32), "v": (2, 60, 50), "weights": (50, 70)}
    generator = np.random.default_rng(1)
    tensors = {name: Tensor(generator.standard_normal(each), ttnn.bfloat16, device) for name, each in shapes.items()}
    outcome = layer.launch(tensors)
    assert [each.operation.graph.outputs[0].function for each in outcome.parts] == ["matmul", "add"]
    assert len(layer.parts) == 2
    judged(layer, outcome, tensors)


def test_rows_that_do_not_fit_are_several_programs(device: ttnn.Device, capsys: pytest.CaptureFixture[str]) -> None:
    """Wide heads: what stays of a tile-row of queries is larger than L1; a mask of one row has no place either."""
    with pytest.raises(OperationError, match="does not fit L1 as one program: blocks of one tile of keys need"):
        plain.plan((1, 32, 8192), ttnn.bfloat16, device)
    parts, reason = plain.parts_that_fit((1, 32, 8192), ttnn.bfloat16, device)
    assert len(parts) == 2
    assert "does not fit L1 as one program" in reason
    case = dataclasses.replace(CASES["masks of several heads"], lead=(), heads=(2, 2))
    tensors = tensors_of(case, device)
    tensors["bias"] = Tensor(np.ones((1, 70)), ttnn.bfloat16, device)
    outcome = written_out.launch(tensors)
    assert len(outcome.parts) == 2
    judged(written_out, outcome, tensors)


def test_plan_is_shown_with_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "examples/operations/blocks_rm.py:attention_heads_rm", "--shape", "8x512x64", "--why"]) == 0
    text = capsys.readouterr().out
    assert "plans predicted, without a run" in text
    assert "runner-up" in text


@pytest.mark.parametrize(
    ("shapes", "text"),
    [
        ({"k": (2, 60, 40)}, r"K must have shape \[a divisor of 4, S, 32\], got \[2, 60, 40\]"),
        ({"k": (3, 60, 32), "v": (3, 60, 32)}, r"K must have shape \[a divisor of 4, S, 32\], got \[3, 60, 32\]"),
        ({"v": (2, 61, 32)}, r"V must have shape \[2, 60, N\], a row for each row of K, got \[2, 61, 32\]"),
        ({"k": (2, 30, 32), "v": (2, 30, 32)}, r"K must have at least as many rows as q, 40, as the scores are causal"),
    ],
)
def test_refusals_name_the_tensor_and_the_shape(device: ttnn.Device, shapes: dict[str, Shape], text: str) -> None:
    sizes = {"q": (4, 40, 32), "k": (2, 60, 32), "v": (2, 60, 32)} | shapes
    tensors = {name: Tensor(np.ones(each), ttnn.bfloat16, device) for name, each in sizes.items()}
    with pytest.raises(OperationError, match=text):
        hidden.launch(tensors)


def test_padding_inside_products_is_refused(device: ttnn.Device) -> None:
    case = Case(plain, (), (1, 1), (32, 40), (40, 32), is_tiled=True)
    with pytest.raises(OperationError, match="Q must be in ROW_MAJOR layout: 40 products are added up"):
        plain.launch(tensors_of(case, device))
    short = dataclasses.replace(case, widths=(32, 32), dtype="bfloat8_b")
    with pytest.raises(OperationError, match="V must be BFLOAT16 or FLOAT32: 40 rows end inside a tile"):
        plain.launch(tensors_of(short, device))


def test_causal_has_a_place_in_attention_only() -> None:
    @operation
    def elsewhere(x: Rows) -> Value:
        """No attention."""
        return softmax(causal(x))

    with pytest.raises(OperationError, match=r"`causal\(x\)` has a place in attention only"):
        elsewhere(np.ones((32, 32), np.float32))
    with pytest.raises(FormulaError, match=r"causal\(max\(x\)\): it takes what has a number for every element"):

        @operation
        def columns(x: Rows) -> Value:
            """No scores."""
            return causal(max(x))
