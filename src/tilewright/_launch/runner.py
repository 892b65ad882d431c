# SPDX-License-Identifier: Apache-2.0
"""The runner, a process that runs programs on a chip's memory: starting it, messages to it, and its end.

Kernels are native code from anywhere, so they run in a process of their own (native/runner/), which shares only the
chip's memory with this one. Whatever a kernel does to it (it faults, ends the process, hangs in the C library, writes
over the heap), the owner ends it and starts another on the same memory.

The runner itself keeps limits and says where kernels stood. Its owner, while it waits for the answer, ends a
runner that does not answer in time after its limit, that blocks every signal, or that has written its crash record
(native/engine/signals/crash_record.h) and does not end.
"""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import functools
import mmap
import os
import socket
import struct
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tilewright._build.engine_build import find_engine
from tilewright._diagnose.run_errors import signal_name
from tilewright._errors import TilewrightError
from tilewright._launch.run_options import PrintHandler
from tilewright._record.run import RunStatus
from tilewright._wire.layout import packer, padded
from tilewright._wire.runner import CrashRecord, MessageHeader, MessageKind, PrintedLine, ReadyAnswer, RunnerActivity

_LOOK_SECONDS = 0.1  # how often a runner is looked at that has not answered yet
_ANSWER_SECONDS = 0.4  # it may take to answer after a limit
_START_SECONDS = 20.0
_PIECE = 1 << 18
_HEADER = packer(MessageHeader)

_current_processor = ctypes.CDLL(None).sched_getcpu  # small programs run there, as this process waits anyway
Answer = bytes | bytearray  # large ones are received in place


_KINDS = {int(kind): kind for kind in MessageKind}


@dataclasses.dataclass(frozen=True)
class Limits:
    """How long a runner may take, in seconds; no time limit is 0."""

    time: float = 0.0
    spin: float = 5.0


class RunnerLostError(Exception):
    """The runner ended, or was ended, without an answer.

    Attributes:
        status: how the run ended.
        reason: what became of the runner, in words.
        crash: what it recorded of its end, and where it was.
        loading: it was loading a kernel's library.
    """

    def __init__(self, status: RunStatus, reason: str, crash: CrashRecord) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.crash = crash
        self.loading = crash.activity == RunnerActivity.LOADING


class RunnerGoneError(RunnerLostError):
    """The runner had ended before the message reached it: nothing has run, and another runner can take the message."""


def _end_calls_now_and_then(channel: socket.socket) -> None:
    """Calls of the socket return without having done anything, to look at the runner. ``settimeout`` would make two
    calls of the system of each."""
    interval = struct.pack("ll", 0, round(_LOOK_SECONDS * 1e6))  # a timeval
    for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
        channel.setsockopt(socket.SOL_SOCKET, option, interval)


def message(kind: MessageKind, parts: Sequence[bytes]) -> bytes:
    """A message to a runner, as it is sent."""
    body = b"".join(map(padded, parts))
    return _HEADER.pack(kind, len(body)) + body


def failure_text(answer: Answer) -> str:
    """The sentence of a ``FAILED``."""
    return answer.rstrip(b"\0").decode(errors="replace")


