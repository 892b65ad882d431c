# SPDX-License-Identifier: Apache-2.0
"""Operations from the host code that the ttnn wheel ships, unchanged: equal to ttnn's own to the bit."""

from __future__ import annotations

from pathlib import Path

from tools.run_wheel_host import agreeing, kept, line, operation_folders, run_folders

# Small ones: host code of any other takes longer to compile than these together.
NAMES = ("moreh_dot", "moreh_arange", "moreh_abs_pow")


def test_operations_of_the_wheel_agree_with_ttnn_to_the_bit(real_ttnn_with_torch: str, tmp_path: Path) -> None:
    found = {folder.name: folder for folder in operation_folders(real_ttnn_with_torch)}
    folders = [found[name] for name in NAMES]
    run_folders(real_ttnn_with_torch, folders, tmp_path)
    for folder in folders:
        result = kept(folder, tmp_path)
        assert agreeing(result) == [folder.name], line(folder, result, details=True)
