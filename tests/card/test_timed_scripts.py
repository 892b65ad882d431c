# SPDX-License-Identifier: Apache-2.0
"""``tilewright time`` and ``tilewright debug`` of a script that uses the real ttnn."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tilewright

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
_PROFILED = """
import ttnn

device = ttnn.open_device(device_id=0)
x = ttnn.empty([32, 256], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
ttnn.relu(x)
ttnn.ReadDeviceProfiler(device)
ttnn.tracy_message("`TT_SIGNPOST: start\\nof the layer`")  # as tracy.signpost sends it
ttnn.add(x, x)
ttnn.tracy_message("`TT_SIGNPOST: stop`")
ttnn.ReadDeviceProfiler(device)
for read in (ttnn.get_latest_programs_perf_data, ttnn.get_all_programs_perf_data):
    durations = [each.program_analyses_results["DEVICE KERNEL DURATION [ns]"].duration for each in read()[0]]
    print(read.__name__, *durations)
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
    # Each bank has a tile of the layer's input, of relu's result and of the sum, and kernels of both programs.
    dram, l1 = total["memory"]
    most = re.fullmatch(r"most DRAM: (\d+) of [\d,]{7,} KiB a bank, in ttnn.add", dram)
    assert most is not None
    assert 6 <= int(most[1]) <= 20
    assert re.fullmatch(r"most L1: 0 KiB of tensors and [1-9]\d* KiB of circular buffers, of 1,\d+ KiB a core, .*", l1)
    rows = csv.DictReader((tmp_path / "ops.csv").read_text().splitlines())
    assert [row["OP CODE"] for row in rows] == ["UnaryDeviceOperation", "BinaryNgDeviceOperation"] * 3
    for line, function in ((16, "ReadDeviceProfiler"), (17, "get_latest_programs_perf_data")):
        assert f"model.py:{line}: RuntimeWarning: ttnn.{function}: no launch was profiled" in result.stderr


def test_every_import_from_a_tracy_that_cannot_be_imported_says_why(tmp_path: Path) -> None:
    original = tmp_path / "packages" / "tracy"
    original.mkdir(parents=True)
    (original / "__init__.py").write_text("import a_module_that_is_not_there\ndef signpost(header): pass\n")
    script = tmp_path / "imports.py"
    script.write_text(
        "for _ in range(2):\n    try:\n        from tracy import signpost\n"
        "    except ImportError as error:\n        print(type(error).__name__, error)\n"
    )
    ours = Path(tilewright.__file__).parent / "_python_path"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (ours, original.parent)))}
    result = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment, check=True)
    assert result.stdout == "ModuleNotFoundError No module named 'a_module_that_is_not_there'\n" * 2


def test_tracy_reports_operations_between_signposts(
    real_ttnn: str, card_environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "model.py").write_text(_PROFILED)
    command = [real_ttnn, "-m", "tilewright", "exec", "--grid", "4x2", "--"]
    command += [real_ttnn, "-m", "tracy", "-p", "-r", "-o", "logs", "--check-exit-code", "-a", "device_kernel_duration"]
    command += ["-t", "5000", "model.py"]
    result = subprocess.run(
        command, capture_output=True, text=True, env=card_environment, cwd=tmp_path, timeout=600, check=False
    )
    assert result.returncode == 0, result.stderr
    (report,) = (tmp_path / "logs" / "reports").glob("*/ops_perf_results_*.csv")
    rows = [*csv.DictReader(report.read_text().splitlines())]
    assert [(row["OP CODE"], row["OP TYPE"]) for row in rows] == [
        ("UnaryDeviceOperation", "tt_dnn_device"),
        ("start", "signpost"),
        ("BinaryNgDeviceOperation", "tt_dnn_device"),
        ("stop", "signpost"),
    ]
    relu, add = (row for row in rows if row["OP TYPE"] == "tt_dnn_device")
    assert add["DEVICE FW START CYCLE"] == relu["DEVICE FW END CYCLE"]
    durations = [row["DEVICE KERNEL DURATION [ns]"] for row in (relu, add)]
    assert f"get_latest_programs_perf_data {durations[1]}\n" in result.stdout
    assert f"get_all_programs_perf_data {' '.join(durations)}\n" in result.stdout
    markers = (tmp_path / "logs" / ".logs" / "profile_log_device.csv").read_text().splitlines()
    assert markers[0] == "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 8"
    ends = [int(line.split(",")[5]) for line in markers[2:] if line.split(",")[7] == "2" and ",ZONE_END," in line]
    assert max(ends) <= int(add["DEVICE FW END CYCLE"])


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
