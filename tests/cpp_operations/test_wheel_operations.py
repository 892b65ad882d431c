# SPDX-License-Identifier: Apache-2.0
"""Operations built from the host code in the ttnn wheel give what ttnn's own give, to the bit."""

from __future__ import annotations

from pathlib import Path

from tools.run_wheel_host import kept, operation_folders, run_folders

# A program spec, one without inputs, one with several factories, and descriptors.
FOLDERS = ("moreh_dot", "moreh_arange", "moreh_abs_pow", "moreh_adam")


def test_operations_of_the_wheel_equal_those_of_ttnn(real_ttnn_with_torch: str, tmp_path: Path) -> None:
    folders = [folder for folder in operation_folders(real_ttnn_with_torch) if folder.name in FOLDERS]
    assert len(folders) == len(FOLDERS)
    run_folders(real_ttnn_with_torch, folders, tmp_path)
    outcomes = {folder.name: kept(folder, tmp_path) for folder in folders}
    assert {name: [case["outcome"] for case in result["cases"]] for name, result in outcomes.items()} == {
        name: ["equal"] for name in FOLDERS
    }, outcomes
