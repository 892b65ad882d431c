# SPDX-License-Identifier: Apache-2.0
"""``tilewright exec script.py``: run a script written for ttnn on the simulated chip."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tilewright.cli.command_parser import CommandParser
from tilewright.cli.run_script import run_script


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        "exec",
        "Run a Python script in which `import ttnn` gives the simulated chip. Whatever of ttnn exists here works; what "
        "does not says so by name. The exit status is the script's.",
        """
        tilewright exec my_script.py
        tilewright exec my_script.py --batch 4
        """,
        usage="tilewright exec [-h] script [arguments ...]",
    )
    parser.add_argument("script", help="the script to run; whatever follows is handed to it")
    return parser


def run(arguments: list[str]) -> int:
    # Only the first word is ours: options after the script are the script's.
    options = build_parser().parse_args(arguments[:1])
    script = Path(options.script)
    if not script.is_file():
        print(f"tilewright exec: script {options.script!r} does not exist", file=sys.stderr)
        return 2
    return run_script(script, arguments[1:])
