# SPDX-License-Identifier: Apache-2.0
"""``op_design.md`` and ``feature_spec.py`` beside an operation: read in their several forms, and held against it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tilewright._cpp_ops.pipeline.design import amount, read_design
from tilewright._cpp_ops.pipeline.design_comparison import DesignCase, compare_design
from tilewright._cpp_ops.pipeline.feature_spec import TensorArgument, case_arguments, read_feature_spec
from tilewright._cpp_ops.signature import parameters
from tools.write_cpp_examples import EXAMPLES

CASE = DesignCase((2, 3, 64, 128), "bfloat16", "bfloat16", 128)

# The program's circular buffers for CASE: cores, bytes, formats with index, name, number, page size, tile.
PROGRAM: list[Any] = [
    [],
    [
        [None, 2 * 4 * 2048, [[0, "Float16_b", 5, 2048, None]], None],
        [None, 64 * 256, [[1, "Float16_b", 5, 256, None]], None],
        [None, 2048, [[2, "Float16_b", 5, 2048, None]], None],
        [None, 4 * 4096, [[24, "Float32", 0, 4096, None]], None],
    ],
    [],
]

# Columns of designs of several months, about the same program.
DESIGNS = {
    "cb id and pages": """
### Circular Buffer Requirements
| CB ID | Name | Purpose | Producer | Consumer | Pages | Lifetime |
|-------|------|---------|----------|----------|-------|----------|
| c_0 | cb_in | Input | Reader | Compute | 2*Wt | Block |
| c_1 | cb_rm | Sticks | Reader | Compute | H | Block |
| c_2 | cb_scaler | Scaler | Reader | Compute | 1 | Program |
| c_24 | cb_mean | Mean | Compute | Compute | Wt | Block |
""",
    "semantic name and num pages": """
| Semantic Name | Index | Page Size | Num Pages | Format | Producer | Consumer | Lifetime |
|---|---|---|---|---|---|---|---|
| `cb_in` | 0 | tile | `2·Wt` (double-buffered) | input dtype | reader | compute | streamed |
| `cb_rm` | 1 | stick (`W·elt`, aligned) | `2 * TILE` | bf16 | reader | compute | streamed |
| `cb_scaler` | 2 | tile_size | 1 | **bfloat16** | reader | compute | program |
| `cb_gamma` | 3 | tile | `Wt` | bf16 | reader | compute | gamma present only |
| `cb_sum` | 24 | 4096 B | `ceil(W/32)` tiles | fp32 | compute | compute | row |
""",
    "cb and pages with an index in front": """
| CB | Pages | Layout | Valid Region | Lifetime |
|----|-------|--------|--------------|----------|
| 0 (cb_in) | 8 | TILE | All | Block |
| 1 (cb_rm) | 64 | RM | All | Block |
| 2 (cb_scaler) | 1 | TILE | Row 0 | Program |
| 24 (cb_mean) | Wt | TILE | Col 0 | Block |
""",
    "older index words, capacity, block factors": """
| Name | Type | Required | Default | CT/RT |
|---|---|---|---|---|
| `block_tiles` | host constant | no | `4` | CT |

| CB ID | Purpose | Capacity | Block Size | Producer | Consumer |
|---|---|---|---|---|---|
| c_in0 | input | 2*block_tiles | Wt | reader | compute |
| c_in1 | sticks | 64 pages | 32 | reader | compute |
| c_in2 | scaler | 1 (once) | 1 | reader | compute |
| c_intermed0 | mean | block_tiles tiles | 1 | compute | compute |
""",
}


@pytest.mark.parametrize("form", DESIGNS)
def test_design_is_read_in_each_form(form: str, tmp_path: Path) -> None:
    path = tmp_path / "op_design.md"
    path.write_text(DESIGNS[form])
    comparison = compare_design(read_design(path), PROGRAM, CASE)
    assert (comparison.differences, comparison.not_judged) == ([], [])


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("`2·Wt` (double-buffered)", "`Wt`", "op_design.md:4: c_0 cb_in: the design has Wt = 4 pages, the program 8"),
        (
            "| tile_size | 1 |",
            "| stick | 1 |",
            "c_2 cb_scaler: the design has pages of stick (256 bytes), the program",
        ),
        ("| fp32 |", "| bf16 |", "c_24 cb_sum: the design has Float16_b, the program Float32"),
        ("gamma present only", "streamed", "c_3 cb_gamma: the program has no c_3"),
        ("| `cb_scaler` | 2 |", "| `cb_scaler` | 4 |", "the program has c_2, the design has no row for it"),
    ],
)
def test_difference_names_line_buffer_and_both_values(old: str, new: str, said: str, tmp_path: Path) -> None:
    text = DESIGNS["semantic name and num pages"]
    assert old in text
    path = tmp_path / "op_design.md"
    path.write_text(text.replace(old, new))
    assert any(said in line for line in compare_design(read_design(path), PROGRAM, CASE).differences)


def test_unknown_names_are_not_judged(tmp_path: Path) -> None:
    path = tmp_path / "op_design.md"
    path.write_text(DESIGNS["semantic name and num pages"].replace("`2·Wt` (double-buffered)", "2 stick-blocks"))
    comparison = compare_design(read_design(path), PROGRAM, CASE)
    assert comparison.differences == []
    (said,) = comparison.not_judged
    assert "c_0 cb_in: '2 stick-blocks' pages is no formula" in said
    assert amount("__import__('os')", {}) is None


SPEC = """
import ttnn

