# SPDX-License-Identifier: Apache-2.0
"""Running a user's script in this process, with ``import ttnn`` giving the simulated chip."""

from __future__ import annotations

import importlib.machinery
import sys
import sysconfig
import types
from collections.abc import Callable, Sequence
from pathlib import Path

from tilewright._build.cache import cache_directory
from tilewright._cpp_ops.errors import CppOperationError
from tilewright._drop_in import install_as_ttnn

_PACKAGE = str(Path(__file__).resolve().parents[1])
_LIBRARY = sysconfig.get_path("stdlib")


def run_script(
    script: Path,
    arguments: Sequence[str],
    quiet: tuple[type[BaseException], ...] = (),
    on_error: Callable[[BaseException], None] = lambda error: None,
) -> int:
    """Runs the script as ``python script.py arguments`` would: it is ``__main__``, and tracebacks begin in it.

    Args:
        quiet: errors without a traceback, because the caller shows them in another way.
        on_error: gets the exception that the script ended with.
    """
    install_as_ttnn()
    sys.argv = [str(script), *arguments]
    sys.path.insert(0, str(script.resolve().parent))
    main = types.ModuleType("__main__")
    main.__file__ = str(script)
    main.__loader__ = importlib.machinery.SourceFileLoader("__main__", str(script))
    sys.modules["__main__"] = main
    try:
        exec(compile(script.read_bytes(), str(script), "exec"), main.__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        on_error(error)
        if not isinstance(error, quiet):
            _show_traceback(error, script)
        if isinstance(error, KeyboardInterrupt):
            return 130
        return 1
    return 0


def _show_traceback(error: BaseException, script: Path) -> None:
    """The traceback of a script's error: from the script on, without our own frames.

    Frames of the standard library belong to the code that calls them.
    """
    if isinstance(error, CppOperationError) and script.is_relative_to(cache_directory()):
        print(f"tilewright: {error}", file=sys.stderr)  # a script that stands for a folder: its lines say nothing
        return
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_frame.f_code.co_filename != str(script):
        traceback = traceback.tb_next
    frame, is_ours, kept = traceback, False, []
    while frame is not None:
        file = frame.tb_frame.f_code.co_filename
        is_library = file.startswith(_LIBRARY) and "site-packages" not in file
        is_ours = file.startswith(_PACKAGE) or (is_library and is_ours)
        if not is_ours:
            kept.append(frame)
        frame = frame.tb_next
    for one, following in zip(kept, [*kept[1:], None], strict=False):
        one.tb_next = following
    sys.excepthook(type(error), error.with_traceback(traceback), traceback)
