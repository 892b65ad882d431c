# SPDX-License-Identifier: Apache-2.0
"""How far a build is, on standard error: one line that updates on a terminal, plain lines elsewhere."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from typing import TextIO

QUIET_VARIABLE = "TILEWRIGHT_QUIET"
_SILENCE = 1.0  # seconds before the first line: most builds of kernels end earlier
_PLAIN_INTERVAL = 1.9  # no reader waits longer than two seconds for a sign
_TERMINAL_INTERVAL = 0.2


def is_quiet() -> bool:
    """Whether the user wants no progress lines."""
    return os.environ.get(QUIET_VARIABLE, "") not in ("", "0")


class Progress:
    """The line about one build."""

    def __init__(self, title: str, stream: TextIO) -> None:
        self._title = title
        self._stream = stream
        self._state = ""
        self._began = time.monotonic()
        self._ended = threading.Event()
        self._shown = False
        self._on_terminal = stream.isatty()
        self._thread = threading.Thread(target=self._tick, daemon=True)
        self._thread.start()

    def show(self, state: str) -> None:
        """Sets what the line says of the state, such as ``3/17``."""
        self._state = state

    def end(self) -> None:
        self._ended.set()
        self._thread.join()
        if self._shown and self._on_terminal:
            self._write("\r\x1b[K")

    def _tick(self) -> None:
        interval = _TERMINAL_INTERVAL if self._on_terminal else _PLAIN_INTERVAL
        ended = self._ended.wait(_SILENCE)
        while not ended:
            self._shown = True
            line = self._line()
            self._write(f"\r\x1b[K{line}" if self._on_terminal else f"{line}\n")
            ended = self._ended.wait(interval)

    def _line(self) -> str:
        seconds = int(time.monotonic() - self._began)
        line = f"tilewright: {self._title} ... {self._state}".rstrip() + f" ({seconds} s)"
        return line[: shutil.get_terminal_size().columns - 1] if self._on_terminal else line

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # closed: the build goes on
            self._stream.write(text)
            self._stream.flush()


class _Silent(Progress):
    """No line at all."""

    def __init__(self) -> None:
        pass

    def show(self, state: str) -> None:
        pass

    def end(self) -> None:
        pass


@contextlib.contextmanager
def progress(title: str) -> Iterator[Progress]:
    """Shows that a build called ``title`` is under way until the block ends."""
    shown = _Silent() if is_quiet() or sys.stderr is None else Progress(title, sys.stderr)
    try:
        yield shown
    finally:
        shown.end()
