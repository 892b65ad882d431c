# SPDX-License-Identifier: Apache-2.0
"""A program launched again does what it says then: nothing kept from an earlier launch outlives a change."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from tilewright._build.engine_build import find_engine
from tilewright._launch import executable as executables
from tilewright._launch import launch as launching
from tilewright._launch import load_message
from tilewright._launch.chip import Chip
from tilewright._launch.launch_arguments import KernelArgumentLayout
from tilewright._launch.run_options import RunOptions
from tilewright._program.circular_buffer import CBDescriptor, CBFormatDescriptor
from tilewright._program.kernel import KernelDescriptor, SourceType
from tilewright._program.kernel_config import ReaderConfigDescriptor, WriterConfigDescriptor
from tilewright._program.program import FixedProgram, ProgramDescriptor
from tilewright._program.semaphore import SemaphoreDescriptor
from tilewright._record.run import Run, RunStatus
from tilewright._tensor.arch import describe_arch
from tilewright._tensor.cores import CoreCoord, CoreRange, CoreRangeSet
from tilewright._tensor.dtype import DataType

CORES = CoreRangeSet([CoreRange(CoreCoord(0, 0), CoreCoord(1, 0))])
# Shows the sum of all it is given in a semaphore, and pushes as many pages.
SOURCE = """
#ifndef EXTRA
#define EXTRA 0
#endif
void kernel_main() {
    uint32_t sum = EXTRA + get_compile_time_arg_val(0) + get_common_arg_val<uint32_t>(0);
    for (uint32_t i = 1; i <= get_arg_val<uint32_t>(0); i++) {
        sum += get_arg_val<uint32_t>(i);
    }
    *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0)) = sum;
    for (uint32_t page = 0; page < sum; page++) {
        cb_reserve_back(0, 1);
        cb_push_back(0, 1);
    }
}
"""


def make(source: str = SOURCE, source_type: SourceType = SourceType.SOURCE_CODE) -> ProgramDescriptor:
    kernel = KernelDescriptor(
        kernel_source=source,
        source_type=source_type,
        core_ranges=CORES,
        compile_time_args=[0],
        runtime_args=[(core, [1, core.x]) for core in CORES],
        common_runtime_args=[0],
        config=ReaderConfigDescriptor(),
        name="sum",
    )
    cb = CBDescriptor(2048 * 64, CORES, [CBFormatDescriptor(0, DataType.BFLOAT16, 2048)])
    semaphore = SemaphoreDescriptor(id=0, core_ranges=CORES, initial_value=0)
    return ProgramDescriptor(kernels=[kernel], cbs=[cb], semaphores=[semaphore])


def sums(chip: Chip, program: ProgramDescriptor) -> tuple[int, int]:
    chip.launch(program)
    return chip.read_semaphore((0, 0), 0), chip.read_semaphore((1, 0), 0)


def test_arguments_count_in_each_launch(chip: Chip) -> None:
    program = make()
    assert sums(chip, program) == (0, 1)
    kernel = program.kernels[0]
    kernel.runtime_args[1][0] = [1, 7]
    assert sums(chip, program) == (0, 7)
    kernel.runtime_args[0][0][:] = [3, 1, 2, 4]  # more of them, on one core
    assert sums(chip, program) == (7, 7)
    kernel.common_runtime_args[0] = 10
    assert sums(chip, program) == (17, 17)
    kernel.runtime_args = [(CoreCoord(1, 0), [1, 5]), (CoreCoord(0, 0), [1, 3])]  # in another order
    assert sums(chip, program) == (13, 15)
    kernel.extend_runtime_args_uniform([99])
    assert sums(chip, program) == (13, 15)


def test_a_core_without_arguments_has_none() -> None:
    assert list(KernelArgumentLayout.of(make().kernels[0]).offsets) == [0, 2, 4]
    kernel = make().kernels[0]
    kernel.runtime_args = [(CoreCoord(1, 0), [1, 5])]
    layout = KernelArgumentLayout.of(kernel)
    assert list(layout.offsets) == [0, 0, 2]
    assert layout.pack(kernel)[0] == np.array([1, 5], np.uint32).tobytes()


def test_packed_arguments_unpack_unchanged() -> None:
    for given in (
        [(CoreCoord(1, 0), [1, 5])],
        [(CoreCoord(1, 0), [1, 5]), (CoreCoord(0, 0), [])],
        [(CoreCoord(1, 0), [1, 5]), (CoreCoord(0, 0), [3, 1, 2, 4])],
        [],
    ):
        kernel, other = make().kernels[0], make().kernels[0]
        kernel.runtime_args = given
        layout = KernelArgumentLayout.of(kernel)
        layout.unpack(*layout.pack(kernel), other)
        assert other.runtime_args.to_list() == given
        assert list(other.common_runtime_args) == [0]


def test_changed_source_of_a_kernel_is_compiled_in_the_next_launch(chip: Chip) -> None:
    program = make()
    assert sums(chip, program) == (0, 1)
    kernel = program.kernels[0]
    kernel.compile_time_args[0] = 4
    assert sums(chip, program) == (4, 5)
    kernel.defines = [("EXTRA", "20")]
    assert sums(chip, program) == (24, 25)
    kernel.kernel_source = SOURCE.replace("EXTRA + get", "2 * EXTRA + get")
    assert sums(chip, program) == (44, 45)
    kernel.config = WriterConfigDescriptor()
    assert sums(chip, program) == (44, 45)
    kernel.core_ranges = CoreRangeSet([CoreRange(CoreCoord(0, 0), CoreCoord(0, 0))])
    kernel.runtime_args = [(CoreCoord(0, 0), [0])]
    assert sums(chip, program) == (44, 0)  # the other core's semaphore has its first value again


def test_circular_buffers_and_semaphores_count_in_each_launch(chip: Chip) -> None:
    program = make()
    assert {use.num_pages for use in chip.launch(program).circular_buffers} == {64}
    program.cbs[0].total_size = 2048 * 32
    assert {use.num_pages for use in chip.launch(program).circular_buffers} == {32}
    more = CBDescriptor(4096, CORES, [CBFormatDescriptor(3, DataType.BFLOAT16, 2048, name="more")])
    program.cbs = [*program.cbs, more]
    run = chip.launch(program)
    assert {use.index for use in run.circular_buffers} == {0, 3}
    assert run.cb_label(3) == "c_3 more"
    program.semaphores = [*program.semaphores, SemaphoreDescriptor(id=1, core_ranges=CORES, initial_value=6)]
    chip.launch(program)
    assert chip.read_semaphore((0, 0), 1) == 6


def _pushed(run: Run) -> list[int]:
    return [each.pages_pushed for each in run.traffic]


def test_each_run_describes_itself(chip: Chip) -> None:
    """Whether its reports are asked for before or after later launches."""
    program, other = make(), make(SOURCE.replace("page < sum", "page < 2 * sum"))
    program.kernels[0].common_runtime_args[0] = 2
    first = chip.launch(program)
    program.kernels[0].common_runtime_args[0] = 10
    second = chip.launch(program)
    third = chip.launch(other)
    program.kernels[0].runtime_args = [(core, [0]) for core in CORES]
    program.kernels[0].common_runtime_args[0] = 0
    fourth = chip.launch(program)
    assert [_pushed(run) for run in (first, second, third, fourth)] == [[2, 3], [10, 11], [2], []]
    filled = [[use.pushed for use in run.circular_buffers] for run in (first, second, third, fourth)]
    assert filled == [[2, 3], [10, 11], [0, 2], [0, 0]]
    program.kernels[0].common_runtime_args[0] = 5
    assert _pushed(chip.launch(program)) == [5, 5]  # more than the run before had


def fixed() -> FixedProgram:
    program = make()
    return FixedProgram(program.kernels, program.semaphores, program.cbs)


def kill_runner(chip: Chip) -> int:
    """Ends the runner's process without its owner's knowledge."""
    process = chip._launcher.runner()._process
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    return process.pid


def test_a_runner_that_ended_meanwhile_is_replaced(chip: Chip) -> None:
    for program in (make(), fixed()):
        assert sums(chip, program) == (0, 1)
        process = kill_runner(chip)
        assert sums(chip, program) == (0, 1)
        assert chip._launcher.runner()._process.pid != process


def test_libraries_lost_with_the_runner_are_compiled_again(
    chip: Chip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(find_engine().library.parent, tmp_path / "cache" / "engine")  # building it takes a minute
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path / "cache"))
    chip.forget_executables()
    program = fixed()
    assert sums(chip, program) == (0, 1)
    shutil.rmtree(tmp_path / "cache" / "kernels")
    shutil.rmtree(tmp_path / "cache" / "sources")
    assert sums(chip, program) == (0, 1)  # the runner has them
    kill_runner(chip)
    assert sums(chip, program) == (0, 1)
    assert list((tmp_path / "cache" / "kernels").iterdir())


def test_evicted_program_is_reloaded(chip: Chip) -> None:
    program = make()
    assert sums(chip, program) == (0, 1)
    for pages in range(1, launching._LOADED_KEPT + 2):
        other = make()
        other.cbs[0].total_size = 2048 * pages
        chip.launch(other)
    program.kernels[0].common_runtime_args[0] = 3
    assert sums(chip, program) == (3, 4)


def test_only_the_last_executables_are_kept(chip: Chip, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launching, "_EXECUTABLES_KEPT", 3)
    chip.forget_executables()
    programs = [make() for _ in range(5)]
    for pages, program in enumerate(programs, 1):
        program.cbs[0].total_size = 2048 * pages
        chip.launch(programs[0])
        chip.launch(program)
    assert [chip.find(program, RunOptions()) is not None for program in programs] == [True, False, False, True, True]


def test_programs_alike_share_an_executable(chip: Chip) -> None:
    program, other = make(), make()
    other.kernels[0].common_runtime_args[0] = 5
    assert chip.executable(program) is chip.executable(other)
    assert sums(chip, program) == (0, 1)
    assert sums(chip, other) == (5, 6)
    other.cbs[0].total_size = 2048 * 32
    assert chip.executable(program) is not chip.executable(other)


def test_packed_arguments_keep_their_values(chip: Chip) -> None:
    """Whatever other arguments and options the program runs with in between."""
    program = make()
    executable = chip.executable(program)
    first = executable.arguments(program)
    program.kernels[0].common_runtime_args[0] = 7
    second = executable.arguments(program)
    with_limit = RunOptions(time_limit=60)
    for arguments, options, expected in (
        (first, RunOptions(), 0),
        (first, with_limit, 0),
        (second, with_limit, 7),
        (second, with_limit, 7),
        (first, with_limit, 0),
    ):
        assert chip.run(executable, arguments, options).status is RunStatus.OK
        assert chip.read_semaphore((0, 0), 0) == expected


def test_a_program_on_two_chips(chip: Chip) -> None:
    other = Chip(describe_arch("blackhole"), grid=(3, 1))
    try:
        program = make()
        assert sums(chip, program) == sums(other, program) == (0, 1)
        program.kernels[0].compile_time_args[0] = 3
        assert sums(other, program) == sums(chip, program) == (3, 4)
    finally:
        other.close()


def test_a_launch_after_one_that_was_checked(chip: Chip) -> None:
    program = make()
    notes = [len(chip.launch(program, RunOptions(checked=checked)).notes) for checked in (False, True, False)]
    assert notes[0] == notes[2] == 0


def test_a_kernel_file_that_changes_or_moves(chip: Chip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder, extra in (("a", 10), ("b", 20)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "sum.cpp").write_text(SOURCE.replace("= EXTRA", f"= {extra}"))
    program = make("sum.cpp", SourceType.FILE_PATH)
    monkeypatch.chdir(tmp_path / "a")
    assert sums(chip, program) == (10, 11)
    monkeypatch.chdir(tmp_path / "b")
    assert sums(chip, program) == (20, 21)
    (tmp_path / "b" / "sum.cpp").write_text(SOURCE.replace("= EXTRA", "= 300"))
    program.cbs[0].total_size = 2048 * 512
    assert sums(chip, program) == (300, 301)


def test_another_cache_gets_the_kernel_text_too(chip: Chip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = make(SOURCE + "// seen in this test only")
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path / "cache"))
    assert sums(chip, program) == (0, 1)
    texts = list((tmp_path / "cache" / "sources").rglob("sum.cpp"))
    assert len(texts) == 1
    shutil.rmtree(tmp_path / "cache" / "sources")
    shutil.rmtree(tmp_path / "cache" / "kernels")
    assert sums(chip, program) == (0, 1)
    assert texts[0].exists()


def test_nothing_is_derived_twice(chip: Chip, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    original = load_message.LoadMessage
    monkeypatch.setattr(executables, "LoadMessage", lambda *given: made.append(given) or original(*given))
    program = make()
    chip.forget_executables()
    for value in range(3):
        program.kernels[0].runtime_args[0][0][1] = value
        assert sums(chip, program) == (value, 1)
        assert sums(chip, make()) == (0, 1)  # another descriptor with the same structure
    assert len(made) == 1
    program.kernels[0].runtime_args[0][0].append(1)
    sums(chip, program)
    assert len(made) == 2


def test_arguments_taken_away_meanwhile_are_an_error() -> None:
    kernel = make().kernels[0]
    layout = KernelArgumentLayout.of(kernel)
    for take_away in (kernel.runtime_args[0][0].pop, kernel.clear_runtime_args):
        take_away()
        with pytest.raises(ValueError, match="kernel sum: runtime_args are on other cores, or another number"):
            layout.pack(kernel)
