# SPDX-License-Identifier: Apache-2.0
"""Kernels that stop at lines: what can be seen from there, steps, and that nothing else changes."""

from __future__ import annotations

import io
import platform
import time
from pathlib import Path

import numpy as np
import pytest

import tilewright
from tilewright import ttnn
from tilewright._debug.breakpoints import Breakpoint, NoSuchLineError
from tilewright._debug.prompt import DebuggingEndedError, Prompt
from tilewright._debug.stop import Go, Stop
from tilewright._errors import DeadlockError
from tilewright._launch.run_options import RunOptions
from tilewright._launch.run_program import run_program
from tilewright._wire.runner import DstPhase
from tilewright.kernels.phases import reduce

READER = """
void kernel_main() {
    const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0), 2048);
    for (uint32_t page = 0; page < 3; page++) {
        cb_reserve_back(0, 1);
        noc_async_read_page(page, tensor, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
    }
}
"""
COMPUTE = """
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/eltwise_unary/negative.h"

void negate() {
    tile_regs_acquire();
    copy_tile(0, 0, 1);
    negative_tile_init();
    negative_tile(1);
    tile_regs_commit();
}

void kernel_main() {
    unary_op_init_common(0, 16);
    for (uint32_t page = 0; page < 3; page++) {
        cb_wait_front(0, 1);
        negate();
        cb_pop_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_wait();
        pack_tile(1, 16);
        tile_regs_release();
        cb_push_back(16, 1);
    }
}
"""
WRITER = """
void kernel_main() {
    const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0), 2048);
    for (uint32_t page = 0; page < 3; page++) {
        cb_wait_front(16, 1);
        noc_async_write_page(page, tensor, get_read_ptr(16));
        noc_async_write_barrier();
        cb_pop_front(16, 1);
    }
}
"""
NEGATIVE, PACK = 10, 21  # lines of COMPUTE: negative_tile, tile_regs_wait


class Negation:
    """A program that negates three tiles on each of its cores, and its tensors."""

    def __init__(self, device: ttnn.Device, directory: Path, cores: int = 1) -> None:
        for name, text in (("reader", READER), ("compute", COMPUTE), ("writer", WRITER)):
            (directory / f"{name}.cpp").write_text(text)
        values = np.arange(3 * 1024, dtype=np.float32).reshape(1, 3 * 1024) % 251 + 1
        self.expected = -values.reshape(32, 96)
        self.x = ttnn.from_numpy(-self.expected, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
        self.y = ttnn.from_numpy(
            np.zeros((32, 96), np.float32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device
        )
        where = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(cores - 1, 0))])
        self.program = ttnn.ProgramDescriptor(
            kernels=[
                self._kernel(directory / "reader.cpp", where, cores, ttnn.ReaderConfigDescriptor(), self.x),
                self._kernel(directory / "compute.cpp", where, cores, ttnn.ComputeConfigDescriptor()),
                self._kernel(directory / "writer.cpp", where, cores, ttnn.WriterConfigDescriptor(), self.y),
            ],
            cbs=[
                ttnn.CBDescriptor(
                    total_size=4096,
                    core_ranges=where,
                    format_descriptors=[ttnn.CBFormatDescriptor(index, ttnn.bfloat16, 2048)],
                )
                for index in (0, 16)
            ],
            semaphores=[ttnn.SemaphoreDescriptor(id=0, core_ranges=where, initial_value=7)],
        )

    @staticmethod
    def _kernel(
        path: Path, where: ttnn.CoreRangeSet, cores: int, config: object, tensor: ttnn.Tensor | None = None
    ) -> ttnn.KernelDescriptor:
        given = [] if tensor is None else [tensor.buffer_address()]
        return ttnn.KernelDescriptor(
            kernel_source=str(path),
            core_ranges=where,
            compile_time_args=[] if tensor is None else ttnn.TensorAccessorArgs(tensor).get_compile_time_args(),
            runtime_args=[(ttnn.CoreCoord(x, 0), given) for x in range(cores)],
            config=config,
        )

    def run(self, **options: object) -> None:
        run_program([self.x, self.y], self.program, RunOptions(**options))

    def is_right(self) -> bool:
        return bool(np.array_equal(ttnn.to_numpy(self.y).astype(np.float32), self.expected))


@pytest.fixture
def negation(device: ttnn.Device, tmp_path: Path) -> Negation:
    return Negation(device, tmp_path)


