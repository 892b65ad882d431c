# SPDX-License-Identifier: Apache-2.0
"""Ways in which an operation once passed every stage and was wrong: none of them passes any more.

A requirement without a check is in ``test_requirements.py``.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tilewright import Rows, operation, ttnn
from tilewright._planner.kernels import kernels_of_module
from tilewright._planner.model import Choices
from tilewright._workshop.cases import check_operation
from tilewright.formula import Value, exp, mean
from tilewright.formula import _functions as formula
from tilewright.formula._elementwise import ELEMENTWISE
from tilewright.formula._graph import CASTS
from tilewright.ops import Operation, Options, Strategy
from tilewright.ops._accuracy import held, judge
from tilewright.ops._export.reference_text import torch_lines


@operation
def centred_powers(x: Rows) -> Value:
    """A value that stays in L1, is made block by block, and is summed up as it is made."""
    powers = exp(exp(x) * 0.0625)
    return powers - mean(powers)


def test_a_block_phase_does_not_read_its_first_block_again(device: ttnn.Device) -> None:
    array = np.random.default_rng(0).standard_normal((40, 150))
    tensors = {"x": ttnn.from_numpy(array, ttnn.bfloat16, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)}
    outcome = centred_powers.launch(tensors, Options(strategy=Strategy.RESIDENT, block_tiles=1))
    accuracy = judge([outcome.output.to_numpy()], centred_powers.bounds(outcome.plan, held(tensors)))
    assert accuracy.is_within_bound, accuracy.text


def test_reread_first_block_is_found_by_the_derived_cases(device: ttnn.Device) -> None:
    form = centred_powers.form(ttnn.bfloat16)
    text = centred_powers.kernel_text(form, Strategy.RESIDENT)
    assert "block * block_tiles" in text
    again = kernels_of_module("again", text.replace("block * block_tiles", "0"), {})
    choices = Choices(kernels={"resident": {"compute": again.compute}})
    wrong = Operation(
        centred_powers.function, centred_powers.inputs, (), choices, centred_powers.wording, centred_powers.requirements
    )
    with pytest.raises(AssertionError, match="several blocks"):
        check_operation(wrong, device)


def test_cases_that_zeros_pass_are_refused(device: ttnn.Device) -> None:
    @operation
    def nothing(x: Rows) -> Value:
        """Always zero, as a kernel that writes nothing but zeros would be."""
        return x - x

    with pytest.raises(AssertionError, match="zeros would pass every case"):
        check_operation(nothing, device)


def test_the_reference_is_exact_where_a_sum_would_cancel() -> None:
    """1 + erf(x / sqrt(2)) is zero in float64 where gelu is not, and a bound that hides it hides errors too."""

    @operation
    def activated(x: Rows) -> Value:
        """gelu(x)."""
        return formula.gelu(x)

    (exact,) = activated.reference({"x": np.array([[-9.0]])})
    assert exact[0, 0] == pytest.approx(-9 * 1.1285884e-19, rel=1e-6)  # the normal distribution function at -9


def everything(x: Rows, y: Rows) -> tuple[Value, ...]:
    """Every function there is, each a result of its own."""
    positive = formula.abs(x) + 0.25
    of_one = [Value(name, (positive,), positive.extent) for name in (*ELEMENTWISE, *CASTS.values())]
    compared = [x < y, x <= y, x > y, x >= y, x == y, x != y]
    of_two = [x + y, x - y, x * y, x / y, formula.maximum(x, y), formula.minimum(x, 0.5), formula.where(x > y, x, 2)]
    reduced = [
        getattr(formula, name)(x, dim=dim)
        for name in ("sum", "mean", "max", "min", "var", "softmax", "l2_normalize")
        for dim in (-1, -2, (-2, -1))
    ]
    return (*of_one, *compared, *of_two, *reduced, formula.clamp(x, -1, 1), positive**1.5, -x)


def test_the_torch_expressions_of_exported_tests_agree_with_the_formula(
    real_ttnn_with_torch: str, tmp_path: Path
) -> None:
    made = operation(everything)
    arrays = {name: np.random.default_rng(seed).standard_normal((5, 7)) for seed, name in enumerate("xy")}
    script = [
        "import json, torch",
        f"x, y = (torch.tensor(each, dtype=torch.float64) for each in {[each.tolist() for each in arrays.values()]})",
        "def reference(x, y):",
        *(f"    {line}" for line in torch_lines(made.graph)),
        "print(json.dumps([each.tolist() for each in reference(x, y)]))",
    ]
    path = tmp_path / "reference.py"
    path.write_text("\n".join(script))
    found = subprocess.run(
        [real_ttnn_with_torch, str(path)], capture_output=True, text=True, check=True, cwd=tmp_path
    ).stdout
    theirs = [np.asarray(each) for each in json.loads(found)]
    ours = made.graph.reference(arrays)
    for text, got, wanted in zip(made.graph.outputs, theirs, ours, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-12, err_msg=str(text))
