# SPDX-License-Identifier: Apache-2.0
"""``tilewright exec script.py``: run a script written for ttnn on the simulated chip."""

from __future__ import annotations

import argparse
import importlib.machinery
import sys
import types
from pathlib import Path

from tilewright.drop_in import install_as_ttnn


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tilewright exec",
        usage="tilewright exec [-h] script [arguments ...]",
        description="Run a Python script in which `import ttnn` gives the simulated chip. "
        "Whatever of ttnn exists here works; what does not says so by name.",
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
    install_as_ttnn()
    sys.argv = [options.script, *arguments[1:]]
    sys.path.insert(0, str(script.resolve().parent))
    return _run_as_main(script)


def _run_as_main(script: Path) -> int:
    """Runs the script as ``python script.py`` would: it is ``__main__``, and tracebacks begin in it."""
    main = types.ModuleType("__main__")
    main.__file__ = str(script)
    main.__loader__ = importlib.machinery.SourceFileLoader("__main__", str(script))
    sys.modules["__main__"] = main
    try:
        exec(compile(script.read_bytes(), str(script), "exec"), main.__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        _show_traceback(error, script)
        if isinstance(error, KeyboardInterrupt):
            return 130
        return 1
    return 0


def _show_traceback(error: BaseException, script: Path) -> None:
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_frame.f_code.co_filename != str(script):
        traceback = traceback.tb_next
    sys.excepthook(type(error), error.with_traceback(traceback), traceback)