class Runner:
    """One runner. It is used by one thread at a time.

    Attributes:
        filter_error: why the system does not filter its system calls; 0 where it does.
    """

    def __init__(self, memory_files: tuple[int, int, int], chip: list[bytes]) -> None:
        self._socket, theirs = socket.socketpair()
        lifeline, self._lifeline = os.pipe()
        crash = os.memfd_create("tilewright-crash-record")
        files = (theirs.fileno(), lifeline, crash, *memory_files)
        try:
            os.ftruncate(crash, mmap.PAGESIZE)
            self._mapping = mmap.mmap(crash, mmap.PAGESIZE)
            self._crash_record = CrashRecord.from_buffer(self._mapping)
            self._process = subprocess.Popen(
                [str(find_engine().runner), *map(str, files)], pass_fds=files, stdin=subprocess.DEVNULL
            )
        finally:
            theirs.close()
            os.close(lifeline)
            os.close(crash)
        _end_calls_now_and_then(self._socket)
        self._piece = memoryview(bytearray(_PIECE))  # the same memory each time: fresh memory costs more than a message
        self._received = b""
        self._at = 0  # of it has been read
        kind, answer = self.ask(message(MessageKind.CHIP, chip), Limits(time=_START_SECONDS))
        if kind is not MessageKind.READY:
            self.end()
            raise TilewrightError(failure_text(answer))
        self.filter_error = int(ReadyAnswer.from_buffer_copy(answer).filter_error)

    @property
    def was_ended(self) -> bool:
        """Whether its owner ended it. That it ended by itself shows when the next message is sent."""
        return self._process.returncode is not None

    def end(self) -> None:
        """Ends the process, whatever it is doing."""
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()
        self.forget()

    def forget(self) -> None:
        """Closes this process's ends of it: in a forked process, whose parent's it is."""
        self._socket.close()
        if self._lifeline >= 0:
            os.close(self._lifeline)
            self._lifeline = -1

    def ask(
        self,
        request: bytes,
        limits: Limits,
        on_print: PrintHandler | None = None,
        on_stopped: Callable[[Answer], list[bytes]] | None = None,
    ) -> tuple[MessageKind, Answer]:
        """Sends a message and waits for the answer; lines that kernels print meanwhile go to ``on_print``, and what
        ``on_stopped`` says of a stopped kernel goes back.

        Raises:
            RunnerLostError: there is no answer, and no runner any more.
            RunnerGoneError: there was none to ask.
        """
        crash = self._crash_record
        crash.status = 0
        crash.owner_processor = _current_processor()
        try:
            wait = _AnswerWait(crash, limits, self._process.pid)
            if not self._send(request):
                raise RunnerGoneError(RunStatus.FAULT, self._how_it_ended(), self._crash())
            while True:
                answers, answer = self._receive(wait)
                if answers is MessageKind.STOPPED and on_stopped is not None:
                    self._send(message(MessageKind.RESUME, on_stopped(answer)))
                    wait = _AnswerWait(crash, limits, self._process.pid)
                elif answers is not MessageKind.PRINTED:
                    return answers, answer
                elif on_print is not None:
                    _print_line(answer, on_print)
        except BaseException:
            # Also after Ctrl-C, or where a line could not be shown: no caller waits for its answer any more.
            self.end()
            raise

    def _send(self, request: bytes) -> bool:
        """Whether it takes any of it. One that ends before it has taken all of it shows when it is to answer."""
        sent = 0
        while sent < len(request):
            try:
                sent += self._socket.send(memoryview(request)[sent:] if sent else request)
            except BlockingIOError:
                continue
            except OSError:
                return sent != 0
        return True

    def _receive(self, wait: _AnswerWait) -> tuple[MessageKind, Answer]:
        kind, size = _HEADER.unpack(self._take(_HEADER.size, wait))
        answer = self._take(size, wait)
        if kind not in _KINDS:
            raise self._overwritten()
        return _KINDS[kind], answer

    def _take(self, size: int, wait: _AnswerWait) -> Answer:
        """The next bytes it sends."""
        if size > _PIECE:
            return self._take_large(size, wait)
        while len(self._received) - self._at < size:
            got = self._waited(functools.partial(self._socket.recv_into, self._piece), wait)
            self._received = self._received[self._at :] + self._piece[:got]
            self._at = 0
        self._at += size
        return self._received[self._at - size : self._at]

    def _take_large(self, size: int, wait: _AnswerWait) -> bytearray:
        """The same, for so many that each copy counts."""
        try:
            taken = bytearray(size)
        except (MemoryError, OverflowError):
            raise self._overwritten() from None
        have = len(self._received) - self._at
        taken[:have] = memoryview(self._received)[self._at :]
        self._received, self._at = b"", 0
        view = memoryview(taken)
        while have < size:
            have += self._waited(functools.partial(self._socket.recv_into, view[have:]), wait)
        return taken

    def _waited(self, receive: Callable[[], int], wait: _AnswerWait) -> int:
        """How many bytes a call of the socket has received, once there are some."""
        while True:
            got = 0
            try:
                got = receive()
                if not got:
                    raise self._lost(RunStatus.FAULT, self._how_it_ended())
            except BlockingIOError:
                pass
            except ConnectionError:
                raise self._lost(RunStatus.FAULT, self._how_it_ended()) from None
            verdict = wait.look()
            if verdict is not None:
                raise self._lost(*verdict)
            if got:
                return got

    def _overwritten(self) -> RunnerLostError:
        return self._lost(RunStatus.FAULT, "wrote over the memory of the process that ran it")

    def _how_it_ended(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_ANSWER_SECONDS)
        code = self._process.returncode
        if code is None:
            return "closed the runner's files"
        if code < 0:
            return f"ended the process that ran it: {signal_name(-code)}"
        return f"ended the process that ran it, with status {code}"

    def _crash(self) -> CrashRecord:
        return CrashRecord.from_buffer_copy(self._mapping)

    def _lost(self, status: RunStatus, reason: str) -> RunnerLostError:
        crash = self._crash()
        known = crash.status if crash.status in set(RunStatus) else 0
        return RunnerLostError(RunStatus(known) if known else status, reason, crash)


class _AnswerWait:
    """Decides, each time a runner has not answered for a while, whether to wait on."""

    def __init__(self, crash: CrashRecord, limits: Limits, process: int) -> None:
        self._crash_record = crash
        self._limits = limits
        self._process = process
        self._begin = self._moved = self._looked = time.monotonic()
        self._state: tuple[int, ...] = ()
        self._said_at = 0.0

    def look(self) -> tuple[RunStatus, str] | None:
        """How the run ended and why, if it is to end now."""
        now = time.monotonic()
        if now < self._looked + _LOOK_SECONDS:
            return None
        self._looked = now
        crash = self._crash_record
        if crash.status:
            self._said_at = self._said_at or now
            return (RunStatus.FAULT, "") if now > self._said_at + _ANSWER_SECONDS else None
        state = (crash.activity, crash.beats if crash.activity == RunnerActivity.RUNNING else 0)
        if state != self._state or crash.activity == RunnerActivity.NOTHING:
            self._state, self._moved = state, now
        if self._limits.time and now > self._begin + self._limits.time + _ANSWER_SECONDS:
            return RunStatus.TIME_LIMIT, "did not stop at its time limit"
        if now > self._moved + self._limits.spin + _ANSWER_SECONDS and not _is_debugged(self._process):
            return RunStatus.SPINNING, (
                "its static constructors do not end"
                if crash.activity == RunnerActivity.LOADING
                else "blocks every signal"
            )
        return None


def _is_debugged(process: int) -> bool:
    """Whether a debugger holds the process; then it may take any time."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("TracerPid:"):
                return line.split()[1] != "0"
    return False


def _print_line(answer: Answer, on_print: PrintHandler) -> None:
    header = PrintedLine.from_buffer_copy(answer)
    kernel_at = ctypes.sizeof(PrintedLine)
    line_at = kernel_at + (header.kernel_bytes + 7) // 8 * 8
    kernel = answer[kernel_at : kernel_at + header.kernel_bytes]
    line = answer[line_at : line_at + header.line_bytes]
    on_print((header.core_x, header.core_y), kernel.decode(errors="replace"), line.decode(errors="replace"))
