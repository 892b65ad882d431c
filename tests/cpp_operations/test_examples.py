# SPDX-License-Identifier: Apache-2.0
"""The documents' operations as C++ folders: as their declarations give them, and right on both chips."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilewright import ops, ttnn
from tilewright._cpp_ops.build import build_operation
from tilewright._cpp_ops.folder_log import folder_log
from tools.write_cpp_examples import EXAMPLES, NAMES, example_files


def helper(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"{name}_inputs", EXAMPLES / name / "test_dev" / "inputs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", NAMES)
def test_folder_equals_the_export_of_its_declaration(name: str) -> None:
    written = {
        str(path.relative_to(EXAMPLES)): path.read_text()
        for path in (EXAMPLES / name).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert written == example_files(name)


@pytest.mark.parametrize("arch", ["wormhole_b0", "blackhole"])
@pytest.mark.parametrize("name", NAMES)
def test_result_is_that_of_the_declaration_bit_for_bit(name: str, arch: str) -> None:
    library = build_operation(EXAMPLES / name).load(ttnn)
    library.compare_with_fresh(True)
    with ttnn.manage_device(device_id=0, arch=arch) as device:
        kept = []
        for seed, shape in enumerate([(2, 3, 64, 128), (3, 47, 100), (2, 3, 64, 128), (32, 4096)]):
            for dtype in (ttnn.bfloat16, ttnn.float32):
                args, kwargs = helper(name).inputs(shape, "bfloat16", seed)
                tensors = [ttnn.from_numpy(each, dtype=dtype, device=device) for each in args]
                got = library.functions[name](*tensors, **kwargs)
                wanted = getattr(ops, name)(*tensors, **kwargs)
                kept.append((tensors, got))
                assert got.shape == wanted.shape
                assert np.array_equal(ttnn.to_numpy(got), ttnn.to_numpy(wanted))
    library.compare_with_fresh(False)


def stage_table(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tilewright", "stages", str(folder), *options],
        capture_output=True,
        text=True,
        check=False,
    )


def test_stages_of_an_example_are_green_and_its_log_has_them(tmp_path: Path) -> None:
    folder = tmp_path / "variance_w_rm"
    shutil.copytree(EXAMPLES / "variance_w_rm", folder)
    result = stage_table(folder)
    assert result.returncode == 0, result.stdout
    assert "7 of 7 stages that ran are green" in result.stdout
    log = folder_log(folder)
    assert [(each.number, each.status.text if each.status else "") for each in log.stages] == [
        (stage, "PASS") for stage in range(1, 8)
    ]
    buffers = {each.text("index"): (each.text("num_pages"), each.text("page_size")) for each in log.of("cb_config")}
    assert buffers["c_4"] == ("4", "4096 B")  # the one of centralized values
    moved = {each.text("index"): (each.text("push"), each.text("pop")) for each in log.of("cb_sync_check")}
    assert moved["c_16"][0] == moved["c_16"][1]
    assert {each.text("file") for each in log.of("kernel_implemented")} == {
        "read.cpp",
        "compute_variance_w_rm.cpp",
        "write.cpp",
    }
    assert [each.text("text") for each in log.of("handoff")] == ["Stages that pass: 1, 2, 3, 4, 5, 6, 7."]


def test_wrong_scale_is_red_in_stage_7_with_one_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "centralize_w_rm"
    shutil.copytree(EXAMPLES / "centralize_w_rm", folder)
    plan = folder / "device" / "centralize_w_rm_plan.hpp"
    plan.write_text(plan.read_text().replace("(1 + 0x1p-12) / lines", "0.5 / lines"))
    result = stage_table(folder, "--stage", "7")
    assert result.returncode == 1
    assert "numbers are wrong; the first is (0, 0, 0, 0): got" in result.stdout
