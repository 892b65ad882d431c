# SPDX-License-Identifier: Apache-2.0
"""Errors of the kernel language, with file and line."""

from __future__ import annotations

from tilewright._errors import TilewrightError


class KernelLanguageError(TilewrightError):
    """A kernel says something the kernel language does not have, or does not add up.

    The text is ``file:line: what is wrong``, then the offending code.

    Attributes:
        path: the Python file of the kernel.
        line: line in that file.
        code: the offending code.
    """

    def __init__(self, message: str, path: str, line: int, code: str) -> None:
        self.message = message
        self.path = path
        self.line = line
        self.code = code
        shown = "".join(f"\n    {each}" for each in code.splitlines())
        super().__init__(f"{path}:{line}: {message}{shown}")


class KernelArgumentError(TilewrightError, TypeError):
    """The host gives a kernel other arguments than its parameters ask for."""
