# SPDX-License-Identifier: Apache-2.0
"""Does what a document tells its reader to do: runs its commands, makes its changes to files.

In ``console`` blocks a line that begins with ``$`` is a command for the shell, and what follows up to the next one is
what it prints; a line of its own with ``...`` stands for lines that are left out. ``diff`` blocks are changes to files,
as ``patch`` takes them. Everything happens in one directory, one after the other.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^```(console|diff)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@.*$", re.MULTILINE)
_SOURCES = Path(__file__).resolve().parents[2] / "src"


@dataclass(frozen=True)
class Step:
    """One thing to do: a command with what it prints, or a change."""

    kind: str
    text: str
    printed: str = ""


def steps_of(text: str) -> list[Step]:
    """Steps of a document, in order."""
    steps = []
    for kind, content in _FENCE.findall(text):
        if kind == "diff":
            steps.append(Step(kind, content))
            continue
        first, *commands = re.split(r"^\$ ", content, flags=re.MULTILINE)
        assert not first, f"output without a command: {first!r}"
        for each in commands:
            command, _, printed = each.partition("\n")
            steps.append(Step(kind, command, printed))
    return steps


def run_command(command: str, directory: Path, commands: Path, *, python: str | None = None) -> tuple[int, str]:
    """Exit status and output of a shell command, for which ``tilewright`` and ``python`` are those under test.

    Args:
        python: which Python; without it, this one.
    """
    commands.mkdir(exist_ok=True)
    python = python or sys.executable
    for name, start in (("tilewright", f"{python} -m tilewright"), ("python", python)):
        script = commands / name
        script.write_text(f'#!/bin/sh\nexec {start} "$@"\n')
        script.chmod(0o755)
    path = os.pathsep.join([str(commands), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(_SOURCES), "COLUMNS": "80"}
    result = subprocess.run(
        ["bash", "-c", command],
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return result.returncode, result.stdout


def apply_change(diff: str, directory: Path) -> None:
    """Makes a change; the lines it takes away must be where it says."""
    head = re.match(r"--- (\S+)\n\+\+\+ (\S+)\n", diff)
    assert head is not None, f"a diff begins with --- and +++: {diff[:60]!r}"
    file = directory / head[2]
    lines = file.read_text().splitlines()
    _, *parts = _HUNK.split(diff)
    hunks = list(zip(parts[0::3], parts[2::3], strict=True))
    for begin, body in reversed(hunks):  # from the end, so that line numbers hold
        rows = body.strip("\n").splitlines()
        before = [row[1:] for row in rows if not row.startswith("+")]
        after = [row[1:] for row in rows if not row.startswith("-")]
        at = int(begin) - 1
        assert lines[at : at + len(before)] == before, f"{head[2]}:{begin} is not what the document changes"
        lines[at : at + len(before)] = after
    file.write_text("\n".join(lines) + "\n")


def prints(shown: str, given: str) -> bool:
    """Whether a command printed what is shown; a line with ``...`` stands for any lines."""
    pattern = "".join(
        r"(?:.*\n)*?" if line == "..." else re.escape(line.rstrip()) + r"[ ]*\n" for line in shown.splitlines()
    )
    return re.fullmatch(pattern, given) is not None
