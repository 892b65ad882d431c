# SPDX-License-Identifier: Apache-2.0
"""The page that builds an operation step by step: a test does exactly what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.walkthrough import Step, apply_change, prints, run_command, steps_of
from tilewright._build.engine_build import find_engine

ROOT = Path(__file__).resolve().parents[2]


STEPS = steps_of((ROOT / "docs" / "building-an-operation.md").read_text())


def test_commands_of_the_document_print_its_output(tmp_path: Path) -> None:
    find_engine()  # the first command on a new machine would say that it is being built
    project = tmp_path / "project"
    project.mkdir()
    for step in STEPS:
        if step.kind == "diff":
            apply_change(step.text, project)
            continue
        _, printed = run_command(step.text, project, tmp_path / "commands")
        assert prints(step.printed, printed), f"$ {step.text}\n{printed}"


def test_document_goes_from_new_to_a_clean_audit() -> None:
    """From one file over all stages to a log that the audit has nothing against."""
    commands = [step for step in STEPS if step.kind == "console"]
    assert commands[0].text.startswith("tilewright new")
    stages = [step.printed for step in commands if step.text.startswith("tilewright stages")]
    assert stages[-1].endswith("7 of 7 stages pass\n")
    assert commands[-1].text.startswith("tilewright log audit")
    assert commands[-1].printed.endswith(": nothing found\n")


def test_different_output_is_not_accepted() -> None:
    assert prints("one\n...\nfour\n", "one\ntwo\nthree\nfour\n")
    assert not prints("one\n...\nfour\n", "one\ntwo\nthree\n")
    assert not prints("one\n", "one\ntwo\n")
    assert steps_of("```console\n$ one\n1\n$ two\n```\n") == [Step("console", "one", "1\n"), Step("console", "two")]


def test_change_of_the_walkthrough_applies_to_its_text(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("a\nb\nc\n")
    apply_change("--- file\n+++ file\n@@ -2 +2,2 @@\n-b\n+B\n+b\n", tmp_path)
    assert file.read_text() == "a\nB\nb\nc\n"
    with pytest.raises(AssertionError, match="is not what the document changes"):
        apply_change("--- file\n+++ file\n@@ -1 +1 @@\n-b\n+B\n", tmp_path)
