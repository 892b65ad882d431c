# SPDX-License-Identifier: Apache-2.0
"""Spellings of 2025: registered device operations, mesh workloads, pybind11."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from tilewright import ttnn
from tilewright._cpp_ops.bridge import StaleProgramError
from tilewright._cpp_ops.build import build_operation

HERE = Path(__file__).parent
SOURCE = HERE / "mesh_copy" / "mesh_copy_pybind.cpp"
OVERRIDE = "words[0] = args.input_tensor.buffer()->address();"


@pytest.mark.parametrize("forgets", [False, True], ids=["right", "forgotten address"])
def test_registered_operation_with_a_mesh_workload(tmp_path: Path, forgets: bool) -> None:
    folder = tmp_path / "mesh_copy"
    shutil.copytree(HERE / "copy_pages" / "device", folder / "device")
    text = SOURCE.read_text()
    assert OVERRIDE in text
    (folder / SOURCE.name).write_text(text.replace(OVERRIDE, "") if forgets else text)
    library = build_operation(folder).load(ttnn)
    library.compare_with_fresh(True)
    copy = library.functions["mesh_copy"]
    assert copy.signatures == (
        "mesh_copy(input_tensor: ttnn.Tensor, *, memory_config: ttnn.MemoryConfig | None = None)",
    )
    assert "Copies: ttnn.mesh_copy is a mesh_copy_t." in str(copy.__doc__)
    with ttnn.manage_device(device_id=0) as device:
        kept = []
        for seed in (0, 1):
            values = np.random.default_rng(seed).standard_normal((40, 64)).astype(np.float32)
            tensor = ttnn.from_numpy(values, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
            kept.append(tensor)  # the next one lies elsewhere
            if forgets and seed == 1:
                with pytest.raises(StaleProgramError, match=r"kernel copy\.cpp, core 0-0: runtime argument 0 is"):
                    copy(tensor, memory_config=ttnn.L1_MEMORY_CONFIG)
                return
            kept.append(copy(tensor, memory_config=ttnn.L1_MEMORY_CONFIG))
            assert np.array_equal(ttnn.to_numpy(kept[-1]), values)
        with pytest.raises(RuntimeError, match="Only row-major, got Layout::TILE"):
            copy(ttnn.from_numpy(values, layout=ttnn.TILE_LAYOUT, device=device))