TARGET = {
    "dtype": [ttnn.bfloat16, ttnn.bfloat8_b],
    "layout": [ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT],
    "alignment": ["tile_aligned", "w_non_aligned"],
    "gamma_dtype": [ttnn.float32, "none"],
    "groups": [1, 2],
}
INVALID = [
    {"dtype": ttnn.bfloat8_b, "layout": ttnn.ROW_MAJOR_LAYOUT},
    {"gamma_dtype": "none", "groups": 2},
]
INPUTS = [((1, 1, 64, 64), (1, 64)), ((1, 1, 32, 32), (1, 32))]
LOOSE_CASES = [
    {"inputs": ((1, 8), (1, 8)), "dtype": ttnn.bfloat16, "layout": ttnn.TILE_LAYOUT, "gamma_dtype": "none", "groups": 1}
]
"""
GIVEN = parameters("f(x: ttnn.Tensor, gamma: ttnn.Tensor | None = None, *, groups: int = 1)")


def test_cases_are_the_valid_cells_with_each_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tilewright.ttnn as ttnn

    monkeypatch.setitem(sys.modules, "ttnn", ttnn)
    path = tmp_path / "feature_spec.py"
    path.write_text(SPEC)
    spec = read_feature_spec(path, GIVEN)
    # Of 2 dtypes x 2 layouts one cell is invalid, of 2 gammas x 2 groups one; 2 inputs; 1 case of its own.
    assert len(spec.cases) == 3 * 3 * 2 + 1
    assert spec.not_applied == ("alignment",)
    assert spec.cases[0].shapes == [(1, 8), (1, 8)]  # small ones first
    assert case_arguments(spec.cases[0], GIVEN) == {
        "x": TensorArgument((1, 8), ttnn.bfloat16, ttnn.TILE_LAYOUT),
        "groups": 1,
    }
    with_gamma = next(case for case in spec.cases if case.axes["gamma_dtype"] == ttnn.float32)
    assert case_arguments(with_gamma, GIVEN)["gamma"] == TensorArgument((1, 32), ttnn.float32, ttnn.TILE_LAYOUT)


# The example's circular buffers for a row that stays in L1.
DESIGN = """
| CB | Pages | Page Size | Format |
|---|---|---|---|
| c_0 | 2*Wt | tile | input |
| c_1 | Wt | tile | bf16 |
| c_2 | 1 | tile | bf16 |
| c_3 | 1 | tile | fp32 |
| c_16 | 2*Wt | tile | output |
"""
CENTRALIZE_SPEC = """
import ttnn
TARGET = {"dtype": [ttnn.bfloat16, ttnn.float32], "layout": [ttnn.ROW_MAJOR_LAYOUT, ttnn.TILE_LAYOUT]}
INPUTS = [((2, 32, 64),), ((47, 100),)]
INVALID = [{"dtype": ttnn.float32, "layout": ttnn.TILE_LAYOUT}]
"""


def tilewright(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tilewright", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_folder_is_held_against_its_files_by_check_and_stages(tmp_path: Path) -> None:
    folder = tmp_path / "centralize_w_rm"
    shutil.copytree(EXAMPLES / "centralize_w_rm", folder)
    (folder / "op_design.md").write_text(DESIGN.replace("| c_3 | 1 |", "| c_3 | 2 |"))
    (folder / "feature_spec.py").write_text(CENTRALIZE_SPEC)
    five = tilewright("stages", str(folder), "--stage", "5")
    assert five.returncode == 1
    assert "op_design.md:7: c_3: the design has 2 pages, the program 1" in five.stdout
    seven = tilewright("stages", str(folder), "--stage", "7")
    assert seven.returncode == 0, seven.stdout
    assert "10 tests pass; 2 refused: Input must be in ROW_MAJOR layout" in seven.stdout  # tiles, of bfloat16
    checked = tilewright("check", str(folder))
    assert checked.returncode == 1
    assert "op_design.md:7: c_3: the design has 2 pages, the program 1" in checked.stdout + checked.stderr
    (folder / "op_design.md").write_text(DESIGN)
    assert tilewright("exec", str(folder)).returncode == 0
