# SPDX-License-Identifier: Apache-2.0
"""``tilewright new`` and ``tilewright spec check`` as a user types them."""

from __future__ import annotations

import json
from pathlib import Path

from ttnn_script import Run

OPERATIONS = Path(__file__).parents[2] / "src" / "tilewright" / "ops"
VARIANCE = (OPERATIONS / "variance_w_rm" / "spec.toml").read_text()


def tilewright(python: Run, *arguments: str):
    return python("-m", "tilewright.cli.main", *arguments)


def test_new_lists_what_it_wrote_and_says_what_to_do(python: Run, tmp_path: Path) -> None:
    result = tilewright(python, "new", "squares", "--dir", str(tmp_path))
    assert result.returncode == 0, result.stderr
    listed = [Path(line) for line in result.stdout.splitlines() if line.startswith(str(tmp_path))]
    assert sorted(listed) == sorted(path for path in (tmp_path / "squares").rglob("*") if path.is_file())
    assert f"Next: tilewright stages {tmp_path / 'squares'}" in result.stdout
    assert "stub(phases.square)" in (tmp_path / "squares" / "kernels.py").read_text()


def test_new_like_says_what_it_kept(python: Run, tmp_path: Path) -> None:
    result = tilewright(python, "new", "mine", "--like", "variance_w_rm", "--kernels", "phases", "--dir", str(tmp_path))
    assert result.returncode == 0, result.stderr
    assert "kept from variance_w_rm:" in result.stdout
    assert "6 requirements with their error texts" in result.stdout
    assert max(len(line) for line in result.stdout.splitlines() if str(tmp_path) not in line) <= 80
    assert "mean = phases.reduce_row_mean" in (tmp_path / "mine" / "kernels.py").read_text()


def test_new_speaks_json(python: Run, tmp_path: Path) -> None:
    result = tilewright(python, "new", "mine", "--like", "variance_w_rm", "--dir", str(tmp_path), "--json")
    told = json.loads(result.stdout)
    assert told["operation"] == "mine"
    assert all(Path(path).is_file() for path in told["files"])
    assert told["kept"]


def test_new_refuses_a_bad_spec_with_file_line_and_cure(python: Run, tmp_path: Path) -> None:
    spec = tmp_path / "spec.toml"
    spec.write_text(VARIANCE.replace('"N*C*Ht"', '"Ht"'))
    result = tilewright(python, "new", "variance_w_rm", "--spec", str(spec), "--dir", str(tmp_path / "out"))
    assert result.returncode == 2
    line = spec.read_text().splitlines().index('count = "Ht"') + 1
    assert f"{spec}:{line}: error[work-count]" in result.stderr
    assert '= cure: write count = "N*C*Ht"' in result.stderr
    assert not (tmp_path / "out").exists()


def test_new_refuses_another_name_than_the_specs(python: Run, tmp_path: Path) -> None:
    spec = tmp_path / "spec.toml"
    spec.write_text(VARIANCE)
    result = tilewright(python, "new", "mine", "--spec", str(spec))
    assert result.returncode == 2
    assert "the spec is of variance_w_rm" in result.stderr
    assert 'write name = "mine"' in result.stderr


def test_bad_arguments(python: Run) -> None:
    assert tilewright(python, "new").returncode == 2
    assert "not allowed with" in tilewright(python, "new", "a", "--like", "b", "--spec", "c").stderr
    assert "cannot be the name" in tilewright(python, "new", "My-Op").stderr
    assert "no operation and no directory" in tilewright(python, "new", "mine", "--like", "banana").stderr


def test_spec_check(python: Run, tmp_path: Path) -> None:
    good = tilewright(python, "spec", "check", str(OPERATIONS / "variance_w_rm"))
    assert good.returncode == 0, good.stderr
    assert good.stdout.endswith("spec.toml: makes sense\n")
    bad = tmp_path / "spec.toml"
    bad.write_text(VARIANCE.replace("square(centralized", "squere(centralized"))
    result = tilewright(python, "spec", "check", str(bad))
    assert result.returncode == 1
    assert "error[phase-exists]: there is no phase squere; did you mean square?" in " ".join(result.stdout.split())
    broken = tilewright(python, "spec", "check", str(bad), str(tmp_path / "absent.toml"), "--json")
    assert broken.returncode == 1
    assert [each["rule"] for each in json.loads(broken.stdout)] == ["phase-exists", "format"]


def test_from_a_template_to_a_package(python: Run, tmp_path: Path) -> None:
    for arguments in (["first"], ["second", "--like", "standardize_w_rm"]):
        printed = tilewright(python, "spec", "template", *arguments)
        assert printed.returncode == 0, printed.stderr
        spec = tmp_path / f"{arguments[0]}.toml"
        spec.write_text(printed.stdout)
        assert tilewright(python, "spec", "check", str(spec)).returncode == 0
        made = tilewright(python, "new", arguments[0], "--spec", str(spec), "--dir", str(tmp_path))
        assert made.returncode == 0, made.stderr
        assert (tmp_path / arguments[0] / "spec.toml").read_text() == printed.stdout
