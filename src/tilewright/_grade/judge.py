# SPDX-License-Identifier: Apache-2.0
"""The judge: gives candidates to their processes, compares results with the reference, and writes records.

Only this process knows the reference, the tolerance and the expected values. What it gets from a candidate's processes
is data: the calls of its host code, then pages of its outputs.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tilewright._build.cache import cache_directory
from tilewright._grade.capture import CaptureError, capture
from tilewright._grade.places import PlaceError, require_hidden
from tilewright._grade.program_text import Json, ProgramTextError
from tilewright._grade.record import CaseRecord, GradeRecord
from tilewright._grade.sandbox import require_sandbox
from tilewright._grade.task import Array, Task, TaskError
from tilewright._grade.zygote import read_message, send_message
from tilewright._tensor.layout import decode, encode
from tilewright._tensor.shape import Shape
from tilewright._tensor.tensor import Tensor
from tilewright._tensor.tile import Tile

_MOST_ANSWER = 64 << 20  # bytes of a candidate's description
_MOST_OUTPUT = 1 << 30
_DESCRIBE_SECONDS = 20
_MOST_FILES = 16 << 20  # bytes of a candidate
_BUILD = 5  # times the budget's seconds, for the host sources of a C++ folder
_SOURCES = Path(__file__).resolve().parents[2]


class _EndedError(Exception):
    """A candidate whose outcome is known."""

    def __init__(self, outcome: str, message: str) -> None:
        super().__init__(message)
        self.outcome = outcome


class _Zygote:
    """The process that forks those of candidates."""

    def __init__(self) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        kept = ("PATH", "HOME", "LANG", "LC_ALL", "XDG_CACHE_HOME", "TILEWRIGHT_CXX", "TILEWRIGHT_ENGINE")
        environment = {name: os.environ[name] for name in kept if name in os.environ}
        environment |= {
            "TILEWRIGHT_CACHE": str(cache_directory()),
            "TILEWRIGHT_QUIET": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "PYTHONPATH": str(_SOURCES),
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        command = [sys.executable, "-m", "tilewright._grade.zygote", str(theirs.fileno())]
        self._process = subprocess.Popen(command, pass_fds=[theirs.fileno()], env=environment, cwd="/")
        theirs.close()

    @contextlib.contextmanager
    def child(self, role: str, task: Task, seconds: float) -> Iterator[socket.socket]:
        """A process in this role; at its end, the limit that ended it is raised."""
        ours, theirs = socket.socketpair()
        request = {"role": role, "seconds": seconds, "memory_mib": task.budget.memory_mib}
        socket.send_fds(self._control, [json.dumps(request).encode()], [theirs.fileno()])
        theirs.close()
        try:
            with ours:
                yield ours
        except _EndedError as ended:
            limit = self._limit()
            if limit and ended.outcome == "error":
                raise _EndedError("limit", f"the budget's {limit} was up ({role})") from None
            raise
        except BaseException:
            self._limit()
            raise
        if limit := self._limit():
            raise _EndedError("limit", f"the budget's {limit} was up ({role})")

    def _limit(self) -> str:
        """Which limit ended the child that was started last; empty: none."""
        return str(json.loads(self._control.recv(4096) or b"{}").get("limit", ""))

    def close(self) -> None:
        self._control.close()
        self._process.wait()


class Judge:
    """Grades candidates against one task, one after another.

    Example::

        with Judge(task) as judge:
            print(judge.grade(Path("candidate.py")).score)
    """

    def __init__(self, task: Task, baseline_microseconds: float | None = None) -> None:
        require_sandbox()
        require_hidden(task.directory, "the task's directory")
        self._task = task
        self._zygote = _Zygote()
        self._baseline = baseline_microseconds
        self._inputs = [self._pages_of(each.inputs()) for each in task.cases]
        self._wanted = [self._reference(pages, number) for number, pages in enumerate(self._inputs)]

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, *_: object) -> None:
        self._zygote.close()

    @property
    def baseline_microseconds(self) -> float | None:
        """Modelled time of the task's baseline; graded first where it is a candidate.

        Raises:
            TaskError: the baseline is not right and clean.
        """
        baseline = self._task.baseline
        if self._baseline is None and isinstance(baseline, str):
            record = self.grade(self._task.directory / baseline, is_baseline=True)
            if record.outcome != "ok":
                raise TaskError(f"the baseline {baseline} is {record.outcome}: {record.message}")
            self._baseline = record.microseconds
        elif self._baseline is None and baseline is not None:
            self._baseline = float(baseline)
        return self._baseline

    def grade(self, path: Path, *, is_baseline: bool = False) -> GradeRecord:
        """The record of a candidate: a Python file, a kernel, a folder of kernels or of a C++ operation."""
        path = path.absolute()
        baseline = None if is_baseline else self.baseline_microseconds
        name, digest = path.name, ""
        own = cache_directory() if is_baseline else Path(tempfile.mkdtemp(prefix="tilewright-grade-"))
        cases: list[CaseRecord] = []
        try:
            digest = _digest(path)
            microseconds = self._grade(path, own, cases)
            record = GradeRecord(name, self._task.name, digest, "ok", "", tuple(cases), microseconds, baseline)
        except _EndedError as ended:
            record = GradeRecord(name, self._task.name, digest, ended.outcome, str(ended), tuple(cases), None, baseline)
        except (TaskError, PlaceError):
            raise
        except Exception as error:  # the other candidates are still to be judged
            words = f"{type(error).__name__}: {error}"
            record = GradeRecord(name, self._task.name, digest, "error", words, tuple(cases), None, baseline)
        finally:
            if not is_baseline:
                shutil.rmtree(own, ignore_errors=True)
        return record

    def _grade(self, path: Path, own: Path, cases: list[CaseRecord]) -> float:
        self._require_apart(path)
        captured = self._described(path, own)
        budget = self._task.budget
        request = {**self._limits(path, own), "run_seconds": budget.run_seconds}
        request["cases"] = [
            {"captured": each, "inputs": [base64.b64encode(page).decode() for page in pages]}
            for each, pages in zip(captured, self._inputs, strict=True)
        ]
        with self._zygote.child("execute", self._task, budget.seconds) as connection:
            send_message(connection, request)
            checked = _answer(connection)
            self._compare(checked["cases"], captured, cases)
            send_message(connection, {"go": "on"})
            timed = _answer(connection)
        times = [float(each) for each in timed["microseconds"]]
        cases[:] = [_with_time(each, time) for each, time in zip(cases, times, strict=True)]
        return sum(times)

    def _require_apart(self, path: Path) -> None:
        """A candidate that would open the task's files, or others', to its own processes."""
        resolved, task = path.resolve(), self._task.directory
        if resolved != path.parent.resolve() / path.name:
            raise _EndedError("refused", "a candidate must not be a symbolic link")
        if resolved.is_dir() and (task == resolved or resolved in task.parents):
            raise _EndedError("refused", "the folder of a candidate must not have the task in it")
        if resolved in self._task.files:
            raise _EndedError("refused", "a candidate must not be a file of the task")
        require_hidden(path, "the candidate")

    def _limits(self, path: Path, own: Path) -> Json:
        budget = self._task.budget
        return {
            "candidate": str(path),
            "cache": str(own),
            "chip": [self._task.chip, self._task.grid],
            "memory_mib": budget.memory_mib,
            "seconds": budget.seconds,
            "compiler_mib": budget.compiler_mib,
            "compiler_seconds": budget.compiler_seconds,
        }

    # Host code.

    def _described(self, path: Path, own: Path) -> list[Json]:
        """The actions of host code in each case."""
        kernels = _kernels(path)
        if kernels is not None:
            return self._with_kernels(kernels)
        library = self._built(path, own) if path.is_dir() else ""
        first, second = self._described_once(path, library), self._described_once(path, library)
        if first != second:
            raise _EndedError("unstable", "host code does something else the second time")
        return first

    def _described_once(self, path: Path, library: str) -> list[Json]:
        task = self._task
        kinds = [[[list(s), task.dtype.name, task.layout.name] for s in each.shapes] for each in task.cases]
        seconds = min(_DESCRIBE_SECONDS, task.budget.seconds)
        request = {
            "path": str(path),
            "library": library,
            "cases": kinds,
            "chip": [task.chip, task.grid],
            "memory_mib": task.budget.memory_mib,
            "seconds": seconds,
        }
        with self._zygote.child("describe", task, seconds) as connection:
            send_message(connection, request)
            answer = read_message(connection, _MOST_ANSWER)
        if answer is None:
            raise _EndedError("refused", f"host code ended its process, or sent more than {_MOST_ANSWER >> 20} MiB")
        if "error" in answer:
            raise _EndedError("refused", str(answer["error"]))
        cases = answer.get("cases")
        if not isinstance(cases, list) or len(cases) != len(task.cases):
            raise _EndedError("refused", "host code forged its description")
        return cases

    def _built(self, path: Path, own: Path) -> str:
        with self._zygote.child("build", self._task, _BUILD * self._task.budget.seconds) as connection:
            send_message(connection, self._limits(path, own))
            answer = _answer(connection)
        if "error" in answer:
            raise _EndedError("not-compiled", str(answer["error"]).replace(str(path.parent) + "/", ""))
        return str(answer["library"])

    def _with_kernels(self, kernels: dict[str, Path]) -> list[Json]:
        """The task's own host code with a candidate's kernels, whose text this process never reads."""
        task = self._task
        if task.host is None:
            raise _EndedError("refused", "the task takes no kernels alone: it has no `host`")
        if len(kernels) == 1 and len(task.kernels) == 1:
            kernels = dict(zip(task.kernels, kernels.values(), strict=True))
        lacking = [each for each in task.kernels if each not in kernels]
        if lacking:
            raise _EndedError(
                "refused", f"the kernel {lacking[0]}.cpp is missing; the task takes {', '.join(task.kernels)}"
            )
        texts = {name: str(kernels[name]) for name in task.kernels}
        host = task.host
        captured = []
        for case in task.cases:
            kinds = [(tuple(shape), task.dtype, task.layout) for shape in case.shapes]
            try:
                found = capture(lambda *inputs: host(texts, *inputs), kinds, task.chip, task.grid)
            except (CaptureError, ProgramTextError) as error:
                raise TaskError(f"the task's host: {error}") from error
            captured.append(_with_texts(found, set(texts.values())))
        return captured

    # Values.

    def _pages_of(self, values: list[Array]) -> list[bytes]:
        task = self._task
        tensors = [Tensor(each.astype(np.float32), task.dtype, layout=task.layout) for each in values]
        return [each.host_pages().tobytes() for each in tensors]

    def _values(self, pages: bytes, shape: tuple[int, ...]) -> Array:
        """Elements of a tensor of the task's dtype and layout."""
        task, tile = self._task, Tile((32, 32))
        like = encode(np.zeros(shape, np.float32).astype(task.dtype.numpy_dtype), task.dtype, task.layout, tile, 0)
        if len(pages) != like.size:
            raise _EndedError("wrong", f"an output has {len(pages)} bytes; {like.size} are wanted")
        raw = np.frombuffer(pages, np.uint8).reshape(like.shape)
        return np.asarray(decode(raw, Shape(shape), task.dtype, task.layout, tile)).astype(np.float64)

    def _reference(self, pages: list[bytes], number: int) -> list[Array]:
        shapes = self._task.cases[number].shapes
        inputs = [self._values(each, tuple(shape)) for each, shape in zip(pages, shapes, strict=True)]
        wanted = self._task.reference(*inputs)
        return [np.asarray(each, np.float64) for each in (wanted if isinstance(wanted, tuple | list) else [wanted])]

    def _compare(self, checked: list[Json], captured: list[Json], cases: list[CaseRecord]) -> None:
        """Adds the record of each case, and raises where one is wrong or not clean."""
        for answer, wanted in zip(checked, self._wanted, strict=True):
            outputs = [base64.b64decode(each) for each in answer["outputs"]]
            if len(outputs) != len(wanted):
                raise _EndedError("wrong", f"{len(outputs)} outputs; {len(wanted)} are wanted")
            shares = [self._shares(pages, each) for pages, each in zip(outputs, wanted, strict=True)]
            share = np.concatenate([each.ravel() for each in shares])
            worst = float(share.max()) if share.size else 0.0
            wrong = int((~(share <= 1)).sum())
            finite = worst if np.isfinite(worst) else None
            cases.append(CaseRecord(share.size, wrong, finite, tuple(answer["findings"])))
        wrong = sum(each.wrong or 0 for each in cases)
        if wrong:
            raise _EndedError(
                "wrong", f"{wrong} of {sum(each.elements for each in cases)} elements are out of tolerance"
            )
        rules = [finding["rule"] for each in cases for finding in each.findings]
        if rules:
            raise _EndedError("not-clean", f"the checker found {', '.join(dict.fromkeys(rules))}")

    def _shares(self, pages: bytes, wanted: Array) -> Array:
        """Error of each element as a share of what is allowed; infinite where it is no number and should be one."""
        got = self._values(pages, wanted.shape)
        tolerance = self._task.tolerance
        allowed = tolerance.absolute + tolerance.relative * np.abs(wanted)
        with np.errstate(all="ignore"):
            same = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
            share: Array = np.where(same, 0.0, np.abs(got - wanted) / allowed)
        return np.where(np.isnan(share), np.inf, share)


