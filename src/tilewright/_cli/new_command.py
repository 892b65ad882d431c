# SPDX-License-Identifier: Apache-2.0
"""``tilewright new``: one file with a declaration and its test."""

from __future__ import annotations

import argparse
import keyword
from pathlib import Path

from tilewright._cli.command_parser import CommandParser
from tilewright._cli.json_output import json_text
from tilewright._errors import TilewrightError

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
        "Write NAME.py: an operation as one declaration, and its test. Change the formula; everything else follows.",
        """
        tilewright new my_norm
        tilewright new my_norm --dir operations
        tilewright new my_norm --json
        """,
    )
    parser.add_argument("name", metavar="NAME", help="of the operation, a Python name")
    parser.add_argument("--dir", type=Path, default=Path(), metavar="DIR", help="where to write it (default: here)")
    parser.add_argument("--json", action="store_true", help="say what was written as JSON")
    return parser


def run(arguments: list[str]) -> int:
    parser = build_parser()
    options = parser.parse_args(arguments)
    name: str = options.name
    if not name.isidentifier() or keyword.iskeyword(name):
        parser.error(f"{name!r} is no name for a function: use letters, digits and _, a letter first")
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
