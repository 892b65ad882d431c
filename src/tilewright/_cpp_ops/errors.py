# SPDX-License-Identifier: Apache-2.0
"""Errors of C++ operations: folders that do not compile, libraries that do not load."""

from __future__ import annotations

from tilewright._errors import TilewrightError


class CppOperationError(TilewrightError):
    """A folder with a C++ operation cannot be built or loaded; the text says why and what to change."""
