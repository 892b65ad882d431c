# SPDX-License-Identifier: Apache-2.0
"""The process that compiles the host sources of a C++ folder; it runs nothing of them."""

from __future__ import annotations

import socket
from pathlib import Path

from tilewright._build.compiler import find_compiler
from tilewright._cpp_ops.build import build_operation
from tilewright._errors import TilewrightError
from tilewright._grade.execute import enter_sandbox
from tilewright._grade.zygote import read_message, send_message

_MOST_REQUEST = 1 << 20


def prepare() -> None:
    """Import and compute what every child needs."""
    find_compiler()


def serve(connection: socket.socket) -> None:
    """Answer one request."""
    request = read_message(connection, _MOST_REQUEST)
    assert request is not None
    enter_sandbox(request)
    try:
        answer = {"library": str(build_operation(Path(request["candidate"]), together=True).library)}
    except (TilewrightError, OSError, ValueError) as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    send_message(connection, answer)
