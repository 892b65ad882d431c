# SPDX-License-Identifier: Apache-2.0
"""Progress line on a terminal."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from types import TracebackType

_PATIENCE_SECONDS = 1.0


class ProgressLine:
    """A line that is written over again and again, and gone in the end. It appears after a second.

    Example::

        with ProgressLine() as progress:
            progress.show("compiling kernels", 3.2)
            with progress.during("running"):
                ...
    """

    def __init__(self) -> None:
        self._stream = sys.stderr
        self._begin = time.monotonic()
        self._is_shown = False

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.clear()

    def show(self, what: str, seconds: float | None = None) -> None:
        """Shows what is being done, and for how long if that is known."""
        if self._stream.isatty() and time.monotonic() - self._begin >= _PATIENCE_SECONDS:
            text = what if seconds is None else f"{what} ({seconds:.0f} s)"
            self._stream.write(f"\r\033[K{text[:79]}")
            self._stream.flush()
            self._is_shown = True

    def clear(self) -> None:
        if self._is_shown:
            self._stream.write("\r\033[K")
            self._stream.flush()
            self._is_shown = False

    @contextlib.contextmanager
    def during(self, what: str) -> Iterator[None]:
        """Shows that something which says nothing itself is being done, second after second."""
        begin, ended = time.monotonic(), threading.Event()

        def tick() -> None:
            while not ended.wait(_PATIENCE_SECONDS):
                self.show(what, time.monotonic() - begin)

        ticking = threading.Thread(target=tick, daemon=True)
        if self._stream.isatty():
            ticking.start()
        try:
            yield
        finally:
            ended.set()
            if ticking.is_alive():
                ticking.join()
            self.clear()
