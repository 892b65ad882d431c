# SPDX-License-Identifier: Apache-2.0
"""``tilewright build --watch`` in a terminal: builds after each change, until Ctrl-C."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import shutil
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "copy_pages"


class Terminal:
    """A command in a terminal of its own."""

    def __init__(self, *command: str) -> None:
        self._screen, inside = pty.openpty()
        self.process = subprocess.Popen(
            command,
            stdin=inside,
            stdout=inside,
            stderr=inside,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(inside)

    def until(self, text: str) -> str:
        """Output up to and including a text."""
        shown = ""
        while text not in shown:
            assert select.select([self._screen], [], [], 120)[0], f"{text!r} was not printed in two minutes: {shown}"
            try:
                shown += os.read(self._screen, 4096).decode(errors="replace")
            except OSError:  # the command ended
                raise AssertionError(f"{text!r} was not printed: {shown}") from None
        return shown

    def type(self, text: str) -> None:
        os.write(self._screen, text.encode())

    def rest(self) -> str:
        """Output until the command ends."""
        shown = b""
        try:
            while more := os.read(self._screen, 4096):
                shown += more
        except OSError:
            pass
        return shown.decode(errors="replace")

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._screen)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "copy_pages"
    shutil.copytree(FOLDER, place)
    return place


@pytest.fixture
def watching(folder: Path) -> Iterator[Terminal]:
    terminal = Terminal(sys.executable, "-m", "tilewright", "build", str(folder), "--watch")
    yield terminal
    terminal.close()


def test_change_is_built_again_and_ctrl_c_ends_without_a_traceback(folder: Path, watching: Terminal) -> None:
    assert "copy_pages: 1 of 1 files compiled" in watching.until("waiting for a change")
    source = folder / "copy_pages_nanobind.cpp"
    text = source.read_text()
    source.write_text(text.replace("const Plan plan(attributes.mistake)", "const Plan plan(attributes.mistakes)"))
    assert "attributes.mistakes" in watching.until("waiting for a change")
    source.write_text(text + "// changed\n")
    assert "copy_pages: 1 of 1 files compiled" in watching.until("waiting for a change")
    watching.type("\x03")
    assert "Traceback" not in watching.rest()
    assert watching.process.wait(60) == 130
