# SPDX-License-Identifier: Apache-2.0
"""Looking at a stopped kernel from a terminal, or from commands that a file or a pipe holds."""

from __future__ import annotations

import cmd
import re
import sys
import textwrap
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from tilewright._debug.stop import BufferState, Core, Go, Stop
from tilewright._errors import TilewrightError

_ROWS, _COLUMNS = 4, 8  # of a tile that are shown unless all are wanted
_WIDTH = 80
ENDED_AT_STOP = "ended at a stop:"


class DebuggingEndedError(TilewrightError):
    """The user ended a run at a stop."""


class Prompt(cmd.Cmd):
    """Shows stops and obeys commands, one after another; ``help`` lists them.

    Example::

        prompt = Prompt(stdin=open("commands.txt"), stdout=log)
        run_program([x, y], program, RunOptions(break_at="compute.cpp:41", on_stop=prompt))
    """

    prompt = "(tilewright) "
    doc_header = "commands (help COMMAND says more)"

    def __init__(self, stdin: TextIO | None = None, stdout: TextIO | None = None) -> None:
        super().__init__(stdin=stdin, stdout=stdout)
        self.use_rawinput = stdin is None and sys.stdin.isatty()
        self._echoes = not (stdin or sys.stdin).isatty()
        if self._echoes:
            self.prompt = ""
        self._stop: Stop
        self._core: Core
        self._go: Go | None = None
        self._steps_left = 0

    def __call__(self, stop: Stop) -> Go | None:
        self._stop, self._core = stop, stop.core
        if self._steps_left and stop.is_step:
            self._steps_left -= 1
            return self._go
        self._steps_left = 0
        self._say_where()
        if stop.is_hang:
            self._say_hang()
        self.cmdloop()
        return self._go

    def _say(self, text: object = "") -> None:
        print(text, file=self.stdout, flush=True)

    def _say_wrapped(self, text: str) -> None:
        self._say(textwrap.fill(text, _WIDTH, subsequent_indent="    ", break_long_words=False))

    def _say_where(self) -> None:
        stop = self._stop
        self._say_wrapped(", called from ".join([str(stop), *map(str, stop.callers)]))
        at = stop.line.line if stop.line else 0
        for number, text in stop.source():
            self._say(f"{'->' if number == at else '  '} {number:>4} | {text}"[:_WIDTH].rstrip())

    def _say_hang(self) -> None:
        """The first thing to see of a hang."""
        stop = self._stop
        count = len(stop.stuck_cores)
        self._say_wrapped(
            f"nothing moves any more: kernels wait on {count} core{'s' if count != 1 else ''}. Look around; whatever "
            "goes on from here ends the run with its error."
        )
        self.do_where("")

    # --- going on

    def do_step(self, words: str) -> bool:
        """step [N]: go on to the next call the kernel makes, or the Nth."""
        return self._going(Go.TO_NEXT_CALL, words)

    def do_next(self, words: str) -> bool:
        """next [N]: go on to the next line of the kernel that makes a call, or the Nth."""
        return self._going(Go.TO_NEXT_LINE, words)

    def do_continue(self, words: str) -> bool:
        """continue: go on to the next breakpoint."""
        return self._going(Go.ON, words)

    def _going(self, how: Go, words: str) -> bool:
        self._go = how
        self._steps_left = int(words) - 1 if words.isdigit() and int(words) else 0
        return True

    def do_quit(self, words: str) -> bool:
        """quit: end the run here."""
        raise DebuggingEndedError(f"{ENDED_AT_STOP} {self._stop}")

    def do_EOF(self, words: str) -> bool:  # noqa: N802 (the name cmd gives it)
        """End of the commands: the run goes on without breakpoints."""
        self._stop.breakpoints.clear()
        return self._going(Go.ON, "")

    # --- looking

    def do_where(self, words: str) -> None:
        """where [X,Y]: where every kernel of the core, or of another, stands and what it waits for."""
        core = self._core_of(words) if words else self._core
        self._say("\n".join(self._stop.waits(core)) or f"the program has nothing on core ({core[0]},{core[1]})")

    def do_list(self, words: str) -> None:
        """list: the source around the line."""
        self._say_where()

    def do_core(self, words: str) -> None:
        """core [X,Y]: look at the buffers and semaphores of another core; without one, list the cores."""
        if not words:
            self._say(" ".join(f"({x},{y})" for x, y in self._stop.cores))
            return
        self._core = self._core_of(words)

    def do_dst(self, words: str) -> None:
        """dst [TILE] [all]: the destination registers: all tiles in a line each, or one as numbers."""
        dst, chosen = self._stop.dst, _numbers_in(words)
        if dst is None:
            self._say(f"nothing computes yet on core ({self._stop.core[0]},{self._stop.core[1]})")
            return
        mode = f"{len(dst.words)} tiles of {32 if dst.is_32_bit else 16} bits, {dst.phase.name.lower()}"
        self._say(f"DST of core ({self._stop.core[0]},{self._stop.core[1]}): {mode}")
        for index in chosen or range(len(dst.words)):
            tile = dst.tile(index)
            self._say(f"  {index:>2}  {_summary(tile)}")
            if chosen:
                self._say(_corner(tile, "all" in words.split()))

    def do_cb(self, words: str) -> None:
        """cb [INDEX] [PAGE] [all]: circular buffers of the core: all in a line each, or a page of one as numbers."""
        buffers = {each.index: each for each in self._stop.buffers(self._core)}
        chosen = _numbers_in(words)
        if not chosen:
            self._say("\n".join(map(_buffer_line, buffers.values())) or "no circular buffers here")
            return
        buffer = buffers.get(chosen[0])
        if buffer is None:
            raise ValueError(f"no c_{chosen[0]} here; there are {', '.join(f'c_{each}' for each in buffers)}")
        self._say(_buffer_line(buffer))
        for page in chosen[1:2] or range(min(buffer.there, 1)):
            numbers = self._stop.page(buffer.index, page, self._core)
            there = "" if page < buffer.there else ", not pushed yet"
            self._say(f"page {page} from the front at {buffer.page_address(page):#x}{there}: {_summary(numbers)}")
            self._say(_corner(numbers, "all" in words.split()))

    def do_args(self, words: str) -> None:
        """args: the arguments of the kernel that stopped."""
        given = self._stop.arguments
        for label, values in (
            ("runtime", given.runtime),
            ("common", given.common),
            ("compile time", given.compile_time),
        ):
            if values:
                listed = ", ".join(f"[{index}] {value}" for index, value in enumerate(values))
                self._say_wrapped(f"{label:<12}  {listed}")
        for name, value in given.named.items():
            self._say(f"{'named':<12}  {name} = {value}")
        if not (given.runtime or given.common or given.compile_time or given.named):
            self._say("it has no arguments")

    def do_sem(self, words: str) -> None:
        """sem: the semaphores of the core."""
        values = self._stop.semaphores(self._core)
        self._say("\n".join(f"semaphore {each} holds {value}" for each, value in values.items()) or "no semaphores")

    # --- breakpoints

    def do_break(self, words: str) -> None:
        """break [PLACE]: stop at FILE:LINE, at the begin of KERNEL, or at FILE:LINE@X,Y on one core; or list places."""
        if words:
            self._stop.break_at(words)
        for number, each in enumerate(self._stop.breakpoints, 1):
            self._say(f"{number}  {each}")

    def do_delete(self, words: str) -> None:
        """delete [N]: take away a breakpoint by its number, or all."""
        chosen = _numbers_in(words)
        if chosen and not 1 <= chosen[0] <= len(self._stop.breakpoints):
            raise ValueError(f"there is no breakpoint {chosen[0]}; `break` lists them")
        del self._stop.breakpoints[slice(chosen[0] - 1, chosen[0]) if chosen else slice(None)]

    do_s, do_n, do_c, do_q = do_step, do_next, do_continue, do_quit
    do_w, do_l, do_b, do_d, do_a = do_where, do_list, do_break, do_delete, do_args

    # --- as cmd.Cmd wants it

    def precmd(self, line: str) -> str:
        if self._echoes and line != "EOF":
            self._say(f"(tilewright) {line}")
        return line

    def emptyline(self) -> bool:
        """An empty line does nothing: a step more than meant cannot be taken back."""
        return False

    def default(self, line: str) -> None:
        self._say(f"there is no command {line.split()[0]!r}; help lists them")

    def onecmd(self, line: str) -> bool:
        try:
            return bool(super().onecmd(line))
        except (ValueError, TypeError) as error:
            self._say_wrapped(str(error))
            return False

    def get_names(self) -> list[str]:
        """Without the short names, which help would list twice."""
        return [name for name in super().get_names() if len(name) > len("do_s") and name != "do_EOF"]

    def _core_of(self, words: str) -> Core:
        match = re.fullmatch(r"\(?(\d+)[ ,]+(\d+)\)?", words.strip())
        if match is None:
            raise ValueError(f"{words!r} is no core: write X,Y such as 0,0")
        return int(match[1]), int(match[2])


