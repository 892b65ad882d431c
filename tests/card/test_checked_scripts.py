# SPDX-License-Identifier: Apache-2.0
"""``tilewright check`` of a script that uses the real ttnn."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("broken_rules.py")


@pytest.mark.parametrize("dispatch", ["fast", "slow"])
def test_a_finding_names_the_operation_and_the_line(
    dispatch: str, real_ttnn: str, card_environment: dict[str, str]
) -> None:
    command = [real_ttnn, "-m", "tilewright", "check", "--dispatch", dispatch, str(SCRIPT)]
    result = subprocess.run(command, capture_output=True, text=True, env=card_environment, timeout=600, check=False)
    assert result.returncode == 1, result.stderr
    assert "error  noc-push-in-flight\n  ttnn.generic_op  RISCV_1  RISCV_1.cpp:5  c_0  on core (0,0)" in result.stdout
    assert "error  cb-pop-unwaited\n  ttnn.generic_op  RISCV_1  RISCV_1.cpp:3  c_0  on core (0,0)" in result.stdout
    assert "reads 2048 bytes of tile 0 of tensor 0, whose tiles have 2048 bytes, into c_0," in result.stdout
    assert "writes page 1 of tensor 1 on a core that reads page 0 of tensor 0" in result.stdout
    words = " ".join(result.stdout.split())
    assert "2 of 4 pages of the output hold elements that no kernel wrote, from page 2 on" in words
    assert "reads runtime argument 0, which the host did not write on core (1,0)" in words
    assert "reads page 12 of tensor 0, which has 12 pages" in words  # and no write to tensor 1 is blamed for it
    assert "at byte 88 of row 0 in a shard of tensor 0: rows have 88 bytes and lie 96 bytes apart" in words
    assert result.stdout.endswith("11 launches checked, 1 could not be run: 7 errors, 1 note\n")


def test_a_right_multicast_has_no_finding(real_ttnn: str, card_environment: dict[str, str]) -> None:
    """In fast dispatch, whose launches have their tables elsewhere: semaphores must be known there, too."""
    script = str(SCRIPT.with_name("multicast_matmul.py"))
    command = [real_ttnn, "-m", "tilewright", "check", "--seeds", "0", script]
    result = subprocess.run(command, capture_output=True, text=True, env=card_environment, timeout=600, check=False)
    assert (result.returncode, result.stdout) == (0, "1 launch checked: nothing found\n"), result.stderr


def test_a_script_that_fails_by_itself_is_an_error_in_json(
    real_ttnn: str, card_environment: dict[str, str], tmp_path: Path
) -> None:
    script = tmp_path / "fails.py"
    script.write_text("import ttnn\nraise ValueError('of its own')\n")
    command = [real_ttnn, "-m", "tilewright", "check", "--json", str(script)]
    result = subprocess.run(command, capture_output=True, text=True, env=card_environment, timeout=600, check=False)
    error = {"type": "ScriptFailed", "message": f"{script} ended with status 1"}
    assert (result.returncode, json.loads(result.stdout)["error"]) == (1, error)


STALE = """
import numpy as np
import ttnn

SOURCE = "void kernel_main() { volatile uint32_t address = get_arg_val<uint32_t>(0); }"


def program(tensor):
    core = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])
    kernel = ttnn.KernelDescriptor(
        kernel_source=SOURCE,
        source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=core,
        runtime_args=[(ttnn.CoreCoord(0, 0), [tensor.buffer_address()])],
        config=ttnn.ReaderConfigDescriptor(),
    )
    return ttnn.ProgramDescriptor(kernels=[kernel], semaphores=[], cbs=[])


def tensor(device):
    return ttnn.Tensor(np.ones((1, 1, 32, 32), np.float32), ttnn.bfloat16).to(ttnn.TILE_LAYOUT).to(device)


def test_right_addresses(device):
    for _ in range(2):
        x = tensor(device)
        ttnn.generic_op([x, x], program(x))


def test_a_stale_address(device):
    x, y = tensor(device), tensor(device)
    ttnn.generic_op([x, x], program(x))
    ttnn.generic_op([y, y], program(x))
"""


def test_pytest_fails_a_test_with_findings(real_ttnn: str, card_environment: dict[str, str], tmp_path: Path) -> None:
    """Also a stale address is found: arguments are read from the card's L1."""
    (tmp_path / "test_stale.py").write_text(STALE)
    command = [real_ttnn, "-m", "pytest", "-q", "-p", "tilewright.pytest_plugin", "--tilewright", "--tilewright-check"]
    result = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env=card_environment, timeout=600, check=False
    )
    assert "1 failed, 1 passed" in result.stdout, result.stdout + result.stderr
    assert "tilewright: 2 launches checked: 1 error" in result.stdout
    assert "runtime argument 0 is still 0x" in result.stdout


PRINTS_ARGUMENT = """
import numpy as np
import ttnn

device = ttnn.open_device(device_id=0)
tensor = ttnn.Tensor(np.ones((1, 1, 32, 32), np.float32), ttnn.bfloat16).to(ttnn.TILE_LAYOUT).to(device)
kernel = ttnn.KernelDescriptor(
    kernel_source='#include "api/debug/dprint.h"\\n'
    'void kernel_main() { DPRINT << "argument " << get_arg_val<uint32_t>(0) << ENDL(); }',
    source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
    core_ranges=ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))]),
    runtime_args=[(ttnn.CoreCoord(0, 0), [41])],
    config=ttnn.ReaderConfigDescriptor(),
)
ttnn.generic_op([tensor, tensor], ttnn.ProgramDescriptor(kernels=[kernel], semaphores=[], cbs=[]))
ttnn.close_device(device)
"""


def test_arguments_keep_their_places_if_the_user_enables_the_watcher(
    real_ttnn: str, card_environment: dict[str, str], tmp_path: Path
) -> None:
    script = tmp_path / "script.py"
    script.write_text(PRINTS_ARGUMENT)
    environment = {**card_environment, "TT_METAL_WATCHER": "1000000"}
    command = [real_ttnn, "-m", "tilewright", "exec", str(script)]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600, check=False)
    assert "(0,0) RISCV_1: argument 41\n" in result.stdout, result.stdout + result.stderr
