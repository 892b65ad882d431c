# SPDX-License-Identifier: Apache-2.0
"""``tilewright exec script.py``: run a script written for ttnn on the simulated chip."""

from __future__ import annotations

import argparse
import runpy
import sys
from pathlib import Path

from tilewright.drop_in import install_as_ttnn


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tilewright exec",
        description="Run a Python script in which `import ttnn` gives the simulated chip. "
        "Whatever of ttnn exists here works; what does not says so by name.",
    )
    parser.add_argument("script", help="the script to run")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="arguments of the script")
    return parser


def run(arguments: list[str]) -> int:
    options = build_parser().parse_args(arguments)
    script = Path(options.script)
    if not script.is_file():
        print(f"tilewright exec: script {options.script!r} does not exist", file=sys.stderr)
        return 2
    install_as_ttnn()
    sys.argv = [str(script), *options.arguments]
    sys.path.insert(0, str(script.resolve().parent))
    runpy.run_path(str(script), run_name="__main__")
    return 0
