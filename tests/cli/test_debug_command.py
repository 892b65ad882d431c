# SPDX-License-Identifier: Apache-2.0
"""``tilewright debug`` in a terminal, in a pipe, and for machines."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.ttnn_script import ADD_ONE, Run, process_environment

DEBUG = ("-m", "tilewright", "debug")
READS = 6  # the line of noc_async_read_page


@pytest.fixture
def script(tmp_path: Path) -> str:
    (tmp_path / "script.py").write_text(ADD_ONE)
    return str(tmp_path / "script.py")


class Terminal:
    """A terminal with a running command."""

    def __init__(self, *arguments: str) -> None:
        self._file, theirs = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=process_environment(TERM="dumb"),
        )
        os.close(theirs)

    def until(self, words: str) -> str:
        """Output until some words appear."""
        shown, end = "", time.monotonic() + 60
        while words not in shown:
            assert time.monotonic() < end, shown
            if select.select([self._file], [], [], 0.1)[0]:
                shown += os.read(self._file, 4096).decode()
        return shown.replace("\r\n", "\n")

    def type(self, line: str) -> None:
        os.write(self._file, f"{line}\n".encode())

    def close(self) -> int:
        status = self._process.wait(60)
        os.close(self._file)
        return status


def test_in_a_terminal(script: str) -> None:
    terminal = Terminal(*DEBUG, script, "--break", f"reader.cpp:{READS}")
    shown = terminal.until("(tilewright) ")
    assert f"reader on core (0,0) at reader.cpp:{READS}" in shown
    assert f"->    {READS} |     noc_async_read_page(0, tensor, address);" in shown
    assert max(map(len, shown.splitlines())) <= 80
    terminal.type("next")
    assert "->    7 |     noc_async_read_barrier();" in terminal.until("(tilewright) ")
    terminal.type("cb 0 0")
    shown = terminal.until("(tilewright) ")
    assert re.search(r"page 0 .* not pushed yet: 0 to 31, mean 15\.5", shown)
    terminal.type("help")
    assert "step" in terminal.until("(tilewright) ")
    terminal.type("c")
    assert "sum 528" in terminal.until("sum 528")
    assert terminal.close() == 0


def test_commands_from_a_pipe_or_options(python: Run, script: str) -> None:
    result = python(*DEBUG, script, "--do", "args", "--do", "quit")
    assert result.returncode == 0
    assert "(tilewright) args\nruntime       [0] " in result.stdout
    assert "ended at a stop: reader on core (0,0)" in result.stdout
    assert "sum" not in result.stdout
    result = python(*DEBUG, script)  # standard input has nothing: it goes on to the end
    assert (result.returncode, result.stdout.splitlines()[-1]) == (0, "sum 528")


def test_for_machines(python: Run, script: str) -> None:
    result = python(*DEBUG, script, "--break", "reader:5", "--json", "--step", "--stops", "3")
    said = json.loads(result.stdout)
    assert (said["exit_status"], said["error"]) == (0, None)
    assert [stop["line"] for stop in said["stops"]] == [5, READS, 7]
    stop = said["stops"][0]
    assert stop["source"] == "const uint32_t address = get_write_ptr(0);"
    assert (stop["kernel"], stop["core"], stop["dst"]) == ("reader", [0, 0], None)
    assert stop["circular_buffers"][0]["data_format"] == "UInt32"
    assert "sum 528" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--break", "other.cpp:3"], "no kernel of the program has code at other.cpp:3; it has the files reader.cpp"),
        (["--break", ""], "is no place to stop at: write FILE:LINE"),
        (["--stops", "0"], "--stops is 0; it must be 1 or more"),
    ],
)
def test_mistakes_are_named(python: Run, script: str, arguments: list[str], words: str) -> None:
    result = python(*DEBUG, script, "--json", *arguments)
    assert result.returncode == 2
    assert words in json.loads(result.stdout)["error"]["message"]
