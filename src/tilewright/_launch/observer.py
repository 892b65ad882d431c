# SPDX-License-Identifier: Apache-2.0
"""Observers of launches: check, time, record, report, debug and show, each written once.

An observer gets a launch before it runs, runs it as often as it needs and returns the record of the run. It is
installed in the process that makes the launches (``observed_launches``), or by name in the server of a simulated card
(``ObserverRequest``, _card/server.py). What it found are its results, one or more for each launch: plain values that
another process can read.
"""

from __future__ import annotations

import abc
import contextlib
import dataclasses
import functools
import importlib
import json
import os
import pickle
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from tilewright._build.cache import write_atomically
from tilewright._launch.failure_files import FAILURES_VARIABLE
from tilewright._launch.host_memory import ForeignTensor
from tilewright._launch.run_options import RunOptions
from tilewright._program.program import ProgramDescriptor
from tilewright._record.run import Run
from tilewright._tensor.tensor import Tensor

if TYPE_CHECKING:
    from tilewright._launch.chip import Chip

# An ObserverRequest in JSON, for the server of a card.
OBSERVER_VARIABLE = "TILEWRIGHT_OBSERVER"
# A directory in which the calls of every launch are kept, one file each in their order (_record/call_record.py).
RECORDS_VARIABLE = "TILEWRIGHT_RECORDS"
RESULT_SUFFIX = ".pickle"

_FACTORIES = {
    "check": "tilewright.check._observer:CheckObserver",
    "time": "tilewright.timing._observer:TimeObserver",
    "record": "tilewright._launch.record_observer:RecordObserver",
    "profile": "tilewright._report.profiler_logs:ProfileObserver",
    "report": "tilewright._report.observer:ReportObserver",
    "debug": "tilewright._launch.debug_observer:debug_observer",
    "show": "tilewright._launch.show_observer:ShowObserver",
    "mutate": "tilewright.check._mutate:MutateObserver",
    "claims": "tilewright.check._claim_observer:ClaimObserver",
    "failures": "tilewright.check._failure_observer:FailureObserver",
}

Result = TypeVar("Result")
Core = tuple[int, int]
Memory = Any  # what ``Launch.save`` returns, for the same launch only


class Caller(NamedTuple):
    """A function of the script that a launch was made in; ``instance`` tells the objects of a method apart, or is 0."""

    name: str
    instance: int


class BankUse(NamedTuple):
    """Bytes of tensors in each bank of a memory, and how many there are in all."""

    allocated: int
    total: int


class TensorMemory(NamedTuple):
    """What ttnn has allocated when a program is launched: tensors, results included, and kernels of kept programs."""

    dram: BankUse
    l1: BankUse


class Launch(abc.ABC):
    """A launch before it runs.

    Attributes:
        program: what is to run; made when it is first asked for, if the launch got a function that makes it.
        options: how the caller wants it to run.
        tensors: what it works on, as far as the host says; None stands for a tensor whose pages are not known.
        num_outputs: how many of the last tensors are outputs.
        operation: the call of ttnn that the launch is part of, such as ``ttnn.softmax``, or
            ``ttnn.softmax (trace)`` if a trace replays it; empty where not known.
        callers: the functions of the script that led to the call, outermost first, where known.
        tensor_memory: what tensors take, where the host says so.
    """

    def __init__(
        self,
        program: ProgramDescriptor | Callable[[], ProgramDescriptor],
        options: RunOptions,
        tensors: Sequence[Tensor | ForeignTensor | None],
        num_outputs: int,
        operation: str = "",
        callers: tuple[Caller, ...] = (),
        tensor_memory: TensorMemory | None = None,
    ) -> None:
        self._program = program
        self.options = options
        self.tensors = tensors
        self.num_outputs = num_outputs
        self.operation = operation
        self.callers = callers
        self.tensor_memory = tensor_memory

    @functools.cached_property
    def program(self) -> ProgramDescriptor:
        return self._program if isinstance(self._program, ProgramDescriptor) else self._program()

    @property
    def structure(self) -> ProgramDescriptor:
        """The program, maybe without its runtime arguments; not to be changed."""
        return self.program

    @property
    @abc.abstractmethod
    def chip(self) -> Chip:
        """The chip it runs on."""

    @property
    @abc.abstractmethod
    def circular_buffers_end(self) -> int:
        """L1 address at which circular buffers must end: the lowest tensor in L1, or the end of L1."""

    @abc.abstractmethod
    def l1_tensors(self) -> list[tuple[int, int]]:
        """First and last address of each tensor in L1, the same on every core."""

    @abc.abstractmethod
    def run(self, options: RunOptions | None = None, program: ProgramDescriptor | None = None) -> Run:
        """Run it, past all observers; ``program`` is another one for the same tensors."""

    @abc.abstractmethod
    def with_program(self, program: ProgramDescriptor) -> Launch:
        """The launch of another program on the same tensors."""

    @abc.abstractmethod
    def save(self) -> Memory:
        """Copy the memory that the program can write."""

    @abc.abstractmethod
    def restore(self, memory: Memory) -> None:
        """Put a copy back."""

    @abc.abstractmethod
    def same_results(self, one: Memory, other: Memory) -> bool:
        """Whether two copies hold the same tensors."""

    @abc.abstractmethod
    def read_words(self, core: Core, address: int, count: int) -> list[int]:
        """Words of a core's L1."""

    @abc.abstractmethod
    def show(self, text: str) -> None:
        """Print a text where the script that made the launch prints."""

    def run_again(
        self, memory: Memory, options: RunOptions | None = None, program: ProgramDescriptor | None = None
    ) -> Run:
        """Run it once more on the memory of an earlier time; its kernels print nothing."""
        self.restore(memory)
        return self.run(dataclasses.replace(options or self.options, on_print=_print_nothing), program)


