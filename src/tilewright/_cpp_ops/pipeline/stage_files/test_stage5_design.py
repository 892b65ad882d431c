# SPDX-License-Identifier: Apache-2.0
"""Stage 5 of a folder with ``op_design.md``: its circular buffers are those of the program."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import ttnn

from tilewright._cpp_ops.arguments import call_arguments
from tilewright._cpp_ops.build import build_operation
from tilewright._cpp_ops.driver import DEFAULT_SHAPE, case_of, nearest_comparison
from tilewright._cpp_ops.pipeline import FOLDER_VARIABLE

FOLDER = Path(os.environ[FOLDER_VARIABLE])


@pytest.mark.parametrize("shape", [DEFAULT_SHAPE, (64, 256)])
def test_circular_buffers_are_those_of_the_design(device: Any, shape: tuple[int, ...]) -> None:
    """Programs are made and not run: their circular buffers are enough."""
    built = build_operation(FOLDER)
    library = built.load(ttnn)
    programs: list[Any] = []
    library.bridge.on_program = programs.append
    library.bridge.launches = False
    try:
        for function in library.functions.values():
            args, kwargs = call_arguments(FOLDER, function, (shape, "bfloat16", 0), ttnn, device)
            result = function(*args, **kwargs)
    finally:
        library.bridge.on_program = None
        library.bridge.launches = True
    comparison = nearest_comparison(built.folder, programs, case_of(shape, "bfloat16", result))
    assert comparison is not None, "the operation launched no program"
    if comparison.differences:
        pytest.fail("; ".join(comparison.differences), pytrace=False)
