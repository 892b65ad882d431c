# SPDX-License-Identifier: Apache-2.0
"""``tilewright export`` as a user types it."""

from __future__ import annotations

import stat
from pathlib import Path

from tests.ttnn_script import Run


def export(python: Run, *arguments: str):
    return python("-m", "tilewright._cli.main", "export", *arguments)


def test_export_lists_its_files_and_the_next_step(python: Run, tmp_path: Path) -> None:
    out = tmp_path / "package"
    result = export(python, "variance_w_rm", "--shape", "33x70", "--output", str(out))
    assert result.returncode == 0, result.stderr
    listed = [Path(line) for line in result.stdout.splitlines() if line.startswith(str(out))]
    assert sorted(listed) == sorted(path for path in out.rglob("*") if path.is_file())
    assert f"cd {out} && pytest test_variance_w_rm.py" in result.stdout
    assert "((33, 70), torch.float32, " in (out / "test_variance_w_rm.py").read_text()


def test_export_refuses_a_directory_with_other_files(python: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    result = export(python, "centralize_w_rm", "--output", str(tmp_path))
    assert result.returncode == 2
    assert "is not empty" in result.stderr
    assert "--replace" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_place_that_cannot_be_written_is_named(python: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = export(python, "centralize_w_rm", "--output", str(tmp_path / "file" / "package"))
    assert result.returncode == 2
    assert f"{tmp_path / 'file' / 'package'} cannot be written: " in result.stderr
    assert "Traceback" not in result.stderr


def test_a_directory_keeps_its_permissions(python: Run, tmp_path: Path) -> None:
    out = tmp_path / "with space"
    out.mkdir()
    out.chmod(0o750)
    result = export(python, "centralize_w_rm", "--output", str(out))
    assert f"cd '{out}' && pytest" in result.stdout
    assert stat.S_IMODE(out.stat().st_mode) == 0o750


def test_bad_arguments_name_the_allowed_values(python: Run, tmp_path: Path) -> None:
    result = export(python, "centralize_w_rm", "--shape", "banana", "--output", str(tmp_path))
    assert result.returncode == 2
    assert "such as 2x3x64x128" in result.stderr
    assert export(python, "centralize_w_rm").returncode == 2


def test_tree_gets_the_folder_and_must_be_a_checkout(python: Run, tmp_path: Path) -> None:
    result = export(python, "centralize_w_rm", "--tree", str(tmp_path))
    assert result.returncode == 2
    assert "has no ttnn/cpp/ttnn/operations, so it is no checkout of tt-metal" in result.stderr
    assert list(tmp_path.iterdir()) == []
    operations = tmp_path / "ttnn" / "cpp" / "ttnn" / "operations"
    operations.mkdir(parents=True)
    result = export(python, "centralize_w_rm", "--tree", str(tmp_path))
    assert result.returncode == 0, result.stderr
    folder = operations / "reduction" / "centralize_w_rm"
    assert f"tilewright build {folder}" in result.stdout
    assert (folder / "device" / "centralize_w_rm_program_factory.cpp").is_file()
