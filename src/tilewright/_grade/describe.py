# SPDX-License-Identifier: Apache-2.0
"""The process in which host code of a candidate runs: Python files, declarations, libraries of C++ folders.

It has no values, no engine, no files but the candidate's, no network and no other process. What it answers is data.
"""

from __future__ import annotations

import importlib.util
import socket
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tilewright.ttnn
from tilewright._build.compiler import find_compiler
from tilewright._cpp_ops.build import BuiltOperation
from tilewright._cpp_ops.operation_folder import read_folder
from tilewright._grade.capture import capture
from tilewright._grade.places import system_places
from tilewright._grade.sandbox import confine, limit_resources
from tilewright._grade.zygote import read_message, send_message
from tilewright._tensor.dtype import DataType
from tilewright._tensor.layout import Layout
from tilewright.ops import Operation

ENTRY = "candidate"
_MOST_REQUEST = 1 << 20
_MOST_WORDS = 2000


def prepare() -> None:
    """Import and compute what every child needs."""
    find_compiler()
    system_places()


def serve(connection: socket.socket) -> None:
    """Answer one request."""
    request = read_message(connection, _MOST_REQUEST)
    assert request is not None
    path = Path(request["path"])
    readable = [path, *([Path(request["library"])] if request["library"] else [])]
    limit_resources(request["memory_mib"], request["seconds"], is_python=True)
    confine([*system_places(), *readable], [], is_python=True)
    try:
        host = _host(path, request["library"])
        cases = [
            capture(host, [(shape, DataType[dtype], Layout[layout]) for shape, dtype, layout in case], *request["chip"])
            for case in request["cases"]
        ]
        answer: dict[str, Any] = {"cases": cases}
    except BaseException as error:  # also what a candidate raises to get out
        answer = {"error": _words(error, path)}
    send_message(connection, answer)


def _host(path: Path, library: str) -> Callable[..., object]:
    """The function to call: ``candidate``, the only declaration, or the function of a C++ library."""
    if library:
        functions = BuiltOperation(read_folder(path), Path(library), ()).load(tilewright.ttnn).functions
        if path.name not in functions and len(functions) != 1:
            raise ValueError(f"the folder binds {', '.join(functions)}; one must have the folder's name, {path.name}")
        return functions.get(path.name) or next(iter(functions.values()))
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[path.stem] = module
    specification.loader.exec_module(module)
    found = getattr(module, ENTRY, None)
    if found is not None:
        if not callable(found):
            raise TypeError(f"`{ENTRY}` must be a function of the input tensors, not {type(found).__name__}")
        return found  # type: ignore[no-any-return]
    declared = [each for each in vars(module).values() if isinstance(each, Operation)]
    if len(declared) != 1:
        raise ValueError(f"the file has no function `{ENTRY}` and {len(declared)} declarations; it needs one of either")
    return declared[0]


def _words(error: BaseException, path: Path) -> str:
    """The error with the candidate's own last line."""
    own = [each for each in traceback.extract_tb(error.__traceback__) if each.filename == str(path)]
    place = f"{path.name}:{own[-1].lineno}: " if own else ""
    try:
        message = str(error)
    except BaseException:  # an exception of the candidate's own kind
        message = "(its text cannot be had)"
    return f"{place}{type(error).__name__}: {message}"[:_MOST_WORDS]
