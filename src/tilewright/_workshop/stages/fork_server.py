# SPDX-License-Identifier: Apache-2.0
"""Fork server: import shared modules once and fork for each stage.

``python -m tilewright._workshop.stages.fork_server`` is for the runner alone. Each line of its standard input is a JSON
object: ``arguments`` for a child and the file for its ``output``. Two lines answer it: the child's process id, and when
it has ended its return code (negative: the signal it died of).
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import os
import signal
import sys
import traceback

from tilewright._workshop.stages.child import main as run_child

# Of these a stage always needs some; none runs any of the operation's code.
_IMPORTED_ONCE = ("tilewright.ttnn", "tilewright.check._check_program", "tilewright._workshop.stages.pytest_events")
_PR_SET_PDEATHSIG = 1  # of linux/prctl.h


def serve() -> int:
    """Answers requests until there are no more."""
    _die_with_parent()
    for name in _IMPORTED_ONCE:
        with contextlib.suppress(ImportError):  # pytest may be missing: the stage reports it
            importlib.import_module(name)
    for line in sys.stdin:
        request = json.loads(line)
        process = os.fork()
        if process == 0:
            os._exit(_born(request["arguments"], request["output"]))
        print(process, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)
    return 0


def _born(arguments: list[str], output: str) -> int:
    """A child, from its first moment to its last."""
    os.setsid()  # whatever it starts is ended with it
    _die_with_parent()
    for stream, path in ((0, os.devnull), (1, output), (2, output)):
        descriptor = os.open(path, os.O_RDONLY if stream == 0 else os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.dup2(descriptor, stream)
        os.close(descriptor)
    try:
        return run_child(arguments)
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def _die_with_parent() -> None:
    """End with the process that started it: a kernel that never ends must not outlive it."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(serve())
