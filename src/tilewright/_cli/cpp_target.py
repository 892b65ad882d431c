# SPDX-License-Identifier: Apache-2.0
"""Folders of C++ operations in the place of scripts."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright._card.package import installed_ttnn
from tilewright._cpp_ops import targets


def with_script(command: str, arguments: Sequence[str]) -> list[str]:
    """A command's arguments with a script that calls the operation in the place of its folder."""
    return targets.with_script(command, arguments, installed_ttnn() is not None)