def prompt(stop: Stop) -> Go | None:
    """Look at a stop with commands from standard input."""
    return _usual_prompt()(stop)


def _usual_prompt() -> Prompt:
    if not _usual:
        _usual.append(Prompt())
    return _usual[0]


_usual: list[Prompt] = []


def _numbers_in(words: str) -> list[int]:
    return [int(each.removeprefix("c_")) for each in words.split() if each.removeprefix("c_").isdigit()]


def _buffer_line(buffer: BufferState) -> str:
    kind = f"{buffer.data_format.name}, {buffer.page_bytes} bytes a page"
    return f"{buffer.label:<18} {buffer.there:>2} of {buffer.num_pages} pages there ({buffer.pushed} pushed); {kind}"


def _summary(numbers: NDArray[Any]) -> str:
    values = np.asarray(numbers, np.float64)
    finite = values[np.isfinite(values)]
    odd = values.size - finite.size
    if not finite.size:
        return f"all {values.size} of {numbers.dtype} NaN or infinite"
    tail = f", {odd} NaN or infinite" if odd else ""
    return f"{finite.min():g} to {finite.max():g}, mean {finite.mean():g}{tail}"


def _corner(numbers: NDArray[Any], everything: bool) -> str:
    if not everything:
        numbers = numbers[:_ROWS, :_COLUMNS] if numbers.ndim == 2 else numbers[:_COLUMNS]
    if numbers.dtype.kind not in "iu":
        numbers = np.asarray(numbers, np.float32)
    text = np.array2string(numbers, max_line_width=_WIDTH, threshold=sys.maxsize, precision=4, suppress_small=True)
    return text if everything else f"{text} ..."
