# SPDX-License-Identifier: Apache-2.0
"""C++ operations with the real ttnn: the values of the declarations bit for bit, and errors after which it goes on."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright
from tests.cpp_operations import real_examples
from tests.cpp_operations.test_shift_pages import FOLDER, STALE
from tilewright import ops, ttnn


@pytest.fixture(scope="module")
def forgetful(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An operation that leaves a number of its first call in the cached program."""
    folder = tmp_path_factory.mktemp("forgetful") / "shift_pages"
    shutil.copytree(FOLDER, folder)
    file, old, new, _ = STALE["forgotten scalar"]
    (folder / file).write_text((folder / file).read_text().replace(old, new))
    return folder


def ran(real_ttnn: str, arch: str, folder: Path, place: Path) -> Any:
    """What the process with the real ttnn kept."""
    root = Path(tilewright.__file__).parents[1]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TT_")}
    command = [real_ttnn, "-m", "tilewright", "exec", "--quiet", "--arch", arch, real_examples.__file__]
    result = subprocess.run(
        [*command, str(place / "results.npz"), str(folder)],
        capture_output=True,
        text=True,
        env={**kept, "PYTHONPATH": str(root), "LOGURU_LEVEL": "ERROR"},
        timeout=600,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return np.load(place / "results.npz")


@pytest.mark.parametrize("arch", ["wormhole_b0", "blackhole"])
def test_values_are_those_of_the_declarations_and_errors_are_named(
    real_ttnn: str, arch: str, forgetful: Path, tmp_path: Path
) -> None:
    found = ran(real_ttnn, arch, forgetful, tmp_path)
    with ttnn.manage_device(device_id=0, arch=arch) as device:
        for folder in sorted(real_examples.EXAMPLES.iterdir()):
            for seed, shape in enumerate(real_examples.SHAPES):
                for dtype in real_examples.DTYPES:
                    args, kwargs = real_examples.inputs_of(folder.name)(shape, dtype, seed)
                    tensors = [ttnn.from_numpy(each, dtype=getattr(ttnn, dtype), device=device) for each in args]
                    wanted = ttnn.to_numpy(getattr(ops, folder.name)(*tensors, **kwargs)).astype(np.float32)
                    got = found[f"{folder.name} {seed} {dtype}"]
                    assert got.shape == wanted.shape
                    assert np.array_equal(got, wanted), f"{folder.name} on {shape} {dtype}"
    validation, wrong_type, stale = found["errors"]
    assert validation.startswith("RuntimeError: TT_FATAL @ ")
    assert "Offset 64 must be less than" in validation
    assert wrong_type.startswith("TypeError: ")
    assert stale.startswith("StaleProgramError: ")
    assert "reader_shift_pages.cpp, core 0-0: runtime argument 1 is 3, a fresh program has 5" in stale
