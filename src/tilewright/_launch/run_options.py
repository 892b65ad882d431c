# SPDX-License-Identifier: Apache-2.0
"""How a program is to be run."""

from __future__ import annotations

import dataclasses
import os
import platform
import sys
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from tilewright._build.translation_unit import Instrumentation
from tilewright._debug.breakpoints import Breakpoint, breakpoints
from tilewright._errors import TilewrightError
from tilewright._tensor.argument import flag, items, seconds, shown, whole_number

if TYPE_CHECKING:  # a launch without stops needs nothing of it
    from tilewright._debug.stop import StopHandler

THREADS_VARIABLE = "TILEWRIGHT_THREADS"
_MACHINES_THAT_STOP = ("x86_64", "AMD64")

# Gets the core, the kernel's name and a line it printed.
PrintHandler = Callable[[tuple[int, int], str, str], None]


def show_print(core: tuple[int, int], kernel: str, line: str) -> None:
    """Shows a line a kernel printed, as ``(x,y) kernel: line``."""
    print(f"({core[0]},{core[1]}) {kernel}: {line}", file=sys.stdout, flush=True)


@dataclasses.dataclass(frozen=True)
class RunOptions:
    """Options of a launch: limits, threads, and what is watched and kept.

    Attributes:
        threads: OS threads the cores are spread over; on any number of them a program without races does the same.
            None is one for each processor where a launch is long enough for that, or ``$TILEWRIGHT_THREADS``.
        time_limit: seconds after which the run is stopped; None is no limit.
        spin_limit: seconds a kernel may poll memory that does not change, or stay in a call that moves nothing.
        checked: watch every rule of the checker, in one thread; ``Run.notes`` has what was broken.
        fast: of a checked run: only rules about calls, on kernels as a plain run compiles them (docs/checks.md).
        seed: order a checked run takes where kernels could run in several, the same one each time; 0 is the usual one.
        record: circular buffers whose pages are kept as they are pushed, in one thread; ``Run.pages`` has them.
        keep_l1: every core uses its own L1, so that ``read_l1`` finds what it left; else cores may share one.
        record_calls: keep every call of a plain run that would cost a card time; ``Run.calls`` has them.
        on_print: gets what kernels print, line by line.
        watch: lines of sources, ``FILE:LINE``, whose executions are counted, in one thread; ``Run.lines`` has them.
        late: lines that a kernel reaches late: it waits before them until no other can run; of a run with a seed.
        break_at: where kernels stop: ``FILE:LINE`` of a source, a kernel's name, ``hang``, a Breakpoint, or several.
        on_stop: gets every ``Stop`` and says how to go on; without one a prompt reads commands from standard input.

    Example::

        run = tilewright.run_program([x, y], program, tilewright.RunOptions(time_limit=10))
    """

    threads: int | None = None
    time_limit: float | None = None
    spin_limit: float = 5.0
    checked: bool = False
    fast: bool = False
    seed: int = 0
    record: Collection[int] = ()
    keep_l1: bool = False
    record_calls: bool = False
    on_print: PrintHandler = show_print
    watch: Collection[str] = ()
    late: Collection[str] = ()
    break_at: str | Breakpoint | Collection[str | Breakpoint] = ()
    on_stop: StopHandler | None = None

    def __post_init__(self) -> None:
        if self.threads is not None:
            whole_number("threads", self.threads, 1, _MOST_THREADS)
        if self.time_limit is not None:
            seconds("time_limit", self.time_limit)
        seconds("spin_limit", self.spin_limit)
        for name in ("checked", "fast", "keep_l1", "record_calls"):
            flag(name, getattr(self, name))
        whole_number("seed", self.seed, 0, (1 << 64) - 1)
        for index in items("record", self.record, "indices of circular buffers"):
            whole_number("record", index, 0, _MOST_CIRCULAR_BUFFERS - 1)
        if self.late and not self.seed:
            raise ValueError("late delays kernels of a randomised schedule; give checked=True and a seed with it")
        if self.watches_lines and (self.record_calls or breakpoints(self.break_at) or self.threads not in (None, 1)):
            raise ValueError("watch counts lines in one thread; leave record_calls, break_at and threads out")
        if self.watches_lines and platform.machine() not in _MACHINES_THAT_STOP:
            raise ValueError(f"watch counts lines on x86-64 only; this machine is {platform.machine()}")
        if self.seed and not self.checked:
            raise ValueError("seed chooses among the orders of a checked run; give checked=True with it")
        if self.record_calls and self.checked:
            raise ValueError("record_calls keeps the calls of a plain run; leave checked out")
        if breakpoints(self.break_at) and (self.checked or self.record_calls or self.threads not in (None, 1)):
            raise ValueError(
                "break_at stops kernels of a plain run in one thread; leave checked, record_calls, threads"
            )
        if breakpoints(self.break_at) and platform.machine() not in _MACHINES_THAT_STOP:
            raise ValueError(f"break_at stops kernels on x86-64 only; this machine is {platform.machine()}")
        if self.on_stop is not None and not callable(self.on_stop):
            raise TypeError(f"on_stop must be a function of a Stop, not {shown(self.on_stop)}")
        if not callable(self.on_print):
            raise TypeError(f"on_print must be a function of core, kernel and line, not {shown(self.on_print)}")

    @property
    def threads_wanted(self) -> int:
        """OS threads that the options or ``$TILEWRIGHT_THREADS`` set; 0 where the engine chooses."""
        if self.break_at or self.watches_lines:
            return 1
        if self.threads is not None:
            return self.threads
        value = os.environ.get(THREADS_VARIABLE, "")
        if value and not (value.isdigit() and 1 <= int(value) <= _MOST_THREADS):
            raise TilewrightError(f"{THREADS_VARIABLE} is {value!r}; allowed: 1 to {_MOST_THREADS}")
        return int(value) if value else 0

    @property
    def watches_lines(self) -> bool:
        """Whether executions of lines are counted or delayed."""
        return bool(self.watch) or bool(self.late)

    @property
    def watches(self) -> bool:
        """Whether the launch does more than run: a check, pages or calls to keep, stops."""
        return self.checked or bool(self.record) or self.record_calls or bool(self.break_at) or self.watches_lines

    @property
    def instrumentation(self) -> Instrumentation:
        """The instrumentation of this run's kernels."""
        return (
            Instrumentation.MEMORY
            if self.checked and not self.fast
            else Instrumentation.CALLS
            if self.record_calls
            else Instrumentation.NOTHING
        )


_MOST_THREADS = 256
_MOST_CIRCULAR_BUFFERS = 64
USUAL_OPTIONS = RunOptions()
