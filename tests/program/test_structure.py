# SPDX-License-Identifier: Apache-2.0
"""A program's structure is another one as soon as anything but the value of a runtime argument changes."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from tilewright import ttnn
from tilewright._program.circular_buffer import TileDescriptor
from tilewright._program.kernel import ArgumentsInL1, KernelBuildOptLevel
from tilewright._program.program import FixedProgram, ProgramDescriptor
from tilewright._tensor.device import Device

CORES = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (1, 0))])
OTHER_CORES = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (2, 0))])


def make() -> ProgramDescriptor:
    kernels = [
        ttnn.KernelDescriptor(
            kernel_source="void kernel_main() {}",
            source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
            core_ranges=CORES,
            compile_time_args=[3],
            runtime_args=[(core, [1, 2]) for core in CORES],
            common_runtime_args=[5],
            config=config,
        )
        for config in (ttnn.DataMovementConfigDescriptor(), ttnn.ComputeConfigDescriptor())
    ]
    cb = ttnn.CBDescriptor(4096, CORES, [ttnn.CBFormatDescriptor(0, ttnn.bfloat16, 2048, TileDescriptor(32, 32))])
    semaphore = ttnn.SemaphoreDescriptor(id=0, core_ranges=CORES, initial_value=0)
    return ttnn.ProgramDescriptor(kernels=kernels, cbs=[cb], semaphores=[semaphore])


Change = Callable[[Any], object]
# By attribute, as the descriptors hold it.
KERNEL: dict[str, Change] = {
    "kernel_source": lambda kernel: setattr(kernel, "kernel_source", "void kernel_main() { }"),
    "source_type": lambda kernel: setattr(kernel, "source_type", ttnn.KernelDescriptor.SourceType.FILE_PATH),
    "_core_ranges": lambda kernel: setattr(kernel, "core_ranges", OTHER_CORES),
    "_config": lambda kernel: setattr(kernel, "config", ttnn.WriterConfigDescriptor()),
    "_compile_time_args": lambda kernel: kernel.compile_time_args.__setitem__(0, 4),
    "_named_compile_time_args": lambda kernel: setattr(kernel, "named_compile_time_args", [("a", 1)]),
    "_defines": lambda kernel: setattr(kernel, "defines", [("A", "1")]),
    "_runtime_args": lambda kernel: kernel.runtime_args[1][0].pop(),
    "_common_runtime_args": lambda kernel: kernel.common_runtime_args.append(6),
    "opt_level": lambda kernel: setattr(kernel, "opt_level", KernelBuildOptLevel.O3),
    "compiler_include_paths": lambda kernel: kernel.compiler_include_paths.append("include"),
    "circular_buffers": lambda kernel: setattr(kernel, "circular_buffers", frozenset({0})),
    "bindings": lambda kernel: setattr(kernel, "bindings", "// bindings"),
    "entry": lambda kernel: setattr(kernel, "entry", "// entry"),
    "arguments_in_l1": lambda kernel: setattr(kernel, "arguments_in_l1", ArgumentsInL1(0, 1, 0, 0)),
    "_name": lambda kernel: setattr(kernel, "name", "other"),
}
DATA_MOVEMENT: dict[str, Change] = {
    "processor": lambda config: setattr(config, "processor", ttnn.DataMovementProcessor.RISCV_1),
    "noc": lambda config: setattr(config, "noc", ttnn.NOC.NOC_1),
    "noc_mode": lambda config: setattr(config, "noc_mode", ttnn.NOC_MODE.DM_DYNAMIC_NOC),
}
COMPUTE: dict[str, Change] = {
    "math_fidelity": lambda config: setattr(config, "math_fidelity", ttnn.MathFidelity.LoFi),
    "math_approx_mode": lambda config: setattr(config, "math_approx_mode", True),
    "fp32_dest_acc_en": lambda config: setattr(config, "fp32_dest_acc_en", True),
    "dst_full_sync_en": lambda config: setattr(config, "dst_full_sync_en", True),
    "bfp8_pack_precise": lambda config: setattr(config, "bfp8_pack_precise", True),
    "_unpack_to_dest_mode": lambda config: config.unpack_to_dest_mode.append(ttnn.UnpackToDestMode.UnpackToDestFp32),
}
CIRCULAR_BUFFER: dict[str, Change] = {
    "_name": lambda cb: setattr(cb, "_name", "other"),
    "_total_size": lambda cb: setattr(cb, "total_size", 8192),
    "_core_ranges": lambda cb: setattr(cb, "core_ranges", OTHER_CORES),
    "_format_descriptors": lambda cb: setattr(cb, "format_descriptors", []),
    "_address_offset": lambda cb: setattr(cb, "address_offset", 64),
    "host_address": lambda cb: setattr(cb, "host_address", 0x20000),
    "host_lays_over_tensor": lambda cb: setattr(cb, "host_lays_over_tensor", True),
}
FORMAT: dict[str, Change] = {
    "_buffer_index": lambda descriptor: setattr(descriptor, "buffer_index", 1),
    "_data_format": lambda descriptor: setattr(descriptor, "data_format", ttnn.float32),
    "_page_size": lambda descriptor: setattr(descriptor, "page_size", 1024),
    "tile": lambda descriptor: setattr(descriptor.tile, "height", 16),
    "faces": lambda descriptor: setattr(descriptor, "faces", (4, 1)),
    "_name": lambda descriptor: setattr(descriptor, "name", "other"),
}
SEMAPHORE: dict[str, Change] = {
    "id": lambda semaphore: setattr(semaphore, "id", 1),
    "core_type": lambda semaphore: setattr(semaphore, "core_type", None),
    "core_ranges": lambda semaphore: setattr(semaphore, "core_ranges", OTHER_CORES),
    "initial_value": lambda semaphore: setattr(semaphore, "initial_value", 1),
}
PARTS: dict[str, tuple[Callable[[ProgramDescriptor], Any], dict[str, Change]]] = {
    "kernel": (lambda program: program.kernels[0], KERNEL),
    "data movement config": (lambda program: program.kernels[0].config, DATA_MOVEMENT),
    "compute config": (lambda program: program.kernels[1].config, COMPUTE),
    "circular buffer": (lambda program: program.cbs[0], CIRCULAR_BUFFER),
    "format": (lambda program: program.cbs[0].format_descriptors[0], FORMAT),
    "semaphore": (lambda program: program.semaphores[0], SEMAPHORE),
}
# Of a CB's tensor a test of its own; remote formats belong to global circular buffers, which are not simulated.
ELSEWHERE = {"_buffer", "remote_format_descriptors"}


@pytest.mark.parametrize(
    ("part", "attribute"), [(part, attribute) for part, (_, changes) in PARTS.items() for attribute in changes]
)
def test_a_change_makes_another_structure(part: str, attribute: str) -> None:
    program = make()
    find, changes = PARTS[part]
    before = program.structure()
    assert program.structure() is before
    changes[attribute](find(program))
    after = program.structure()
    assert after is not before
    assert program.structure() is after


@pytest.mark.parametrize("part", PARTS)
def test_every_attribute_has_its_change(part: str) -> None:
    find, changes = PARTS[part]
    assert set(vars(find(make()))) - ELSEWHERE == set(changes)


def test_lists_of_the_program_itself() -> None:
    for change in (
        lambda program: setattr(program, "kernels", program.kernels[:1]),
        lambda program: setattr(program, "cbs", []),
        lambda program: setattr(program, "semaphores", []),
        lambda program: program.kernels[0].runtime_args.append((7, 7), []),
        lambda program: program.kernels[0].runtime_args.clear(),
    ):
        program = make()
        before = program.structure()
        change(program)
        assert program.structure() is not before


def test_values_of_runtime_arguments_do_not_count() -> None:
    program = make()
    before = program.structure()
    program.kernels[0].runtime_args[0][0] = [7, 8]
    program.kernels[0].common_runtime_args[0] = 9
    program.kernels[1].runtime_args = [(core, [3, 4]) for core in CORES]
    assert program.structure() is before


def test_programs_alike_have_equal_structures() -> None:
    first, second = make(), make()
    second.kernels[0].runtime_args[0][0] = [7, 8]  # a value does not count
    assert first.structure() == second.structure()
    assert hash(first.structure()) == hash(second.structure())
    second.cbs[0].total_size = 8192
    assert first.structure() != second.structure()


def test_a_fixed_program_is_looked_at_once() -> None:
    made = make()
    program = FixedProgram(made.kernels, made.semaphores, made.cbs)
    before = program.structure()
    program.cbs[0].total_size = 8192
    assert program.structure() is before


def test_a_copy_without_arguments_keeps_the_rest() -> None:
    program = make()
    copy = program.without_arguments()
    assert [len(kernel.runtime_args) for kernel in copy.kernels] == [0, 0]
    for kernel, other in zip(program.kernels, copy.kernels, strict=True):
        other.runtime_args, other.common_runtime_args = kernel.runtime_args, kernel.common_runtime_args
    assert copy.structure() == program.structure()
    program.kernels[0].defines = [("A", "1")]
    assert copy.structure() != program.structure()


def test_a_tensor_behind_a_circular_buffer_counts_and_is_not_kept_alive(wormhole: Device) -> None:
    program = make()
    plain = program.structure()
    tensors = [
        ttnn.zeros([64, 1024], ttnn.bfloat16, ttnn.ROW_MAJOR_LAYOUT, wormhole, ttnn.L1_MEMORY_CONFIG) for _ in range(2)
    ]
    program.cbs[0].set_buffer_from_tensor(tensors[0])
    first = program.structure()
    program.cbs[0].set_buffer_from_tensor(tensors[1])
    second = program.structure()
    assert len({plain, first, second}) == 3
    placed = program.without_arguments()
    assert placed.cbs[0].host_address == tensors[1].buffer_address()
    assert placed.cbs[0].is_over_tensor()
    gone = weakref.ref(tensors[1].buffer())
    program.cbs[0].set_buffer_from_tensor(tensors[0])
    del tensors[1]
    gc.collect()
    assert gone() is None
    assert program.structure() is not second
