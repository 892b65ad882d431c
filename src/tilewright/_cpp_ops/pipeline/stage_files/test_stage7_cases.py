# SPDX-License-Identifier: Apache-2.0
"""Stage 7 of a folder with ``feature_spec.py``: each of its cases runs, or validation refuses it.

Numbers are compared with ``reference`` of ``test_dev/inputs.py``, within its ``tolerance(shape, dtype)``; without them
they are not judged. Cases that the time limit of the stage leaves out are skipped.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import ttnn

from tilewright._cpp_ops.arguments import folder_layout, inputs_file, placed, values
from tilewright._cpp_ops.build import build_operation
from tilewright._cpp_ops.library import is_host_error
from tilewright._cpp_ops.operation_folder import read_folder
from tilewright._cpp_ops.pipeline import FOLDER_VARIABLE, SECONDS_VARIABLE
from tilewright._cpp_ops.pipeline.feature_spec import (
    FeatureCase,
    TensorArgument,
    case_arguments,
    find_feature_spec,
    read_feature_spec,
    tensor_axes,
)
from tilewright._cpp_ops.signature import parameters

FOLDER = Path(os.environ[FOLDER_VARIABLE])
LATEST = time.monotonic() + float(os.environ[SECONDS_VARIABLE])
READ = read_folder(FOLDER)
FUNCTION = build_operation(FOLDER).load(ttnn).functions[READ.name]
GIVEN = parameters(FUNCTION.signatures[0])
PATH = find_feature_spec(READ)
assert PATH is not None
SPEC = read_feature_spec(PATH, GIVEN, READ.tree)
INPUTS = inputs_file(FOLDER)
ran: list[FeatureCase] = []


def arguments(case: FeatureCase, device: Any) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Arguments for the operation, and the arrays among them for the reference, where there is one."""
    names = [each.name for each in GIVEN]
    main_dtype, _ = tensor_axes(case, names[0])
    dtype_name = str(main_dtype or ttnn.bfloat16).rpartition(".")[2].lower()
    if INPUTS is not None and len(case.shapes) == 1:
        positional, named = INPUTS.inputs(case.shapes[0], dtype_name, 0)
        plain = {**dict(zip(names, positional, strict=False)), **named}
        plain |= {name: value for name, value in case.axes.items() if name in names}
    else:
        random = np.random.default_rng(0)
        plain = {
            name: random.standard_normal(each.shape).astype(np.float32) if isinstance(each, TensorArgument) else each
            for name, each in case_arguments(case, GIVEN).items()
        }
    given = {}
    for name, each in plain.items():
        dtype, layout = tensor_axes(case, name)
        given[name] = placed(each, dtype or ttnn.bfloat16, ttnn, device, layout or folder_layout(FOLDER, ttnn))
    is_judged = INPUTS is not None and hasattr(INPUTS, "reference") and hasattr(INPUTS, "tolerance")
    return given, plain if is_judged else None


def test_every_axis_is_applied() -> None:
    if SPEC.not_applied:
        pytest.skip(f"axes that no argument stands for: {', '.join(SPEC.not_applied)}")


@pytest.mark.parametrize("case", SPEC.cases, ids=str)
def test_case(case: FeatureCase, device: Any) -> None:
    if time.monotonic() > LATEST:
        pytest.skip("not run: the time limit of the stage")
    given, plain = arguments(case, device)
    try:
        result = FUNCTION(**given)
    except RuntimeError as error:
        if not is_host_error(error):
            raise
        pytest.skip(f"refused: {str(error).strip().splitlines()[-1]}")
    ran.append(case)
    got = values(result[0] if isinstance(result, (list, tuple)) else result)
    if plain is None or INPUTS is None:
        return
    dtype, _ = tensor_axes(case, GIVEN[0].name)
    bound = INPUTS.tolerance(case.shapes[0], str(dtype or ttnn.bfloat16).rpartition(".")[2].lower())
    if bound is None:
        return
    wanted = INPUTS.reference(
        **{name: each.astype(np.float64) if isinstance(each, np.ndarray) else each for name, each in plain.items()}
    )
    wrong = ~(np.abs(got - wanted) <= bound * np.maximum(1.0, np.abs(wanted)))
    if wrong.any():
        first = tuple(int(each) for each in np.argwhere(wrong)[0])
        pytest.fail(
            f"{case}: {wrong.sum()} of {wrong.size} numbers are wrong; the first is {first}: "
            f"got {got[first]}, expected {wanted[first]}",
            pytrace=False,
        )


def test_validation_does_not_refuse_every_case() -> None:
    assert ran, f"none of the {len(SPEC.cases)} cases of {SPEC.path.name} ran"
