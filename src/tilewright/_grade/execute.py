# SPDX-License-Identifier: Apache-2.0
"""The process that compiles and runs a candidate's kernels: under every rule of the checker, then timed.

It runs no Python of the candidate and knows no reference. Kernels run in a runner process below it. They are compiled
into a cache of the candidate's own; the shared cache is read only.
"""

from __future__ import annotations

import base64
import dataclasses
import os
import re
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tilewright._build.cache import SEED_VARIABLE, cache_directory
from tilewright._build.compiler import find_compiler
from tilewright._build.engine_build import find_engine
from tilewright._build.limited_process import MEMORY_VARIABLE, SECONDS_VARIABLE
from tilewright._build.native_build import tree_digest
from tilewright._build.translation_unit import Instrumentation
from tilewright._errors import CacheError, CompilerCrashError, CompilerNotFoundError, KernelCompileError, RunError
from tilewright._grade.kernel_symbols import refuse_foreign_calls
from tilewright._grade.places import compiler_places, system_places
from tilewright._grade.program_text import Json, program_of
from tilewright._grade.sandbox import confine, limit_resources
from tilewright._grade.zygote import read_message, send_message
from tilewright._launch.chip import Chip
from tilewright._launch.chip_device import ChipDevice
from tilewright._launch.run_options import RunOptions
from tilewright._launch.tensor_launch import TensorLaunch
from tilewright._program.kernel import SourceType
from tilewright._program.program import ProgramDescriptor
from tilewright._record.run import Run
from tilewright._tensor.arch import describe_arch
from tilewright._tensor.buffer import Buffer
from tilewright._tensor.cores import CoreCoord
from tilewright._tensor.dtype import DataType
from tilewright._tensor.layout import Layout
from tilewright._tensor.memory_config import DRAM_MEMORY_CONFIG, L1_MEMORY_CONFIG, BufferType
from tilewright._tensor.tensor import Tensor, checked_kind, unwritten_tensor
from tilewright._tensor.tile import Tile
from tilewright.check._check_program import check_launch
from tilewright.timing._replay_library import replay_library
from tilewright.timing._timed_launch import timed_launch

_MOST_REQUEST = 1 << 30
_MOST_WORDS = 2000
_ADDRESS = re.compile(r"\b0x[0-9a-f]{9,}\b")  # of this machine, another one each time
# Assembler, and what shows a kernel how it was compiled or how long it takes: a kernel must do the same in every run.
_POISONED = (
    "asm __asm __asm__ __SANITIZE_THREAD__ __builtin_ia32_rdtsc __builtin_ia32_rdtscp __builtin_return_address "
    "__builtin_frame_address __builtin_extract_return_addr"
)
_HIDDEN = re.compile(rf"\b(?:{_POISONED.replace(' ', '|')})\b|##")


class CandidateError(ValueError):
    """A program that cannot be the candidate's."""


def prepare() -> None:
    """Import and compute what every child needs."""
    find_compiler()
    find_engine()
    replay_library()
    for tree in ("include", "abi", "engine", "runner"):
        tree_digest(tree)
    compiler_places()


def enter_sandbox(request: Json) -> None:
    """Files of the candidate, the system and the shared cache to read, a cache of its own to write."""
    shared, own = cache_directory(), Path(request["cache"])
    limits = {MEMORY_VARIABLE: request["compiler_mib"], SECONDS_VARIABLE: request["compiler_seconds"]}
    os.environ.update({name: str(value) for name, value in limits.items()})
    os.environ["TILEWRIGHT_THREADS"] = "1"
    readable = [*system_places(), *compiler_places()]
    (own / "tmp").mkdir(parents=True, exist_ok=True)
    os.environ["TMPDIR"] = tempfile.tempdir = str(own / "tmp")
    if own != shared:
        os.environ |= {"TILEWRIGHT_CACHE": str(own), SEED_VARIABLE: str(shared)}
    if request["candidate"]:
        readable.append(Path(request["candidate"]))
    limit_resources(request["memory_mib"], request["seconds"], is_python=False)
    confine(readable, [own, Path("/dev/null")], is_python=False)