def test_breakpoint_stops_at_its_line_and_shows_the_state(negation: Negation) -> None:
    stops: list[Stop] = []

    def look(stop: Stop) -> None:
        stops.append(stop)
        assert (stop.kernel, stop.core, stop.is_step) == ("compute", (0, 0), False)
        assert str(stop.line) == f"compute.cpp:{NEGATIVE}"
        assert [str(each) for each in stop.callers] == ["compute.cpp:18"]
        page = 32 * (len(stops) - 1)
        tile = -negation.expected[:, page : page + 32]
        assert stop.dst is not None
        assert stop.dst.phase is DstPhase.ACQUIRED
        assert np.array_equal(stop.dst.tile(1), tile)
        assert np.array_equal(stop.page(0).astype(np.float32), tile)
        there = {each.index: each.there for each in stop.buffers()}
        assert 1 <= there[0] <= 2
        assert stop.semaphores() == {0: 7}
        with pytest.raises(ValueError, match="cb is 3; the core has c_0, c_16"):
            stop.page(3)

    negation.run(break_at=f"compute.cpp:{NEGATIVE}", on_stop=look)
    assert len(stops) == 3
    assert negation.is_right()


def test_debugger_stops_at_a_hang_before_the_run_ends(device: ttnn.Device, tmp_path: Path) -> None:
    negation = Negation(device, tmp_path, cores=2)
    (tmp_path / "writer.cpp").write_text(WRITER.replace("cb_pop_front(16, 1);", ""))
    stops: list[Stop] = []

    def look(stop: Stop) -> None:
        stops.append(stop)
        assert (stop.is_hang, stop.kernel, stop.threads, stop.core) == (True, "compute", ("pack",), (0, 0))
        assert str(stop.line) == "compute.cpp:20"
        assert stop.stuck_cores == [(0, 0), (1, 0)]
        assert stop.waits()[-2:] == [
            "compute (pack)    compute.cpp:20  cb_reserve_back(c_16, 1)  0 of 1 pages free",
            "writer            finished",
        ]
        assert [each.there for each in stop.buffers((1, 0))] == [0, 2]
        assert np.array_equal(stop.page(16, 1).astype(np.float32), negation.expected[:, 32:64])

    with pytest.raises(DeadlockError, match="c_16 stays full"):
        negation.run(break_at="hang", on_stop=look)
    assert len(stops) == 1
    with pytest.raises(DeadlockError):  # no breakpoint was set
        negation.run(break_at="reader.cpp:3", on_stop=lambda stop: stops.append(stop))
    assert [each.is_hang for each in stops] == [True, False, False]


def test_other_machines_are_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    with pytest.raises(ValueError, match="break_at stops kernels on x86-64 only; this machine is aarch64"):
        RunOptions(break_at="hang")


def test_arguments_and_waits_of_the_reader(negation: Negation) -> None:
    stops: list[Stop] = []
    negation.run(break_at="reader.cpp:5", on_stop=lambda stop: stops.append(stop))
    assert [each.arguments.runtime for each in stops] == [(negation.x.buffer_address(),)] * 3
    assert stops[0].waits() == ["reader   reader.cpp:5  stopped", "compute  has not begun", "writer   has not begun"]


def test_waiting_kernels_are_shown_while_another_is_stopped(negation: Negation) -> None:
    seen: list[str] = []
    negation.run(break_at=f"compute.cpp:{PACK}", on_stop=lambda stop: seen.extend(stop.waits()))
    assert any("writer.cpp:5  cb_wait_front(c_16, 1)  0 of 1 pages there" in line for line in seen)
    assert "reader   reader.cpp:5  its turn comes" in seen  # a page has been popped


def test_steps_go_from_call_to_call_and_into_helpers(negation: Negation) -> None:
    lines: list[int] = []

    def step(stop: Stop) -> Go:
        assert stop.line is not None
        lines.append(stop.line.line)
        stop.breakpoints = []
        return Go.TO_NEXT_CALL if len(lines) < 14 else Go.ON

    negation.run(break_at="compute.cpp:17", on_stop=step)
    # negate() and what it calls, the rest of the loop, and the next page.
    assert lines == [17, 18, 7, 8, 9, 10, 11, 19, 20, 21, 22, 23, 24, 17]
    assert negation.is_right()


def test_lines_of_several_calls_are_one_step(negation: Negation) -> None:
    lines: list[int] = []

    def step(stop: Stop) -> Go:
        assert stop.line is not None
        lines.append(stop.line.line)
        stop.breakpoints = []
        return Go.TO_NEXT_LINE if len(lines) < 6 else Go.ON

    negation.run(break_at="reader.cpp:5", on_stop=step)
    assert lines == [5, 6, 7, 8, 5, 6]  # line 6 calls get_write_ptr and noc_async_read_page
    assert negation.is_right()


def test_one_core_or_all(device: ttnn.Device, tmp_path: Path) -> None:
    negation = Negation(device, tmp_path, cores=3)
    cores: list[tuple[int, int]] = []
    negation.run(break_at="writer", on_stop=lambda stop: cores.append(stop.core))
    assert cores == [(0, 0), (1, 0), (2, 0)]
    cores.clear()
    negation.run(break_at=[Breakpoint("writer", (1, 0)), "reader@2,0"], on_stop=lambda stop: cores.append(stop.core))
    assert sorted(cores) == [(1, 0), (2, 0)]
    assert negation.is_right()


