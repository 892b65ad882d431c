# SPDX-License-Identifier: Apache-2.0
"""``tilewright new`` as a user types it."""

from __future__ import annotations

from pathlib import Path

from tests.ttnn_script import Run


def tilewright(python: Run, *arguments: str):
    return python("-m", "tilewright._cli.main", *arguments)


def test_new_writes_one_file_that_declares_an_operation(python: Run, tmp_path: Path) -> None:
    result = tilewright(python, "new", "my_norm", "--dir", str(tmp_path))
    assert result.returncode == 0, result.stderr
    path = tmp_path / "my_norm.py"
    assert [each.name for each in tmp_path.iterdir()] == ["my_norm.py"]
    assert result.stdout.splitlines()[0] == str(path)
    shown = tilewright(python, "show", str(path))
    assert shown.returncode == 0, shown.stderr
    assert "mean_square = mean(square(x))" in shown.stdout
    # A change takes effect at the next command.
    path.write_text(path.read_text().replace("mean(square(x))", "mean(square(x) + 1)"))
    assert "mean_square = mean(square(x) + 1)" in tilewright(python, "show", str(path)).stdout


def test_bad_arguments(python: Run, tmp_path: Path) -> None:
    assert tilewright(python, "new").returncode == 2
    assert "is no name for a function" in tilewright(python, "new", "My-Op").stderr
    assert "there is no directory" in tilewright(python, "new", "mine", "--dir", str(tmp_path / "none")).stderr
    (tmp_path / "mine.py").write_text("")
    assert "exists" in tilewright(python, "new", "mine", "--dir", str(tmp_path)).stderr
