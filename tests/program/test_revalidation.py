# SPDX-License-Identifier: Apache-2.0
"""A program that was sound is not checked all over again, but what has changed since is found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tilewright import ttnn
from tilewright._program import validate
from tilewright._program.errors import ProgramError
from tilewright._program.program import ProgramDescriptor
from tilewright._program.validate import validate_program
from tilewright._tensor.device import Device

CORES = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (1, 0))])


def make(source: str = "void kernel_main() {}", **keywords: object) -> ProgramDescriptor:
    kernel = ttnn.KernelDescriptor(
        kernel_source=source,
        source_type=keywords.pop("source_type", ttnn.KernelDescriptor.SourceType.SOURCE_CODE),
        core_ranges=CORES,
        runtime_args=[(core, [1, 2]) for core in CORES],
        config=ttnn.ReaderConfigDescriptor(),
        name="reader",
    )
    cb = ttnn.CBDescriptor(4096, CORES, [ttnn.CBFormatDescriptor(0, ttnn.bfloat16, 2048)])
    return ttnn.ProgramDescriptor(kernels=[kernel], cbs=[cb])


def _extra_core(program: ProgramDescriptor) -> None:
    program.kernels[0].runtime_args.append((5, 5), [1, 2])


def _no_core(program: ProgramDescriptor) -> None:
    program.kernels[0].runtime_args = [(ttnn.CoreCoord(0, 0), [1, 2])]


def _many_args(program: ProgramDescriptor) -> None:
    program.kernels[0].runtime_args[0][0].extend([0] * 400)


def _many_common_args(program: ProgramDescriptor) -> None:
    program.kernels[0].common_runtime_args.extend([0] * 400)


def _odd_size(program: ProgramDescriptor) -> None:
    program.cbs[0].total_size = 4000


def _same_processor(program: ProgramDescriptor) -> None:
    program.kernels = [*program.kernels, *program.kernels]


def _same_semaphore(program: ProgramDescriptor) -> None:
    program.semaphores = [ttnn.SemaphoreDescriptor(id=0, core_ranges=CORES, initial_value=0)] * 2


def _bad_define(program: ProgramDescriptor) -> None:
    program.kernels[0].defines = [("2X", "1")]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_extra_core, "where the kernel does not run"),
        (_no_core, "no runtime_args for core 1-0"),
        (_many_args, "402 runtime args"),
        (_many_common_args, "400 common runtime args"),
        (_odd_size, "page_size 2048 does not divide total_size 4000"),
        (_same_processor, "both run on processor RISCV_1"),
        (_same_semaphore, "semaphore id 0 is given twice"),
        (_bad_define, "not a macro name"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_program_changed_after_it_was_sound(
    wormhole: Device, change: Callable[[ProgramDescriptor], None], message: str
) -> None:
    program = make()
    for _ in range(2):
        validate_program(program, wormhole)
    change(program)
    for _ in range(2):
        with pytest.raises(ProgramError, match=message):
            validate_program(program, wormhole)


def test_a_sound_program_is_looked_through_once(wormhole: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[object] = []
    original = validate.find_problems
    monkeypatch.setattr(validate, "find_problems", lambda *given: looked.append(given) or original(*given))
    program = make()
    for value in range(3):
        program.kernels[0].runtime_args[0][0][1] = value
        validate_program(program, wormhole)
    assert len(looked) == 1
    program.cbs[0].total_size = 8192
    validate_program(program, wormhole)
    assert len(looked) == 2


def test_l1_that_was_free_is_taken(wormhole: Device) -> None:
    program = make()
    program.cbs[0].total_size = 2048 * 600
    validate_program(program, wormhole)
    taken = ttnn.zeros([64, 96 * 1024], ttnn.bfloat16, ttnn.TILE_LAYOUT, wormhole, ttnn.L1_MEMORY_CONFIG)
    with pytest.raises(ProgramError, match="above the lowest L1 buffer"):
        validate_program(program, wormhole)
    taken.deallocate()
    validate_program(program, wormhole)


def test_a_buffer_that_backed_a_cb_is_gone(wormhole: Device) -> None:
    program = make()
    tensor = ttnn.zeros([64, 1024], ttnn.bfloat16, ttnn.ROW_MAJOR_LAYOUT, wormhole, ttnn.L1_MEMORY_CONFIG)
    program.cbs[0].total_size = 2048
    program.cbs[0].set_buffer_from_tensor(tensor)
    validate_program(program, wormhole)
    tensor.deallocate()
    with pytest.raises(ProgramError, match="has been deallocated"):
        validate_program(program, wormhole)


def test_a_tensor_is_gone(wormhole: Device) -> None:
    program, tensor = make(), ttnn.zeros([32, 32], device=wormhole)
    validate_program(program, wormhole, [tensor])
    tensor.deallocate()
    with pytest.raises(ProgramError, match=r"io_tensors\[0\] has been deallocated"):
        validate_program(program, wormhole, [tensor])


def test_a_kernel_file_is_gone(wormhole: Device, tmp_path: Path) -> None:
    path = tmp_path / "reader.cpp"
    path.write_text("void kernel_main() {}")
    program = make(str(path), source_type=ttnn.KernelDescriptor.SourceType.FILE_PATH)
    validate_program(program, wormhole)
    path.unlink()
    with pytest.raises(ProgramError, match="does not exist"):
        validate_program(program, wormhole)


def test_sound_on_one_device_is_not_sound_on_another(wormhole: Device, blackhole: Device) -> None:
    wide = ttnn.CoreRangeSet([ttnn.CoreRange((12, 9), (12, 9))])
    program = make()
    program.kernels[0].runtime_args.clear()
    program.kernels[0].core_ranges = wide
    validate_program(program, blackhole)
    with pytest.raises(ProgramError, match="outside the 8x8 grid"):
        validate_program(program, wormhole)