def test_later_launches_stop_nowhere(negation: Negation) -> None:
    stops: list[Stop] = []
    with tilewright.debugged_launches(["compute.cpp:16", "writer"], lambda stop: stops.append(stop)):
        ttnn.generic_op([negation.x, negation.y], negation.program)
    assert len(stops) == 4
    ttnn.generic_op([negation.x, negation.y], negation.program)
    assert len(stops) == 4
    assert negation.is_right()


def test_a_line_without_code_is_the_next_that_has_some(negation: Negation) -> None:
    lines: list[str] = []
    negation.run(break_at="compute.cpp:13", on_stop=lambda stop: lines.append(str(stop.line)))
    assert lines == ["compute.cpp:14"]


def test_python_kernels_stop_at_their_python_lines(device: ttnn.Device) -> None:
    x = ttnn.from_numpy(np.ones((32, 64), np.float32), dtype=ttnn.bfloat16, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
    seen: list[str] = []
    path = Path(reduce.__file__)
    text = "pack_tile(0, cb_out)"
    line = 1 + next(number for number, row in enumerate(path.read_text().splitlines()) if text in row)

    def look(stop: Stop) -> None:
        seen.extend(row.strip() for _, row in stop.source(0))
        assert len(stop.callers) == 2  # the phase, and the kernel made of the formula

    with tilewright.debugged_launches(f"{path}:{line}@0,0", look):
        tilewright.ops.variance_w_rm(x)
    assert seen
    assert set(seen) == {text}


def test_a_hang_is_still_explained(negation: Negation, tmp_path: Path) -> None:
    (tmp_path / "writer.cpp").write_text(WRITER.replace("cb_pop_front(16, 1);", ""))
    stops: list[Stop] = []
    with pytest.raises(DeadlockError, match="c_16 stays full"):
        negation.run(break_at="writer.cpp:6", on_stop=lambda stop: stops.append(stop))
    assert len(stops) == 3  # none of them while the engine looks what stuck kernels would do later


def test_time_at_a_stop_is_not_the_runs(negation: Negation) -> None:
    def wait(stop: Stop) -> None:
        stop.breakpoints.clear()
        time.sleep(1.2)

    negation.run(break_at="compute", on_stop=wait, time_limit=1.0, spin_limit=0.5)
    assert negation.is_right()


def test_invalid_breakpoint_is_named(negation: Negation) -> None:
    with pytest.raises(NoSuchLineError, match="no kernel of the program has code at"):
        negation.run(break_at="other.cpp:3")
    with pytest.raises(TypeError, match="break_at must be FILE:LINE"):
        RunOptions(break_at=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="stops kernels of a plain run in one thread"):
        RunOptions(break_at="compute", threads=2)
    with pytest.raises(TypeError, match="on_stop must return"):
        negation.run(break_at="compute", on_stop=lambda stop: "step")
    negation.run()
    assert negation.is_right()  # in another runner


COMMANDS = """\
where
dst 1
cb
cb 0 0
args
sem
core
core 9
break compute.cpp:99
break compute.cpp:21
delete 7
nonsense
next 2
delete
continue
"""


def test_commands_of_the_prompt(negation: Negation) -> None:
    said = io.StringIO()
    negation.run(break_at=f"compute.cpp:{NEGATIVE}", on_stop=Prompt(io.StringIO(COMMANDS), said))
    text = said.getvalue()
    assert max(map(len, text.splitlines())) <= 80
    for words in (
        f"compute on core (0,0) at compute.cpp:{NEGATIVE}, called from compute.cpp:18",
        f"->   {NEGATIVE} |     negative_tile(1);",
        f"compute  compute.cpp:{NEGATIVE}  stopped",
        "DST of core (0,0): 8 tiles of 16 bits, acquired",
        "Float16_b, 2048 bytes a page",
        "1.   2.   3.   4.   5.   6.   7.   8.",
        "it has no arguments",
        "semaphore 0 holds 7",
        "'9' is no core: write X,Y such as 0,0",
        "no kernel of the program has code at compute.cpp:99",
        "2  compute.cpp:21",
        "there is no breakpoint 7; `break` lists them",
        "there is no command 'nonsense'; help lists them",
        "compute on core (0,0) at compute.cpp:19",
    ):
        assert words in text
    assert negation.is_right()


def test_the_end_of_the_commands_and_quitting(negation: Negation) -> None:
    negation.run(break_at="compute.cpp:16", on_stop=Prompt(io.StringIO("dst\n"), io.StringIO()))
    assert negation.is_right()
    with pytest.raises(DebuggingEndedError, match=r"ended at a stop: compute on core \(0,0\) at compute.cpp:16"):
        negation.run(break_at="compute.cpp:16", on_stop=Prompt(io.StringIO("quit\n"), io.StringIO()))
    negation.run()
    assert negation.is_right()
