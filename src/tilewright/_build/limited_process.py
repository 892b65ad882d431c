# SPDX-License-Identifier: Apache-2.0
"""Compilers with limits: a kernel can include an endless file, or ask for endless work at compile time."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from tilewright._errors import TilewrightError

MEMORY_VARIABLE = "TILEWRIGHT_COMPILER_MEMORY"
SECONDS_VARIABLE = "TILEWRIGHT_COMPILER_SECONDS"
_MEMORY_MIB = 4096
_SECONDS = 120
_WAITS = 10  # times the seconds of processor time, on a machine with other work
_FILE_MIB = 1024
_MOST_OUTPUT = 1 << 22  # bytes of messages that are read

# A shell sets the limits: they hold from the compiler's first instruction, for each process it starts.
# The soft limit of time sends a signal of its own, which the driver reports; the hard one comes two seconds later. The
# hard one is set second, for it must not be below the soft one. A limit that is lower already stays.
_SCRIPT = (
    '{ ulimit -c 0; ulimit -v "$0"; ulimit -S -t "$1"; ulimit -H -t $(($1 + 2)); ulimit -f "$2"; } 2>/dev/null; '
    'shift 2; exec "$@"'
)

# How a compiler, or the driver of one that a limit ended, reports it: g++, then clang++.
_OF_MEMORY = re.compile(r"out of memory allocating|virtual memory exhausted|LLVM ERROR: out of memory|std::bad_alloc")
_OF_TIME = re.compile(r"CPU time limit exceeded")
_OF_FILES = re.compile(r"File size limit exceeded|File too large")


@dataclasses.dataclass(frozen=True)
class ProcessLimits:
    """Limits of each process that a compiler's driver starts.

    Attributes:
        memory_mib: address space.
        seconds: processor time; the driver may take ten times as long in all.
    """

    memory_mib: int
    seconds: int


def compiler_limits() -> ProcessLimits:
    """The limits of compilers, from the environment or the usual ones.

    Raises:
        TilewrightError: a variable holds no number in its range.
    """
    return ProcessLimits(
        _number(MEMORY_VARIABLE, _MEMORY_MIB, 256, "MiB"), _number(SECONDS_VARIABLE, _SECONDS, 1, "seconds")
    )


def _number(variable: str, usual: int, least: int, unit: str) -> int:
    text = os.environ.get(variable)
    if not text:
        return usual
    if not text.isdecimal() or not least <= int(text) <= 1 << 24:
        raise TilewrightError(f"{variable} is {text!r}; allowed: {least} or more {unit}, such as {usual}")
    return int(text)


def run_limited(
    command: Sequence[str], cwd: Path | None, environment: Mapping[str, str], limits: ProcessLimits
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, with what it prints. A limit that ended it is the last line of ``stderr``."""
    numbers = (limits.memory_mib * 1024, limits.seconds, _FILE_MIB * 2048)
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        # A session of its own, so that the processes it started can be ended with it.
        process = subprocess.Popen(
            ["/bin/sh", "-c", _SCRIPT, *map(str, numbers), *command],
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            env=environment,
            start_new_session=True,
        )
        in_time = True
        try:
            process.wait(_WAITS * limits.seconds)
        except subprocess.TimeoutExpired:
            in_time = False
        finally:
            if process.returncode is None:  # late, or an exception such as Ctrl-C
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        error_text = _text(errors)
        reason = _limit_words(error_text, process.returncode, limits, in_time)
        code = process.returncode if not reason else process.returncode or 1
        return subprocess.CompletedProcess(
            list(command), code, _text(output), f"{error_text}\n{reason}" if reason else error_text
        )


def _text(file: IO[bytes]) -> str:
    """Output of a compiler: it quotes the user's source, in whatever encoding that is."""
    file.seek(0)
    return file.read(_MOST_OUTPUT).decode("utf-8", errors="replace")


LIMIT_WORDS = "error: limit of the compiler: "


def _limit_words(error_text: str, code: int, limits: ProcessLimits, in_time: bool) -> str:
    """Which limit ended the compiler; empty: none."""
    if not in_time:
        return f"{LIMIT_WORDS}no end after {_WAITS * limits.seconds} seconds ({SECONDS_VARIABLE} is {limits.seconds})"
    if code == 0:
        return ""
    if code == -signal.SIGXCPU or _OF_TIME.search(error_text):
        return f"{LIMIT_WORDS}more than {limits.seconds} seconds of processor time ({SECONDS_VARIABLE} changes it)"
    if _OF_MEMORY.search(error_text):
        return f"{LIMIT_WORDS}more than {limits.memory_mib} MiB of memory ({MEMORY_VARIABLE} changes it)"
    if code == -signal.SIGXFSZ or _OF_FILES.search(error_text):
        return f"{LIMIT_WORDS}a file of more than {_FILE_MIB} MiB"
    return ""


def limit_in(output: str) -> str | None:
    """The limit that ended a compiler, from what it printed; None: it ended by itself."""
    last = output.rstrip().rpartition("\n")[2]
    return last.removeprefix("error: ") if last.startswith(LIMIT_WORDS) else None