def _print_nothing(core: Core, kernel: str, line: str) -> None:
    """Leave out what a kernel prints: its first run has printed it."""


class Observer(abc.ABC, Generic[Result]):
    """Base of the observers of launches.

    Attributes:
        results: what it found so far, in this process.
        take: gets each result; adds it to ``results`` unless replaced.
        sees_unwritten_memory: a card's server fills tensors that hold nothing yet with poison.
        sees_unset_arguments: a card's server marks arguments that the host does not set.
    """

    sees_unwritten_memory = False
    sees_unset_arguments = False

    def __init__(self) -> None:
        self.results: list[Result] = []
        self.take: Callable[[Result], None] = self.results.append

    @abc.abstractmethod
    def observe(self, launch: Launch) -> Run:
        """Run the launch; raise what it ends with."""

    def end(self) -> None:
        """Called after the last launch."""


installed: list[Observer[Any]] = []  # the last one gets the launches


@contextlib.contextmanager
def observed_launches(observer: Observer[Result]) -> Iterator[list[Result]]:
    """Within the block every launch of this process goes to the observer; gives the list of its results.

    Example::

        with observed_launches(CheckObserver()) as results:
            my_operation(x)
        assert all(result.ok for result in results)
    """
    installed.append(observer)
    try:
        yield observer.results
    finally:
        installed.remove(observer)
        observer.end()


class _Observing(threading.local):
    """How many of the installed observers have a launch of this thread now, from the last one on."""

    busy = 0


_observing = _Observing()
_one_at_a_time = threading.RLock()  # an observer runs a launch several times on the same memory


def _forget_parents_lock() -> None:
    global _one_at_a_time
    _one_at_a_time = threading.RLock()


os.register_at_fork(after_in_child=_forget_parents_lock)


def observed_run(launch: Launch) -> Run:
    """Give a launch to the observer installed last, or run it where there is none.

    Launches that an observer makes itself go to those installed before it. Other threads' launches wait meanwhile.
    """
    with _one_at_a_time:
        waiting = installed[: len(installed) - _observing.busy]
        if not waiting:
            return launch.run()
        _observing.busy += 1
        try:
            return waiting[-1].observe(launch)
        finally:
            _observing.busy -= 1


@dataclasses.dataclass(frozen=True)
class ObserverRequest:
    """An observer by its name, for another process.

    Attributes:
        options: arguments of the observer, values that JSON has.
        directory: where its results go, one file each, under names that sort by time; empty: it has none.
    """

    name: str
    options: dict[str, Any] = dataclasses.field(default_factory=dict)
    directory: str = ""

    def text(self) -> str:
        return json.dumps(dataclasses.asdict(self))

    @staticmethod
    def parse(text: str) -> ObserverRequest:
        return ObserverRequest(**json.loads(text))

    def make(self) -> Observer[Any]:
        """The observer, its results in files where a directory is named."""
        module, _, name = _FACTORIES[self.name].partition(":")
        observer: Observer[Any] = getattr(importlib.import_module(module), name)(**self.options)
        if self.directory:
            observer.take = self._write
        return observer

    def _write(self, result: object) -> None:
        path = Path(self.directory) / f"{time.time_ns():020}-{os.getpid()}{RESULT_SUFFIX}"
        write_atomically(path, pickle.dumps(result))


def results_of_card() -> list[Any]:
    """Take the results that the servers of this process's cards wrote since the last call, in the order of time."""
    request = os.environ.get(OBSERVER_VARIABLE)
    directory = ObserverRequest.parse(request).directory if request is not None else ""
    found: list[Any] = []
    for path in sorted(Path(directory).glob(f"*{RESULT_SUFFIX}")) if directory else []:
        found.append(pickle.loads(path.read_bytes()))
        path.unlink()
    return found


@contextlib.contextmanager
def requested_observers() -> Iterator[None]:
    """Within the block the observers are installed that the environment names."""
    with contextlib.ExitStack() as stack:
        if directory := os.environ.get(RECORDS_VARIABLE):
            stack.enter_context(observed_launches(ObserverRequest("record", {"directory": directory}).make()))
        if request := os.environ.get(OBSERVER_VARIABLE):
            stack.enter_context(observed_launches(ObserverRequest.parse(request).make()))
        if directory := os.environ.get(FAILURES_VARIABLE):  # last: it passes launches on to the others
            stack.enter_context(observed_launches(ObserverRequest("failures", {"directory": directory}).make()))
        yield
