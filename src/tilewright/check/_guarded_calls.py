# SPDX-License-Identifier: Apache-2.0
"""Circular buffer calls of compute kernels that a guard keeps off the thread that would carry them out.

A card compiles a compute kernel once for each of its three threads. Reserve and push do something on the pack thread
only, wait and pop on the unpack thread only. What a guard leaves out can only be seen in the source; the run has the
hang that follows.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from pathlib import Path

from tilewright._build.kernel_sources import source_path
from tilewright._build.thread_guards import ALL_THREADS, DIRECTIVE, THREADS, Threads, step
from tilewright._program.kernel import KernelDescriptor
from tilewright._program.program import ProgramDescriptor
from tilewright._program.specs.source import without_comments
from tilewright._rules import RULES
from tilewright.check._finding import Finding

_CALL = re.compile(r"\b(?:cb_|\.\s*|->\s*)(reserve_back|push_back|wait_front|pop_front)\s*\(([^();,]*)")
_THREAD_OF = {"reserve_back": "PACK", "push_back": "PACK", "wait_front": "UNPACK", "pop_front": "UNPACK"}
_MACRO = re.compile(r"\b(UNPACK|MATH|PACK)\s*\(\s*\(")


def guarded_calls(program: ProgramDescriptor) -> Iterator[Finding]:
    """Findings in the compute kernels' own files."""
    for kernel in program.kernels:
        if kernel.is_compute:
            yield from _of_kernel(kernel)


def _of_kernel(kernel: KernelDescriptor) -> Iterator[Finding]:
    try:
        path = source_path(kernel)
        text = Path(path).read_text(errors="replace")
    except OSError:
        return  # said before, where the program is validated
    rule = RULES["trisc-guard"]
    for line, call, operand, threads in calls_off_their_thread(text):
        only = " and ".join(thread for thread in THREADS if thread in threads)
        numbers = f"{call}({operand.strip()}) runs on {only} only, and does something on {_THREAD_OF[call[3:]]} only"
        cores = tuple((core.x, core.y) for core in kernel.core_ranges)
        yield Finding(
            rule.id, kernel.name, path, line, None, cores, None, 0, numbers, rule.cause, rule.cure, len(cores)
        )


@functools.lru_cache(maxsize=64)
def calls_off_their_thread(text: str) -> tuple[tuple[int, str, str, Threads], ...]:
    """(line, call, first argument, threads it is compiled for) of calls that do nothing where they are.

    >>> calls_off_their_thread("#ifdef TRISC_MATH\\ncb_push_back(0, 1);\\n#endif")
    ((2, 'cb_push_back', '0', frozenset({'MATH'})),)
    """
    found: list[tuple[int, str, str, Threads]] = []
    guards: list[tuple[Threads, Threads]] = []  # of each open #if: where it holds, where a branch before it held
    for number, line in enumerate(without_comments(text).split("\n"), 1):
        directive = DIRECTIVE.match(line)
        if directive is not None:
            step(guards, directive.group(1), directive.group(2))
            continue
        threads = ALL_THREADS
        for holds, _ in guards:
            threads &= holds
        for call in _CALL.finditer(line):
            here = threads & _macro_threads(line, call.start())
            if here and _THREAD_OF[call.group(1)] not in here:
                found.append((number, f"cb_{call.group(1)}", call.group(2), here))
    return tuple(found)


def _macro_threads(line: str, position: int) -> Threads:
    """Threads of the ``PACK((...))`` a call stands in."""
    for macro in _MACRO.finditer(line):
        depth, end = 0, macro.end()
        for end in range(macro.end() - 2, len(line)):
            depth += {"(": 1, ")": -1}.get(line[end], 0)
            if depth == 0:
                break
        if macro.end() <= position <= end:
            return frozenset({macro.group(1)})
    return ALL_THREADS
