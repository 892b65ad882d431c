# SPDX-License-Identifier: Apache-2.0
"""Functions that a candidate's compiled kernels may call.

A kernel on a card has no operating system below it. Here it is a library beside the engine, and the loader would give
it every function of the C library: clocks, by which it could tell the timed run from the checked one, files, maps.
A kernel that imports anything but the engine's functions and arithmetic is refused before it is loaded.
"""

from __future__ import annotations

import re

from tilewright._build.elf import imported_symbols
from tilewright._build.kernel_build import compile_kernels
from tilewright._build.kernel_sources import kernel_source
from tilewright._build.translation_unit import Instrumentation
from tilewright._launch.tensor_launch import TensorLaunch

_ENGINE = r"tw_\w+|__tsan_\w+|__sanitizer_cov_trace_pc|__wrap_\w+"
_COMPILER = r"__stack_chk_fail|__cxa_finalize|__cxa_atexit|__gmon_start__|_ITM_\w+|__dso_handle|mem(?:cpy|move|set|cmp)"
_ARITHMETIC = r"(?:exp|exp2|log|log2|log10|pow|sqrt|cbrt|sin|cos|tan|tanh|fmod|floor|ceil|round|trunc|rint|fma)f?"
_ALLOWED = re.compile(rf"(?:{_ENGINE}|{_COMPILER}|{_ARITHMETIC}|strlen|snprintf)$")  # the last two: what DPRINT calls


class ForeignCallError(ValueError):
    """A kernel that calls functions of this machine."""


def refuse_foreign_calls(launch: TensorLaunch, instrumentation: Instrumentation) -> None:
    """Compile the kernels of a launch and look at what they import, before anything loads them.

    Raises:
        ForeignCallError: names the kernel and the functions.
    """
    chip = launch.chip
    sources = [
        kernel_source(launch.program, kernel, chip.arch, chip.die_grid, instrumentation)
        for kernel in launch.program.kernels
    ]
    for source, libraries in zip(sources, compile_kernels(sources), strict=True):
        names = set().union(*(imported_symbols(path) for path in libraries))
        foreign = sorted(name for name in names if not _ALLOWED.match(name))
        if foreign:
            raise ForeignCallError(
                f"kernel {source.name} calls {', '.join(foreign[:5])}: a kernel has the functions of the kernel API, "
                "memcpy, memmove, memset, memcmp and arithmetic"
            )
