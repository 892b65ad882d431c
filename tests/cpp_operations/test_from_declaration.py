# SPDX-License-Identifier: Apache-2.0
"""Folders from declarations: the program of the stage tests, numbers of their reference, and errors by name."""

from __future__ import annotations

import ast
import math
import re
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilewright import ttnn
from tilewright._cpp_ops.arguments import inputs_file
from tilewright._cpp_ops.build import build_operation
from tilewright._tensor.paper_device import paper_device
from tilewright._workshop.home import find_operation
from tilewright.formula._elementwise import ELEMENTWISE
from tilewright.ops._export.package import ExportError
from tilewright.ops._export.reference_text import numpy_helpers, numpy_lines
from tilewright.ops._export.tree_code import tree_files, write_folder
from tilewright.ops._operation import Operation


def declared(place: Path, name: str, parameters: str, body: str, requires: str = "") -> Operation:
    """An operation from a file with its declaration."""
    text = f'''
        from tilewright import BroadcastTensor, Matrix, Requirement, Rows, operation
        from tilewright.formula import *


        @operation({requires})
        def {name}({parameters}):
            """A formula."""
            return {body}
    '''
    file = place / f"{name}.py"
    file.write_text(textwrap.dedent(text))
    return find_operation(str(file)).operation()


def written(operation: Operation, place: Path) -> dict[str, str]:
    """Writes an operation's folder; its files by their paths in it."""
    files = {name.split("/", 2)[2]: text for name, text in tree_files(operation).items()}
    write_folder(files, place / operation.name, place / operation.name)
    return files


def test_folder_has_the_plan_of_the_rules_and_its_stage_tests_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = "where(x > b, gelu(x), silu(b)) + mean(abs(x), dim=(-2, -1)) * k"
    operation = declared(tmp_path, "mixed", "x: Rows, b: BroadcastTensor, *, k=2.0", body)
    decision = operation.decision((2, 3, 64, 128), ttnn.bfloat16, paper_device("wormhole_b0"))
    assert decision.chosen is not decision.rule  # or another formula is needed here
    files = written(operation, tmp_path)
    stage_5 = files["test_dev/test_stage5_mixed_program_factory.py"]
    stage_7 = files["test_dev/test_stage7_mixed_numbers.py"]
    buffers = ast.literal_eval(re.findall(r"^CIRCULAR_BUFFERS = (.*)$", stage_5, re.MULTILINE)[0])
    cases = ast.literal_eval(re.findall(r"^CASES = (\[.*?^\])", stage_7, re.MULTILINE | re.DOTALL)[0])
    helper = inputs_file(tmp_path / "mixed")
    assert helper is not None
    mixed = build_operation(tmp_path / "mixed", together=True).load(ttnn).functions["mixed"]

    programs: list[Any] = []
    run = ttnn.generic_op
    monkeypatch.setattr(ttnn, "generic_op", lambda io, program: (programs.append(program), run(io, program))[1])
    with ttnn.manage_device(device_id=0) as device:
        for shape, dtype, bound in cases:
            args, kwargs = helper.inputs(shape, dtype, 0)
            tensors = [ttnn.from_numpy(each, dtype=getattr(ttnn, dtype), device=device) for each in args]
            got = ttnn.to_numpy(mixed(*tensors, **kwargs)).astype(np.float64)
            wanted = helper.reference(*(each.astype(np.float64) for each in args), **kwargs)
            assert (np.abs(got - wanted) <= bound * np.maximum(1, np.abs(wanted))).all()
    assert buffers == {
        form.buffer_index: (cb.total_size // form.page_size, form.page_size)
        for cb in programs[0].cbs
        for form in cb.format_descriptors
    }


def test_reference_in_numpy_has_every_function_of_formulas(tmp_path: Path) -> None:
    calls = [f"{name}(x)" for name in ELEMENTWISE if name != "neg"]
    calls += ["-x", "clamp(x, 0.5, 0.75)", "power(x, 3.0)", "maximum(x, 0.6)", "minimum(x, z)", "where(x > z, x, z)"]
    calls += [f"{name}(x)" for name in ("sum", "mean", "max", "min", "var", "softmax", "l2_normalize")]
    calls += [f"cast(x, '{name}')" for name in ("bfloat16", "float32", "int32")]
    values = [np.random.default_rng(seed).uniform(0.1, 3, (2, 40)) for seed in (0, 1)]
    lines: list[str] = []
    graphs = [declared(tmp_path, f"f{number}", "x: Rows, z: Rows", f"{call} + z") for number, call in enumerate(calls)]
    for number, each in enumerate(graphs):
        body = numpy_lines(each.graph)
        lines += [f"def f{number}(x, z):", *(f"    {line}" for line in body)]
    found: dict[str, Any] = {"np": np, "math": math}
    exec("\n".join([numpy_helpers(lines), *lines]), found)
    for number, each in enumerate(graphs):
        (wanted,) = each.reference({"x": values[0], "z": values[1]})
        assert np.allclose(found[f"f{number}"](*values), wanted, rtol=1e-12, atol=0), calls[number]


@pytest.mark.parametrize(
    ("parameters", "body", "requires", "reason"),
    [
        ("x: Rows, w: Matrix", "x @ w", "", "refused has a matrix product"),
        ("x: Rows, w: Matrix, v: Matrix", "silu(x @ w) @ v", "", r"refused becomes 2 programs \(refused_\w+, refused_"),
        ("x: Rows", "x - mean(x) - mean(x, dim=-2)", "", "refused becomes 2 programs"),
        ("x: Rows", "(x + 1.0, mean(x))", "", "refused has several results"),
        ("x: Rows", "x * 2.0", "requires=[Requirement('x.shape[-1] == 32', 'Not 32')]", "refused has requirements"),
    ],
)
def test_declaration_that_no_folder_can_have_is_refused(
    tmp_path: Path, parameters: str, body: str, requires: str, reason: str
) -> None:
    with pytest.raises(ExportError, match=rf"{reason}.*`tilewright export FILE --output DIR` writes"):
        tree_files(declared(tmp_path, "refused", parameters, body, requires))
