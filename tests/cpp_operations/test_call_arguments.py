# SPDX-License-Identifier: Apache-2.0
"""Arguments of a command's calls: from ``test_dev/inputs.py``, in a layout, and what a function makes."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cpp_operations.test_shift_pages import FOLDER
from tilewright import ttnn
from tilewright._cpp_ops.arguments import call_arguments
from tilewright._cpp_ops.errors import CppOperationError
from tilewright._cpp_ops.targets import with_script

INPUTS = """
import numpy as np

LAYOUT = "TILE"


def inputs(shape, dtype, seed):
    def indices(ttnn, device):
        return ttnn.from_numpy(np.full((1, 32), seed), dtype=ttnn.uint32, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)

    return [np.full(shape, seed, np.float32), indices], {"scale": 2.0}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "test_dev").mkdir()
    (tmp_path / "test_dev" / "inputs.py").write_text(textwrap.dedent(INPUTS))
    return tmp_path


def arguments(folder: Path, device: Any, dtype: str = "bfloat16", layout: str | None = None) -> Any:
    function: Any = None  # inputs.py says everything
    return call_arguments(folder, function, ((64, 64), dtype, 3), ttnn, device, layout)


def test_layout_of_the_file_or_the_command_and_tensors_that_functions_make(folder: Path) -> None:
    with ttnn.manage_device(device_id=0) as device:
        (x, indices), named = arguments(folder, device)
        assert (x.dtype, x.layout) == (ttnn.bfloat16, ttnn.TILE_LAYOUT)
        assert (indices.dtype, indices.layout) == (ttnn.uint32, ttnn.ROW_MAJOR_LAYOUT)
        assert (ttnn.to_numpy(indices) == 3).all()
        assert named == {"scale": 2.0}
        (x, _), _ = arguments(folder, device, "float32", "row_major")
        assert (x.dtype, x.layout) == (ttnn.float32, ttnn.ROW_MAJOR_LAYOUT)
        assert np.array_equal(ttnn.to_numpy(x), np.full((64, 64), 3))


def test_unknown_layout_or_dtype_is_an_error_with_those_allowed(folder: Path) -> None:
    with ttnn.manage_device(device_id=0) as device:
        with pytest.raises(CppOperationError, match="layout TILED: must be one of TILE, ROW_MAJOR"):
            arguments(folder, device, layout="tiled")
        with pytest.raises(CppOperationError, match="dtype float16: must be one of bfloat16, float32"):
            arguments(folder, device, "float16")


def test_command_passes_the_layout_to_the_script_of_a_folder() -> None:
    script, *rest = with_script("check", [str(FOLDER), "--layout", "tile", "--json"], real_ttnn=False)
    assert rest == ["--json"]
    assert "'tile')" in Path(script).read_text()


@pytest.mark.parametrize(
    ("option", "value"), [("--shape", "2xa"), ("--shape", "0x4"), ("--grid", "8"), ("--shape", "")]
)
def test_shape_or_grid_that_is_none_is_an_error_by_name(option: str, value: str) -> None:
    with pytest.raises(CppOperationError, match=f"{option} '{value}' must be "):
        with_script("check", [str(FOLDER), option, value], real_ttnn=False)