def _answer(connection: socket.socket) -> Json:
    """The answer of a process that runs our own code."""
    answer = read_message(connection, _MOST_OUTPUT)
    if answer is None:
        raise _EndedError("error", "the process that runs kernels ended without an answer")
    if "outcome" in answer:
        raise _EndedError(answer["outcome"], answer["message"])
    return answer


def _with_time(case: CaseRecord, microseconds: float) -> CaseRecord:
    return dataclasses.replace(case, microseconds=microseconds)


def _kernels(path: Path) -> dict[str, Path] | None:
    """Kernels by name, of a candidate that is kernels only; None of any other."""
    if path.suffix in (".cpp", ".cc", ".h"):
        return {path.stem: path}
    if path.is_dir() and not (path / "device").is_dir():
        return {each.stem: each for each in sorted(path.glob("*.cpp"))}
    return None


def _with_texts(captured: Json, candidates: set[str]) -> Json:
    """Kernels of the task as text: the process that compiles them cannot read the task's directory."""
    for event in captured["events"]:
        for kernel in event.get("program", {"kernels": []})["kernels"]:
            if kernel["is_file"] and kernel["source"] not in candidates:
                kernel["source"] = Path(kernel["source"]).read_text(encoding="utf-8")
                kernel["is_file"] = False
    return captured


def _digest(path: Path) -> str:
    """Digest of a candidate's files."""
    if not path.is_file() and not path.is_dir():
        raise _EndedError("refused", "a candidate must be a file or a folder")
    files = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
    files = [each for each in files if not each.is_symlink()]
    size = sum(each.stat().st_size for each in files)
    if size > _MOST_FILES:
        raise _EndedError("refused", f"it has {size} bytes; a candidate has {_MOST_FILES} at most")
    state = hashlib.sha256()
    for file in files:
        state.update(os.fsencode(file.relative_to(path.parent)) + b"\0" + file.read_bytes() + b"\0")
    return state.hexdigest()[:32]
