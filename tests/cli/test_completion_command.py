# SPDX-License-Identifier: Apache-2.0
"""Completion: what the words are, and that shells offer them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ttnn_script import process_environment
from tilewright._cli.commands.completion_command import completions
from tilewright._cli.main import main


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["st"], ["stages"]),
        (["log", "a"], ["audit"]),
        (["log", "audit", "--r"], ["--rules"]),
        (["run", "var"], ["variance_w_rm"]),
        (["run", "variance_w_rm", "--arch", ""], ["blackhole", "wormhole_b0"]),
        (["run", "variance_w_rm", "--output", ""], []),  # a file: the shell knows better
        (["check", "my_script.py", "--b"], ["--brief"]),
        (["completion", ""], ["bash", "fish", "zsh"]),
        (["nothing", ""], []),
    ],
    ids=lambda value: " ".join(value),
)
def test_completed_words_are_accepted_by_the_parsers(words: list[str], found: list[str]) -> None:
    assert completions(words) == found


def in_shell(shell: str, script: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Output of a shell that has read our script; ``tilewright`` is the one under test."""
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"no {shell} here")
    assert main(["completion", shell]) == 0
    command = tmp_path / "tilewright"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m tilewright "$@"\n')
    command.chmod(0o755)
    environment = process_environment(None)
    environment["PATH"] = f"{tmp_path}:{environment['PATH']}"
    (tmp_path / "ours").write_text(capsys.readouterr().out)
    whole = script.replace("OURS", str(tmp_path / "ours"))
    result = subprocess.run([program, "-c", whole], capture_output=True, text=True, env=environment, check=False)
    assert result.stderr == ""
    return result.stdout


def test_bash_completes_commands_and_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = """
        source OURS
        complete -p tilewright
        COMP_WORDS=(tilewright run vari) COMP_CWORD=2; _tilewright; echo "${COMPREPLY[@]}"
        COMP_WORDS=(tilewright "") COMP_CWORD=1; _tilewright; echo "${COMPREPLY[@]}"
    """
    registered, operation, commands = in_shell("bash", script, tmp_path, capsys).splitlines()
    assert registered.endswith("-F _tilewright tilewright")
    assert operation == "variance_w_rm"
    assert {"run", "exec", "explain"} <= set(commands.split())


def test_fish_completes_commands_and_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = in_shell("fish", "source OURS; complete -C 'tilewright run vari'", tmp_path, capsys)
    assert shown.split() == ["variance_w_rm"]


def test_zsh_completes_commands_and_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Read once, and as a file of $fpath that is first read at a Tab. Outside of a line compadd is stood in for."""
    ask = "compadd() { print $@ }; words=(tilewright run vari); CURRENT=3; _tilewright"
    script = f"autoload -Uz compinit; compinit -D -u; source OURS; print $_comps[tilewright]; {ask}"
    assert in_shell("zsh", script, tmp_path, capsys) == "_tilewright\nvariance_w_rm\n"
    script = f"mkdir OURS.d; cp OURS OURS.d/_tilewright; fpath=(OURS.d $fpath); autoload -Uz _tilewright; {ask}"
    assert in_shell("zsh", script, tmp_path, capsys) == "variance_w_rm\n"
