# SPDX-License-Identifier: Apache-2.0
"""A frozen program: changes of its descriptor do not reach it; each run has arguments and options of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import tilewright
from tests.launch.test_relaunch import kill_runner
from tilewright import ttnn
from tilewright._errors import KernelCompileError, TilewrightError
from tilewright._launch.observer import Launch, Observer, observed_launches
from tilewright._program.errors import ProgramError
from tilewright._program.program import ProgramDescriptor
from tilewright._record.run import Run

CORES = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (1, 0))])
# Writes a word to the output: a factor times the core's argument, plus the common one.
SOURCE = """
#include "api/dataflow/dataflow_api.h"
#ifndef FACTOR
#define FACTOR 1
#endif
void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto out = TensorAccessor(args, get_common_arg_val<uint32_t>(0));
    cb_reserve_back(0, 1);
    auto* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));
    for (uint32_t i = 0; i < 8; i++) {
        word[i] = FACTOR * get_arg_val<uint32_t>(0) + get_common_arg_val<uint32_t>(1);
    }
    noc_async_write_page(get_arg_val<uint32_t>(1), out, get_write_ptr(0));
    noc_async_write_barrier();
    cb_push_back(0, 1);
}
"""


@pytest.fixture
def device() -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=9, grid=(2, 1))
    yield device
    ttnn.close_device(device)


@pytest.fixture
def output(device: ttnn.Device) -> ttnn.Tensor:
    return ttnn.zeros([2, 8], ttnn.uint32, ttnn.ROW_MAJOR_LAYOUT, device)


def make(output: ttnn.Tensor, source: str = SOURCE, **keywords: object) -> ProgramDescriptor:
    kernel = ttnn.KernelDescriptor(
        kernel_source=source,
        source_type=keywords.pop("source_type", ttnn.KernelDescriptor.SourceType.SOURCE_CODE),
        core_ranges=CORES,
        compile_time_args=ttnn.TensorAccessorArgs(output).get_compile_time_args(),
        runtime_args=[(core, [10 + core.x, core.x]) for core in CORES],
        common_runtime_args=[output.buffer_address(), 0],
        config=ttnn.WriterConfigDescriptor(),
        name="writer",
    )
    cb = ttnn.CBDescriptor(128, CORES, [ttnn.CBFormatDescriptor(0, ttnn.uint32, 32)])
    return ttnn.ProgramDescriptor(kernels=[kernel], cbs=[cb])


def words(output: ttnn.Tensor) -> list[int]:
    return [int(row[0]) for row in output.to_numpy()]


def test_each_run_has_its_arguments(device: ttnn.Device, output: ttnn.Tensor) -> None:
    program = make(output)
    executable = tilewright.freeze(program, device)
    first = executable.arguments(program)
    program.kernels[0].common_runtime_args[1] = 100
    program.kernels[0].runtime_args[0][0][0] = 1
    second = executable.arguments(program)
    for arguments, expected in ((first, [10, 11]), (second, [101, 111]), (first, [10, 11])):
        executable.run([output], arguments)
        assert words(output) == expected


def test_executable_is_loaded_before_a_run(device: ttnn.Device, output: ttnn.Tensor) -> None:
    program = make(output, "void missing();\nvoid kernel_main() { missing(); }")
    with pytest.raises(KernelCompileError, match="declared but not defined"):
        tilewright.freeze(program, device)


def test_a_wrong_program_is_not_frozen(device: ttnn.Device, output: ttnn.Tensor) -> None:
    program = make(output)
    program.cbs[0].total_size = 100
    with pytest.raises(ProgramError, match="does not divide total_size 100"):
        tilewright.freeze(program, device)


def test_changes_of_the_descriptor_have_no_effect(device: ttnn.Device, output: ttnn.Tensor) -> None:
    program = make(output)
    executable = tilewright.freeze(program, device)
    arguments = executable.arguments(program)
    program.kernels[0].defines = [("FACTOR", "3")]
    program.cbs[0].total_size = 100
    executable.run([output], arguments)
    assert words(output) == [10, 11]
    program.cbs[0].total_size = 128
    tilewright.run_program([output], program)
    assert words(output) == [30, 33]


def test_a_changed_file_is_seen_by_launches_and_not_by_the_executable(
    device: ttnn.Device, output: ttnn.Tensor, tmp_path: Path
) -> None:
    path = tmp_path / "writer.cpp"
    path.write_text(SOURCE)
    program = make(output, str(path), source_type=ttnn.KernelDescriptor.SourceType.FILE_PATH)
    executable = tilewright.freeze(program, device)
    path.write_text(SOURCE.replace("FACTOR *", "2 *"))
    executable.run([output], executable.arguments(program))
    assert words(output) == [10, 11]
    tilewright.run_program([output], program)
    assert words(output) == [20, 22]


def test_a_changed_header_is_seen_by_launches(output: ttnn.Tensor, tmp_path: Path) -> None:
    header = tmp_path / "factor.h"
    program = make(output, '#include "factor.h"\n' + SOURCE)
    program.kernels[0].compiler_include_paths = [str(tmp_path)]
    for factor in (2, 2, 5, 3):
        header.write_text(f"#define FACTOR {factor}")
        tilewright.run_program([output], program)
        assert words(output) == [10 * factor, 11 * factor]


def test_options_of_a_run(device: ttnn.Device, output: ttnn.Tensor) -> None:
    program = make(output)
    executable = tilewright.freeze(program, device)
    arguments = executable.arguments(program)
    run = executable.run([output], arguments, tilewright.RunOptions(record=[0]))
    assert [pages.data.view(np.uint32)[0, 0] for pages in run.pages] == [10, 11]
    assert executable.run([output], arguments, tilewright.RunOptions(checked=True)).notes == []
    assert executable.run([output], arguments, tilewright.RunOptions(record_calls=True)).calls is not None
    stops: list[tilewright.Stop] = []
    stopping = tilewright.RunOptions(break_at="writer", on_stop=stops.append)
    executable.run([output], arguments, stopping)
    assert [stop.core for stop in stops] == [(0, 0), (1, 0)]
    assert words(output) == [10, 11]


class AddThousand(Observer[ProgramDescriptor]):
    """Changes an argument of every launch."""

    def observe(self, launch: Launch) -> Run:
        self.take(launch.program)
        launch.program.kernels[0].common_runtime_args[1] += 1000
        return launch.run()


def test_runs_are_observed(device: ttnn.Device, output: ttnn.Tensor) -> None:
    """The observer gets a program of its own, with the arguments of the run."""
    program = make(output)
    executable = tilewright.freeze(program, device)
    arguments = executable.arguments(program)
    with observed_launches(AddThousand()) as seen:
        executable.run([output], arguments)
        assert words(output) == [1010, 1011]
        executable.run([output], arguments)
        assert words(output) == [1010, 1011]
    assert seen[0] is not program
    assert seen[0].structure() == program.structure()
    assert seen[0].kernels[0].runtime_args.to_list() == program.kernels[0].runtime_args.to_list()
    executable.run([output], arguments)
    assert words(output) == [10, 11]


def test_a_runner_killed_between_runs(device: ttnn.Device, output: ttnn.Tensor) -> None:
    program = make(output)
    executable = tilewright.freeze(program, device)
    arguments = executable.arguments(program)
    for run in (
        lambda: executable.run([output], arguments),
        lambda: tilewright.freeze(program, device).run([output], arguments),
    ):
        kill_runner(device.chip)
        run()
        assert words(output) == [10, 11]


def test_a_cleared_cache_leaves_executables_usable(device: ttnn.Device, output: ttnn.Tensor) -> None:
    program = make(output)
    executable = tilewright.freeze(program, device)
    device.clear_program_cache()
    executable.run([output], executable.arguments(program))
    assert words(output) == [10, 11]
    assert tilewright.freeze(program, device) is not executable


def test_another_device_is_refused(device: ttnn.Device, output: ttnn.Tensor) -> None:
    program = make(output)
    executable = tilewright.freeze(program, device)
    other = ttnn.open_device(device_id=10, grid=(2, 1))
    try:
        there = ttnn.zeros([2, 8], ttnn.uint32, ttnn.ROW_MAJOR_LAYOUT, other)
        with pytest.raises(ProgramError, match="frozen for another device"):
            executable.run([there], executable.arguments(program))
    finally:
        ttnn.close_device(other)


def test_a_closed_device_is_refused() -> None:
    device = ttnn.open_device(device_id=10, grid=(2, 1))
    output = ttnn.zeros([2, 8], ttnn.uint32, ttnn.ROW_MAJOR_LAYOUT, device)
    program = make(output)
    executable = tilewright.freeze(program, device)
    arguments = executable.arguments(program)
    ttnn.close_device(device)
    with pytest.raises((ProgramError, RuntimeError), match="deallocated"):
        executable.run([output], arguments)
    with pytest.raises((TilewrightError, RuntimeError), match="closed"):
        tilewright.freeze(program, device)


def test_arguments_of_another_program_are_refused(device: ttnn.Device, output: ttnn.Tensor) -> None:
    program, other = make(output), make(output)
    executable = tilewright.freeze(program, device)
    other.kernels[0].runtime_args[0][0].append(1)
    with pytest.raises(ValueError, match="kernel writer: runtime_args are on other cores, or another number of them"):
        executable.arguments(other)
    other.kernels = []
    with pytest.raises(ValueError, match="the program has 0 kernels; the executable has 1"):
        executable.arguments(other)
    with pytest.raises(TypeError, match=r"arguments must be what Executable\.arguments gives"):
        executable.run([output], program)


def test_a_forked_process_is_refused(device: ttnn.Device, output: ttnn.Tensor) -> None:
    program = make(output)
    executable = tilewright.freeze(program, device)
    arguments = executable.arguments(program)
    child = os.fork()
    if child == 0:
        try:
            executable.run([output], arguments)
        except TilewrightError as error:
            os._exit(7 if "must open its own" in str(error) else 8)
        os._exit(9)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    executable.run([output], arguments)
    assert words(output) == [10, 11]