def serve(connection: socket.socket) -> None:
    """Answer one request: a checked run of each case; then, if the judge wants it, a timed one."""
    request = read_message(connection, _MOST_REQUEST)
    assert request is not None
    enter_sandbox(request)
    graded = _Graded(request)
    for work in (graded.check, graded.time):
        send_message(connection, graded.guarded(work))
        if read_message(connection, 1024) is None:  # the judge has seen enough
            return


class _Graded:
    """The cases of one candidate."""

    def __init__(self, request: Json) -> None:
        self._request = request
        self._options = RunOptions(time_limit=request["run_seconds"], spin_limit=2.0, on_print=_print_nothing)
        self._results: list[list[bytes]] = []
        self._traffic: list[list[list[str]]] = []

    def guarded(self, work: Callable[[], Json]) -> Json:
        """The result of the work, or the outcome for an error of the candidate."""
        try:
            return work()
        except (KernelCompileError, CompilerCrashError) as error:
            return self._failure("not-compiled", error)
        except RunError as error:
            return self._failure("not-ended", error)
        except (CacheError, CompilerNotFoundError, OSError) as error:
            return self._failure("error", error)
        except MemoryError as error:
            return self._failure("limit", error)
        except Exception as error:  # a program that cannot be launched, or a description that describes none
            return self._failure("refused", error)

    def _failure(self, outcome: str, error: Exception) -> Json:
        text = f"{type(error).__name__}: {error}"
        if self._request["candidate"]:
            text = text.replace(str(Path(self._request["candidate"]).parent) + "/", "")
        text = _ADDRESS.sub("0x...", text)
        text = re.sub(re.escape(self._request["cache"]) + r"/sources/\w+/", "", text)
        return {"outcome": outcome, "message": text[:_MOST_WORDS]}

    def check(self) -> Json:
        """Findings and outputs of each case."""
        cases = []
        for case in self._request["cases"]:
            launches = _CheckedLaunches()
            outputs = self._replay(case, launches)
            self._results.append(outputs)
            self._traffic.append(launches.traffic)
            encoded = [base64.b64encode(each).decode() for each in outputs]
            cases.append({"findings": launches.findings, "outputs": encoded})
        return {"cases": cases}

    def time(self) -> Json:
        """Modelled time of each case. A candidate that behaves otherwise than in the checked run is refused."""
        times = []
        for number, case in enumerate(self._request["cases"]):
            launches = _TimedLaunches(self._options)
            outputs = self._replay(case, launches)
            if outputs != self._results[number] or launches.traffic != self._traffic[number]:
                return {"outcome": "unstable", "message": "kernels behave differently in the checked and the timed run"}
            times.append(launches.microseconds)
        return {"microseconds": times}

    def _replay(self, case: Json, launched: Callable[[TensorLaunch], None]) -> list[bytes]:
        """Do on a device what host code did; pages of the outputs."""
        arch, grid = self._request["chip"]
        description = describe_arch(arch)
        size = description.grid if grid is None else CoreCoord(tuple(grid))
        device = ChipDevice(description, Chip(description, (size.x, size.y)), 0, size, 0)
        try:
            captured = case["captured"]
            things = [_allocated(each, device) for each in captured["buffers"]]
            for number, pages in enumerate(case["inputs"]):
                _write(things[number], base64.b64decode(pages))
            for event in captured["events"]:
                if event["event"] == "write":
                    if event["buffer"] < captured["num_inputs"]:
                        raise CandidateError("host code must not write its inputs")
                    _write(things[event["buffer"]], base64.b64decode(event["pages"]))
                    continue
                program = _hardened(program_of(event["program"], things))
                io = [each for number in event["io"] if isinstance(each := things[number], Tensor)]
                if len(io) != len(event["io"]) or not io:
                    raise CandidateError("a launch on a buffer that is no tensor")
                launched(TensorLaunch(io, program, self._options))
            outputs = [things[number] for number in captured["outputs"]]
            return [each.buffer().read().tobytes() for each in outputs if isinstance(each, Tensor)]
        finally:
            device.close()


