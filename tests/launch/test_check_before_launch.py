# SPDX-License-Identifier: Apache-2.0
"""A program that was sound in one launch is checked again in the next for everything that has changed since."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import tilewright
from tilewright import ttnn
from tilewright._launch import tensor_launch as launching
from tilewright._program import validate
from tilewright._program.errors import ProgramError
from tilewright._program.program import ProgramDescriptor

CORES = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (1, 0))])


@pytest.fixture(scope="module")
def device() -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=9, grid=(2, 1))
    yield device
    ttnn.close_device(device)


@pytest.fixture
def output(device: ttnn.Device) -> ttnn.Tensor:
    return ttnn.zeros([32, 32], device=device)


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
def test_a_changed_program_is_refused(
    output: ttnn.Tensor, change: Callable[[ProgramDescriptor], None], message: str
) -> None:
    program = make()
    for _ in range(2):
        tilewright.run_program([output], program)
    change(program)
    for _ in range(2):
        with pytest.raises(ProgramError, match=message):
            tilewright.run_program([output], program)


def test_a_sound_program_is_checked_once(output: ttnn.Tensor, monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[object] = []
    original = validate.validate_program
    monkeypatch.setattr(launching, "validate_program", lambda *given: checked.append(given) or original(*given))
    program = make("void kernel_main() { /* checked once */ }")
    for value in range(3):
        program.kernels[0].runtime_args[0][0][1] = value
        tilewright.run_program([output], program)
    assert len(checked) == 1
    program.cbs[0].total_size = 8192
    tilewright.run_program([output], program)
    assert len(checked) == 2


def test_l1_that_was_free_is_taken(device: ttnn.Device, output: ttnn.Tensor) -> None:
    program = make()
    program.cbs[0].total_size = 2048 * 600
    executable = tilewright.freeze(program, device)
    tilewright.run_program([output], program)
    taken = ttnn.zeros([64, 4 * 1024], ttnn.bfloat16, ttnn.TILE_LAYOUT, device, ttnn.L1_MEMORY_CONFIG)
    with pytest.raises(ProgramError, match="above the lowest L1 buffer"):
        tilewright.run_program([output], program)
    with pytest.raises(ProgramError, match="above the lowest L1 buffer"):
        executable.run([output], executable.arguments(program))
    taken.deallocate()
    tilewright.run_program([output], program)
    executable.run([output], executable.arguments(program))


def test_a_tensor_under_a_circular_buffer_is_gone(device: ttnn.Device, output: ttnn.Tensor) -> None:
    program = make()
    tensors = [
        ttnn.zeros([64, 1024], ttnn.bfloat16, ttnn.ROW_MAJOR_LAYOUT, device, ttnn.L1_MEMORY_CONFIG) for _ in range(2)
    ]
    program.cbs[0].total_size = 2048
    program.cbs[0].set_buffer_from_tensor(tensors[0])
    executable = tilewright.freeze(program, device)
    tilewright.run_program([output], program)
    executable.run([output], executable.arguments(program))
    tensors[0].deallocate()
    for _ in range(2):
        with pytest.raises(ProgramError, match="CB c_0: the tensor it is backed by has been deallocated"):
            tilewright.run_program([output], program)
        with pytest.raises(ProgramError, match="CB c_0: the tensor it is backed by has been deallocated"):
            executable.run([output], executable.arguments(program))
    program.cbs[0].set_buffer_from_tensor(tensors[1])
    tilewright.run_program([output], program)


def test_a_tensor_is_gone(device: ttnn.Device, output: ttnn.Tensor) -> None:
    program, tensor = make(), ttnn.zeros([32, 32], device=device)
    executable = tilewright.freeze(program, device)
    tilewright.run_program([tensor, output], program)
    tensor.deallocate()
    with pytest.raises(ProgramError, match=r"io_tensors\[0\] has been deallocated"):
        tilewright.run_program([tensor, output], program)
    with pytest.raises(ProgramError, match=r"io_tensors\[0\] has been deallocated"):
        executable.run([tensor, output], executable.arguments(program))


def test_a_kernel_file_is_gone(output: ttnn.Tensor, tmp_path: Path) -> None:
    path = tmp_path / "reader.cpp"
    path.write_text("void kernel_main() {}")
    program = make(str(path), source_type=ttnn.KernelDescriptor.SourceType.FILE_PATH)
    for _ in range(2):
        tilewright.run_program([output], program)
    path.unlink()
    with pytest.raises(ProgramError, match="does not exist"):
        tilewright.run_program([output], program)


def test_sound_on_one_device_is_not_sound_on_another(output: ttnn.Tensor) -> None:
    program = make()
    program.kernels[0].runtime_args.clear()
    program.kernels[0].core_ranges = ttnn.CoreRangeSet([ttnn.CoreRange((2, 1), (2, 1))])
    larger = ttnn.open_device(device_id=10, arch="blackhole", grid=(3, 2))
    try:
        tilewright.run_program([ttnn.zeros([32, 32], device=larger)], program)
        with pytest.raises(ProgramError, match="outside the 2x1 grid"):
            tilewright.run_program([output], program)
    finally:
        ttnn.close_device(larger)
