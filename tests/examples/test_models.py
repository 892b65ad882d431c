# SPDX-License-Identifier: Apache-2.0
"""The models of examples/models run on the simulated card and agree with float64."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

MODELS = Path(__file__).resolve().parents[2] / "examples" / "models"
SOURCE = MODELS.parents[1] / "src"
RUN_ALL = """
import cnn, decoder_with_paged_cache, encoder_with_trace, float64_reference
encoder_with_trace.main(), decoder_with_paged_cache.main(), cnn.main()
float64_reference.BFLOAT16 /= 64
try:
    cnn.main()
except AssertionError as error:
    print("refused:", error)
"""


@pytest.mark.parametrize("arch", ["wormhole_b0", "blackhole"])
def test_models_agree_with_float64(arch: str, real_ttnn_with_torch: str) -> None:
    command = [real_ttnn_with_torch, "-m", "tilewright", "exec", "--quiet", "--arch", arch, "--"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (SOURCE, MODELS))), "LOGURU_LEVEL": "ERROR"}
    ended = subprocess.run(
        [*command, real_ttnn_with_torch, "-c", RUN_ALL], env=environment, capture_output=True, text=True, timeout=600
    )
    assert ended.returncode == 0, ended.stderr
    names = [line.partition(":")[0] for line in ended.stdout.splitlines() if "largest error" in line]
    replays, positions = (
        [f"replay {number}" for number in range(3)],
        [f"positions [{30 + n}, {3 + n}]" for n in range(4)],
    )
    assert names == [*replays, *positions, "scores", "scores"]
    assert "refused: scores: an element is wrong by" in ended.stdout


@pytest.mark.parametrize(("system", "kind", "chips"), [("1x8", "tensor", 8), ("n300", "data", 2)])
def test_a_decoder_layer_on_several_chips_agrees_with_one_and_float64(
    system: str, kind: str, chips: int, real_ttnn_with_torch: str
) -> None:
    command = [real_ttnn_with_torch, "-m", "tilewright", "exec", "--quiet", "--system", system]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "LOGURU_LEVEL": "ERROR"}
    script = str(MODELS / "parallel_decoder_layer.py")
    ended = subprocess.run(
        [*command, script, kind, str(chips)], env=environment, capture_output=True, text=True, timeout=600
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.count("largest error") == chips + (kind == "tensor")
    assert f"{chips} chips against one" in ended.stdout
