# SPDX-License-Identifier: Apache-2.0
"""The page that builds a C++ operation step by step: a test does exactly what it says."""

from __future__ import annotations

from pathlib import Path

from tests.docs.walkthrough import prints, run_command, steps_of
from tilewright._build.engine_build import find_engine

PAGE = Path(__file__).resolve().parents[2] / "docs" / "building-a-cpp-operation.md"


def test_commands_of_the_page_print_its_output(tmp_path: Path) -> None:
    find_engine()  # the first command on a new machine would say that it is being built
    project = tmp_path / "project"
    project.mkdir()
    for step in steps_of(PAGE.read_text()):
        _, printed = run_command(step.text, project, tmp_path / "commands")
        assert prints(step.printed, printed), f"$ {step.text}\n{printed}"
