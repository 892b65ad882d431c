# SPDX-License-Identifier: Apache-2.0
"""``tilewright check`` of a script that uses the real ttnn."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

SCRIPT = Path(__file__).with_name("broken_rules.py")


def test_a_finding_names_the_operation_and_the_line(real_ttnn: str, card_environment: dict[str, str]) -> None:
    command = [real_ttnn, "-m", "tilewright", "check", str(SCRIPT)]
    result = subprocess.run(command, capture_output=True, text=True, env=card_environment, timeout=600, check=False)
    assert result.returncode == 1, result.stderr
    assert "error  noc-push-in-flight\n  ttnn.generic_op  RISCV_1  RISCV_1.cpp:5  c_0  on core (0,0)" in result.stdout
    assert "error  cb-pop-unwaited\n  ttnn.generic_op  RISCV_1  RISCV_1.cpp:3  c_0  on core (0,0)" in result.stdout
    assert "reads 2048 bytes of tile 0 of tensor 0, whose tiles have 2048 bytes, into c_0," in result.stdout
    assert "writes page 1 of tensor 1 on a core that reads page 0 of tensor 0" in result.stdout
    assert result.stdout.endswith("7 launches checked, 1 could not be run: 4 errors, 1 note\n")


def test_a_script_that_fails_by_itself_is_an_error_in_json(
    real_ttnn: str, card_environment: dict[str, str], tmp_path: Path
) -> None:
    script = tmp_path / "fails.py"
    script.write_text("import ttnn\nraise ValueError('of its own')\n")
    command = [real_ttnn, "-m", "tilewright", "check", "--json", str(script)]
    result = subprocess.run(command, capture_output=True, text=True, env=card_environment, timeout=600, check=False)
    error = {"type": "ScriptFailed", "message": f"{script} ended with status 1"}
    assert (result.returncode, json.loads(result.stdout)["error"]) == (1, error)
