# SPDX-License-Identifier: Apache-2.0
"""One line on a terminal that says what is being done; nothing where nobody watches."""

from __future__ import annotations

import sys
from types import TracebackType


class ProgressLine:
    """A line that is written over again and again, and gone in the end.

    Example::

        with ProgressLine() as progress:
            progress.show("compiling kernels", 3.2)
    """

    def __init__(self) -> None:
        self._stream = sys.stderr
        self._is_shown = False

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.clear()

    def show(self, what: str, seconds: float) -> None:
        if self._stream.isatty():
            text = f"{what} ({seconds:.0f} s)"
            self._stream.write(f"\r\033[K{text[:79]}")
            self._stream.flush()
            self._is_shown = True

    def clear(self) -> None:
        if self._is_shown:
            self._stream.write("\r\033[K")
            self._stream.flush()
            self._is_shown = False
