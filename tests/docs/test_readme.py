# SPDX-License-Identifier: Apache-2.0
"""The README: what it shows is what the tools print, on a terminal of 80 columns, and its pictures are theirs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.walkthrough import prints, run_command, steps_of
from tilewright._build.engine_build import find_engine
from tilewright._cli.main import main

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
SECTIONS = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", README, re.MULTILINE | re.DOTALL))
SCRIPT = "2. A ttnn script"
INTRODUCTION = README.partition("\n## ")[0]


def follow(text: str, directory: Path, *, python: str | None = None) -> None:
    """Does what a part of the README says; a file it shows with ``cat`` and that is not there yet is made so."""
    project = directory / "project"
    project.mkdir(exist_ok=True)
    if not (project / "examples").exists():
        (project / "examples").symlink_to(ROOT / "examples")
    for step in steps_of(text):
        made = re.fullmatch(r"cat (\S+)", step.text)
        if made is not None and not (project / made[1]).exists():
            (project / made[1]).write_text(step.printed)
            continue
        _, printed = run_command(step.text, project, directory / "commands", python=python)
        assert prints(step.printed, printed), f"$ {step.text}\n{printed}"


def test_readme_is_short_and_fits_a_terminal() -> None:
    lines = README.splitlines()
    assert len(lines) <= 170
    assert [line for line in lines if len(line) > 80] == []


def test_readme_hang_operations_and_kernel_print_the_shown_text(tmp_path: Path) -> None:
    find_engine()  # the first command on a new machine would say that it is being built
    follow(INTRODUCTION, tmp_path)
    for title, text in SECTIONS.items():
        if title != SCRIPT:
            follow(text, tmp_path)


def test_a_script_gets_the_real_ttnn(real_ttnn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGURU_LEVEL", "INFO")  # ttnn tells its configuration to those who debug
    follow(SECTIONS[SCRIPT], tmp_path, python=real_ttnn)


def test_a_script_runs_where_no_ttnn_is_installed(tmp_path: Path) -> None:
    without = re.sub(r"^softmax of 64.*\n", "", SECTIONS[SCRIPT], flags=re.MULTILINE)
    follow(without.replace("exec", "exec --ttnn built-in"), tmp_path)


def words_of(svg: str) -> list[str]:
    """The text of a picture without numbers: those of the model of time change when it learns."""
    return [re.sub(r"[\d.,]+", "#", text) for text in re.findall(r"<text[^>]*>(.*?)</text>", svg)]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("run", ["layernorm_fused_rm", "--shape", "10x256x256"]),
        ("deadlock", [str(ROOT / "examples" / "forgotten_pop.py")]),
    ],
)
def test_pictures_equal_the_command_output(name: str, arguments: list[str], tmp_path: Path) -> None:
    drawn = tmp_path / "drawn.svg"
    main(["report", *arguments, "-o", str(drawn)])
    kept = (ROOT / "docs" / "pictures" / f"{name}.svg").read_text()
    assert words_of(kept) == words_of(drawn.read_text())
    assert len(words_of(kept)) > 8
