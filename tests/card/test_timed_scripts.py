# SPDX-License-Identifier: Apache-2.0
"""``tilewright time`` and ``tilewright debug`` of a script that uses the real ttnn."""

from __future__ import annotations

import csv
import json
import subprocess
from pathlib import Path

import pytest

_MODEL = """
import ttnn

device = ttnn.open_device(device_id=0)


class Layer:
    def __call__(self, x):
        return ttnn.add(ttnn.relu(x), x)


x = ttnn.empty([32, 256], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
layers = [Layer(), Layer(), Layer()]
for layer in layers:
    x = layer(x)
ttnn.ReadDeviceProfiler(device)
print(ttnn.get_latest_programs_perf_data())
ttnn.close_device(device)
"""
_SCRIPT = """
import ttnn

device = ttnn.open_device(device_id=0)
x = ttnn.empty([32, 256], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
print(tuple(ttnn.relu(x).shape))
ttnn.close_device(device)
"""


def test_every_launch_of_the_script_is_timed(real_ttnn: str, card_environment: dict[str, str], tmp_path: Path) -> None:
    script = tmp_path / "model.py"
    script.write_text(_SCRIPT)
    command = [real_ttnn, "-m", "tilewright", "time", str(script), "--arch", "blackhole", "--grid", "4x2", "--json"]
    result = subprocess.run(command, capture_output=True, text=True, env=card_environment, timeout=600, check=False)
    assert result.returncode == 0, result.stderr
    (launch,) = json.loads(result.stdout)["launches"]
    assert "eltwise_sfpu" in launch["kernels"]
    assert launch["cores"] == 8
    assert launch["arch"] == "blackhole"
    # One tile for each core: a read's latency, a write's, and what is between.
    assert 0.5 < launch["microseconds"] < 5
    assert "(32, 256)" in result.stderr


def test_several_launches_are_summed_by_operation_layer_and_function(
    real_ttnn: str, card_environment: dict[str, str], tmp_path: Path
) -> None:
    script = tmp_path / "model.py"
    script.write_text(_MODEL)
    command = [real_ttnn, "-m", "tilewright", "time", str(script), "--grid", "4x2", "--json", "--batch", "32"]
    command += ["--csv", str(tmp_path / "ops.csv")]
    result = subprocess.run(command, capture_output=True, text=True, env=card_environment, timeout=600, check=False)
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    times = [launch["microseconds"] for launch in found["launches"]]
    assert [launch["operation"] for launch in found["launches"]] == ["ttnn.relu", "ttnn.add"] * 3
    total = found["total"]
    assert total["microseconds"] == pytest.approx(sum(times))
    assert total["items_per_second"] == pytest.approx(32e6 / sum(times))
    operations = {each["operation"]: each for each in total["operations"]}
    assert operations["ttnn.relu"]["launches"] == operations["ttnn.add"]["launches"] == 3
    assert operations["ttnn.add"]["tensors"] == "32x256, 32x256"
    assert (total["layer"]["first"], total["layer"]["length"], total["layer"]["times"]) == (1, 2, 3)
    assert ("Layer.__call__", 3) in [(each["name"], each["instances"]) for each in total["functions"]]
    rows = csv.DictReader((tmp_path / "ops.csv").read_text().splitlines())
    assert [row["OP CODE"] for row in rows] == ["UnaryDeviceOperation", "BinaryNgDeviceOperation"] * 3
    for line, function in ((16, "ReadDeviceProfiler"), (17, "get_latest_programs_perf_data")):
        assert f"model.py:{line}: RuntimeWarning: ttnn.{function}: the simulated card has no profiler" in result.stderr


def test_kernels_of_the_script_stop(real_ttnn: str, card_environment: dict[str, str], tmp_path: Path) -> None:
    script = tmp_path / "model.py"
    script.write_text(_SCRIPT)
    command = [real_ttnn, "-m", "tilewright", "debug", str(script), "--grid", "4x2", "--json", "--step", "--stops", "2"]
    result = subprocess.run(command, capture_output=True, text=True, env=card_environment, timeout=600, check=False)
    assert result.returncode == 0, result.stderr
    first, second = json.loads(result.stdout)["stops"]
    assert (first["core"], first["source"]) == ([0, 0], "void kernel_main() {")
    assert second["line"] > first["line"]
    assert [(each["index"], each["there"]) for each in first["circular_buffers"]] == [(0, 0), (1, 0)]
    assert "(32, 256)" in result.stderr  # the script went on to its end


def test_quitting_the_debugger_prints_where_and_no_traceback(
    real_ttnn: str, card_environment: dict[str, str], tmp_path: Path
) -> None:
    script = tmp_path / "model.py"
    script.write_text(_SCRIPT)
    command = [real_ttnn, "-m", "tilewright", "debug", str(script), "--grid", "4x2", "--do", "quit"]
    result = subprocess.run(command, capture_output=True, text=True, env=card_environment, timeout=600, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-1].startswith("ended at a stop: ")
    assert "Traceback" not in result.stderr
    assert "(32, 256)" not in result.stdout  # the script did not go on
