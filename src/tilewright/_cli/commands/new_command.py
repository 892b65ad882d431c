# SPDX-License-Identifier: Apache-2.0
"""``tilewright new``: one file with a declaration and its test."""

from __future__ import annotations

import argparse
import keyword
import tempfile
from pathlib import Path

from tilewright._cli.command_parser import CommandParser
from tilewright._cli.json_output import json_text
from tilewright._errors import TilewrightError
from tilewright._workshop.home import find_operation

_TEXT = '''"""NAME: say here what it computes."""

from tilewright import Positive, Row, Rows, check_operation, operation
from tilewright.formula import Value, mean, rsqrt, square


@operation
def NAME(x: Rows, gamma: Row, *, epsilon: Positive = 1e-6) -> Value:
    """Rows divided by the root of their mean square, times gamma."""
    mean_square = mean(square(x))
    return x * rsqrt(mean_square + epsilon) * gamma


def test_NAME() -> None:
    check_operation(NAME)
'''


class NewError(TilewrightError):
    """A file that cannot be written."""

    exit_status = 2


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        "new",
        "Write NAME.py with a declaration and its test. Change the formula; kernels and tests are derived from it.",
        """
        tilewright new my_norm
        tilewright new my_norm --dir operations
        tilewright new my_norm --json
        tilewright new my_norm --cpp
        tilewright new my_norm --cpp --from my_norm.py
        """,
    )
    parser.add_argument("name", metavar="NAME", help="name of the operation, a Python identifier")
    parser.add_argument(
        "--dir", type=Path, default=Path(), metavar="DIR", help="directory to write to (default: the current one)"
    )
    parser.add_argument(
        "--cpp",
        action="store_true",
        help="write a folder in the tt-metal tree's layout instead: host code, kernels, stage tests",
    )
    parser.add_argument(
        "--from",
        dest="declaration",
        metavar="FILE",
        help="with --cpp: file with a declaration to generate the folder from; without it, kernels are empty stubs",
    )
    parser.add_argument(
        "--category", default="reduction", help="with --cpp: folder below ttnn/operations (default reduction)"
    )
    parser.add_argument("--json", action="store_true", help="print what was written as JSON")
    return parser


def run(arguments: list[str]) -> int:
    parser = build_parser()
    options = parser.parse_args(arguments)
    name: str = options.name
    if not name.isidentifier() or keyword.iskeyword(name):
        parser.error(f"{name!r} is no name for a function: use letters, digits and _, a letter first")
    if options.declaration is not None and not options.cpp:
        parser.error("--from is for --cpp: a declaration is a Python file already")
    if options.cpp:
        return _write_cpp(options)
    path: Path = options.dir / f"{name}.py"
    if path.exists():
        raise NewError(f"{path} exists; name another operation, or take it away")
    if not options.dir.is_dir():
        raise NewError(f"there is no directory {options.dir}")
    try:
        path.write_text(_TEXT.replace("NAME", name), encoding="utf-8")
    except OSError as error:
        raise NewError(f"{path} cannot be written: {error.strerror or error}") from None
    if options.json:
        print(json_text("new", {"operation": name, "files": [str(path)]}))
        return 0
    print(f"{path}\n\nNext:\n  tilewright show {path}\n  tilewright run {path}\n  tilewright stages {path}")
    return 0


_SCAFFOLD = '''"""NAME: rows minus their mean, to begin with."""

from tilewright import Rows, operation
from tilewright.formula import Value, mean


@operation
def NAME(x: Rows) -> Value:
    """Rows minus their mean."""
    return x - mean(x)
'''


def _write_cpp(options: argparse.Namespace) -> int:
    """Writes a folder: whole from a declaration, else the host side with stubs for kernels."""
    # Imported here: the planner takes a while, and a declaration's file needs none of it.
    from tilewright.ops._export.tree_code import stub_files, tree_files, write_folder

    name: str = options.name
    if not options.dir.is_dir():
        raise NewError(f"there is no directory {options.dir}")
    if options.declaration is not None:
        operation = find_operation(options.declaration).operation()
        if operation.name != name:
            raise NewError(f"{options.declaration} declares {operation.name}, not {name}; the folder has its name")
        files = tree_files(operation, options.category)
    else:
        with tempfile.TemporaryDirectory() as work:
            file = Path(work) / f"{name}.py"
            file.write_text(_SCAFFOLD.replace("NAME", name), encoding="utf-8")
            files = stub_files(tree_files(find_operation(str(file)).operation(), options.category))
    here = {path.partition("/")[2]: text for path, text in files.items()}
    target = options.dir / name
    written = write_folder(here, options.dir, target)
    if options.json:
        print(json_text("new", {"operation": name, "files": [str(path) for path in written]}))
        return 0
    for path in written:
        print(path)
    what = "" if options.declaration else "  (its kernels are stubs: stage 7 is red until they compute)\n"
    print(f"\nNext:\n  tilewright build {target}\n  tilewright stages {target}\n{what}", end="")
    return 0
