# SPDX-License-Identifier: Apache-2.0
"""Sockets between chips: programs that wait for a program of another operation at the other end."""

from __future__ import annotations

import functools
from pathlib import Path

from tilewright._program.kernel import SourceType
from tilewright._program.program import ProgramDescriptor

_HEADER = "socket_api.h"


def uses_sockets(program: ProgramDescriptor) -> bool:
    """Whether a kernel of the program includes the calls of sockets."""
    return any(
        _includes_sockets(kernel.kernel_source, kernel.source_type is SourceType.FILE_PATH)
        for kernel in program.kernels
    )


@functools.lru_cache(maxsize=4096)
def _includes_sockets(source: str, is_file: bool) -> bool:
    text = Path(source).read_text(errors="replace") if is_file else source
    return any(line.lstrip().startswith("#include") and _HEADER in line for line in text.splitlines())
