# SPDX-License-Identifier: Apache-2.0
"""``error=``: the fidelity it chooses, and results within the bound that follows from it."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright import Matrix, Rows, operation, ttnn
from tilewright._planner.fidelity import DEFAULT_ERROR
from tilewright._tensor.paper_device import paper_device
from tilewright.check._check_program import check_program
from tilewright.formula import Value, mean, sum
from tilewright.formula._validation import OperationError
from tilewright.ops import Operation, Options, variance_w_rm
from tilewright.ops._accuracy import held, judge
from tilewright.ops._plan_by_clock import why_lines

Fidelity = ttnn.MathFidelity
ERRORS = {Fidelity.HiFi4: 0.0, Fidelity.HiFi3: DEFAULT_ERROR, Fidelity.HiFi2: 2.0**-7, Fidelity.LoFi: 0.25}


@operation
def products(x: Rows, y: Rows) -> tuple[Value, Value]:
    """A product of two buffers, and a sum of one."""
    return x * y, sum(x)


@operation
def weighted(x: Rows, weights: Matrix) -> Value:
    """x @ weights."""
    return x @ weights


@operation
def of_columns(x: Rows) -> Value:
    """Means of columns, which are sums of numbers in SrcA."""
    return mean(x, dim=-2)


@operation(error=0.25)
def rough(x: Rows, y: Rows) -> Value:
    """A declaration that allows as much as LoFi leaves out."""
    return x * y


def fidelity(of: Operation, **options: float) -> ttnn.MathFidelity:
    layout = ttnn.TILE_LAYOUT
    return of.plan((64, 128), ttnn.bfloat16, paper_device("wormhole_b0"), layout=layout, **options).fidelity  # type: ignore[arg-type]


@pytest.mark.parametrize("wanted", ERRORS)
def test_the_lowest_fidelity_within_the_error_is_chosen(wanted: ttnn.MathFidelity) -> None:
    assert fidelity(products, error=ERRORS[wanted]) is wanted
    assert fidelity(weighted, error=ERRORS[wanted]) is wanted


def test_default_error_is_the_truncation_of_a_float32() -> None:
    assert fidelity(products) is Fidelity.HiFi3
    assert fidelity(of_columns) is Fidelity.HiFi2  # which leaves nothing out of them
    assert fidelity(rough) is Fidelity.LoFi
    assert fidelity(rough, error=0) is Fidelity.HiFi4
    decided = variance_w_rm.plan((64, 128), ttnn.bfloat16, paper_device("wormhole_b0"))
    assert decided.fidelity is Fidelity.HiFi4  # its declaration decides about the plan


def test_fidelity_and_reason_for_it_are_printed() -> None:
    found = products.decision((64, 128), ttnn.bfloat16, paper_device("wormhole_b0"), layout=ttnn.TILE_LAYOUT)
    assert why_lines(found)[-1] == (
        "HiFi3 leaves out 0.00049 of a product at most, within error=0.00098; HiFi2 would leave out 0.0078"
    )


def adversarial(generator: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers with all low bits set, large and tiny rows, rows that cancel."""
    x = generator.choice([1.9921875, -1.9921875, 1.0078125, 1.0625], size=shape)
    x[0] = 1.9921875
    x[1] *= 2.0**40
    x[2] *= 2.0**-40
    x[3, 1::2] = -x[3, ::2]
    return x.astype(np.float32)


@pytest.mark.parametrize("chip", ["wormhole", "blackhole"])
@pytest.mark.parametrize("of", [products, weighted])
def test_results_are_within_the_bound_of_each_fidelity(
    request: pytest.FixtureRequest, chip: str, of: Operation, generator: np.random.Generator
) -> None:
    device = request.getfixturevalue(chip)
    tensors = {
        each.name: ttnn.as_tensor(
            adversarial(generator, (64, 64)), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device
        )
        for each in of.inputs
    }
    exact_plan = of.launch(tensors, Options(error=0)).plan
    for wanted, error in ERRORS.items():
        outcome = of.launch(tensors, Options(error=error))
        assert outcome.plan.fidelity is wanted
        results = [each.to_numpy() for each in outcome.outputs]
        accuracy = judge(results, of.bounds(outcome.plan, held(tensors)))
        assert accuracy.is_within_bound, f"{wanted}: {accuracy.text}"
        if wanted in (Fidelity.LoFi, Fidelity.HiFi2):  # what is left out is no rounding: the bound must know of it
            assert not judge(results, of.bounds(exact_plan, held(tensors))).is_within_bound
        assert check_program([*tensors.values(), *outcome.outputs], outcome.program).findings == []


def test_invalid_error_option_is_refused(device: ttnn.Device) -> None:
    x = ttnn.ones((32, 32), ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    with pytest.raises(OperationError, match="error must be a number from 0"):
        products(x, x, error=-1)
    with pytest.raises(TypeError, match="error must be a number"):
        products(x, x, error="low")
    with pytest.raises(OperationError, match="give one of them"):
        products(x, x, error=0.1, compute_kernel_config=ttnn.ComputeConfigDescriptor())
