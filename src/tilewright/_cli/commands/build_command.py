# SPDX-License-Identifier: Apache-2.0
"""``tilewright build``: compile folders with C++ operations."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from tilewright._build.cache import write_atomically
from tilewright._cli.command_parser import CommandParser
from tilewright._cli.json_output import error_object, json_text
from tilewright._cpp_ops.build import BuiltFolder, BuiltOperation, LinkedOperation, built_folder
from tilewright._cpp_ops.errors import CppOperationError
from tilewright._workshop.stages.watching import snapshot

_DESCRIPTION = """
Compile the host code of C++ operations in the layout of the tt-metal tree: NAME.cpp, NAME_nanobind.cpp,
device/*_device_operation.cpp, device/*_program_factory.cpp. This needs no build of tt-metal. Unchanged files are not
compiled again. `tilewright exec`, `check`, `time`, `report`, `debug` and `stages` also take such a folder: they build
it and call ttnn.NAME. In Python, `tilewright.build("FOLDER")` does the same.

Exit status: 0 all built, 1 an operation does not build, 2 bad usage.
"""
_EXAMPLES = """
tilewright build ./variance_w_rm
tilewright build ./variance_w_rm --watch
tilewright build ./variance_w_rm --output ./build
tilewright build ./variance_w_rm --link
"""


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser("build", _DESCRIPTION, _EXAMPLES)
    parser.add_argument(
        "folders", nargs="+", type=Path, metavar="FOLDER", help="folder with the sources of an operation"
    )
    parser.add_argument(
        "--output", type=Path, metavar="DIR", help="also write DIR/NAME.py, a module that loads the operation"
    )
    parser.add_argument(
        "--link", action="store_true", help="link against the libraries of the installed ttnn; refused if they differ"
    )
    parser.add_argument("--watch", action="store_true", help="build again whenever a file changes, until Ctrl-C")
    parser.add_argument("--json", action="store_true", help="print what was built as JSON")
    return parser


def run(arguments: list[str]) -> int:
    parser = build_parser()
    options = parser.parse_args(arguments)
    if options.json and options.watch:
        parser.error("--json and --watch: a machine reads one result; give one of them")
    names = [folder.resolve().name for folder in options.folders]
    twice = next((name for name in names if names.count(name) > 1), None)
    if options.output is not None and twice is not None:
        parser.error(f"--output writes one {twice}.py, and two folders have that name; build them one by one")
    missing = next((folder for folder in options.folders if not folder.is_dir()), None)
    if not options.watch or missing is not None:
        return _build_all(options)
    while True:
        before = [snapshot(folder) for folder in options.folders]  # what changes during the build is built, too
        _build_all(options)
        print("\nwaiting for a change; Ctrl-C ends", flush=True)
        while [snapshot(folder) for folder in options.folders] == before:
            time.sleep(0.2)


def _build_all(options: argparse.Namespace) -> int:
    built: list[dict[str, Any]] = []
    failures: list[str] = []
    for folder in options.folders:
        begin = time.monotonic()
        try:
            operation = built_folder(folder, options.link)
        except CppOperationError as error:
            failures.append(str(error))
            if not options.json:
                print(f"tilewright build: {error}", flush=True)
            continue
        if options.output is not None:
            _write_module(operation, options.output)
        built.append(_facts(operation, time.monotonic() - begin))
        if not options.json:
            print(_line(operation, built[-1]), flush=True)
    status = 1 if failures else 0
    if options.json:
        error_said = error_object("CppOperationError", failures[0]) if failures else None
        print(json_text("build", {"operations": built}, status, error_said))
    return status


def _facts(operation: BuiltOperation | LinkedOperation, seconds: float) -> dict[str, Any]:
    return {
        "folder": str(operation.folder.root),
        "library": str(operation.library),
        "functions": operation.signatures(),
        "sources": len(operation.objects),
        "compiled": [str(path) for path in operation.compiled],
        "seconds": round(seconds, 3),
    }


def _line(operation: BuiltFolder, facts: dict[str, Any]) -> str:
    compiled = f"{len(facts['compiled'])} of {facts['sources']} files compiled, {facts['seconds']:.1f} s"
    return "\n".join([f"{operation.folder.name}: {compiled}", *(f"  ttnn.{each}" for each in facts["functions"])])


_MODULE = """# Written by `tilewright build`: loads the operation of {folder} and registers it with ttnn.
import tilewright

_functions = tilewright.build({folder!r}{link})
globals().update(_functions)
__all__ = sorted(_functions)
"""


def _write_module(operation: BuiltFolder, directory: Path) -> None:
    """A module that loads the operation."""
    link = ", link=True" if isinstance(operation, LinkedOperation) else ""
    text = _MODULE.format(folder=str(operation.folder.root), link=link)
    write_atomically(directory / f"{operation.folder.name}.py", text.encode())