class _CheckedLaunches:
    """Launches of a case, run under every rule."""

    def __init__(self) -> None:
        self.findings: list[Json] = []
        self.traffic: list[list[str]] = []

    def __call__(self, launch: TensorLaunch) -> None:
        refuse_foreign_calls(launch, Instrumentation.MEMORY)
        result = check_launch(launch)
        self.findings += [_finding(each) for each in result.findings]
        if result.error is not None:
            raise result.error
        assert result.run is not None
        self.traffic.append(_traffic(result.run))


class _TimedLaunches:
    """Launches of a case, run with their calls recorded."""

    def __init__(self, options: RunOptions) -> None:
        self._options = dataclasses.replace(options, record_calls=True)
        self.microseconds = 0.0
        self.traffic: list[list[str]] = []

    def __call__(self, launch: TensorLaunch) -> None:
        refuse_foreign_calls(launch, Instrumentation.CALLS)
        run = launch.run(self._options)
        self.microseconds += timed_launch(launch, run).time.microseconds
        self.traffic.append(_traffic(run))


def _print_nothing(core: tuple[int, int], kernel: str, line: str) -> None:
    """Kernels of candidates print nothing."""


def _traffic(run: Run) -> list[str]:
    """Circular-buffer traffic of the kernels, in an order that does not depend on the kind of run."""
    return sorted(map(repr, run.traffic))


def _finding(finding: Any) -> Json:
    return {"rule": finding.rule, "severity": str(finding.severity), "place": finding.place, "count": finding.count}


def _allocated(text: Json, device: ChipDevice) -> Tensor | Buffer:
    """The same buffer as host code got, at the same address."""
    made: Tensor | Buffer
    if text["tensor"] is None:
        kind = BufferType.DRAM if text["is_dram"] else BufferType.L1
        made = Buffer(device, kind, int(text["page_size"]), int(text["num_pages"]), 0)
        buffer = made
    else:
        described = text["tensor"]
        place = DRAM_MEMORY_CONFIG if text["is_dram"] else L1_MEMORY_CONFIG
        dtype, layout = DataType[described["dtype"]], Layout[described["layout"]]
        made = unwritten_tensor(
            checked_kind(described["shape"], dtype, layout, device, place, Tile(described["tile"])), device
        )
        buffer = made.buffer()
    if (buffer.address, buffer.page_size, buffer.num_pages) != (text["address"], text["page_size"], text["num_pages"]):
        raise CandidateError("tensors do not lie where host code says they do")
    return made


def _write(thing: Tensor | Buffer, data: bytes) -> None:
    buffer = thing.buffer() if isinstance(thing, Tensor) else thing
    buffer.write(np.frombuffer(data, np.uint8).reshape(buffer.num_pages, buffer.page_size))


def _hardened(program: ProgramDescriptor) -> ProgramDescriptor:
    """The program with kernels that cannot contain assembler or tell one run from another."""
    for kernel in program.kernels:
        named = [*(part for define in kernel.defines for part in define), kernel.bindings, kernel.entry]
        if any(_HIDDEN.search(each) for each in named) or kernel.compiler_include_paths:
            raise CandidateError(f"kernel {kernel.name}: defines and bindings with assembler, or include paths")
        text = kernel.kernel_source
        if kernel.source_type is SourceType.FILE_PATH:
            if any(character in text for character in '"\n\\') or not Path(text).is_absolute():
                raise CandidateError(f"kernel {kernel.name}: {text!r} is no absolute path of a plain name")
            text, kernel.source_type = f'#include "{text}"\n', SourceType.SOURCE_CODE
        name = kernel.name
        kernel.kernel_source = f"#pragma GCC poison {_POISONED}\n#line 1\n{text}"
        kernel.name = name
    return program
