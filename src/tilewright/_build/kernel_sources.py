# SPDX-License-Identifier: Apache-2.0
"""Kernel descriptors to translation units."""

from __future__ import annotations

import dataclasses

from tilewright._build.cb_formats import kernel_formats
from tilewright._build.kernel_build import source_file
from tilewright._build.translation_unit import Instrumentation, KernelSource
from tilewright._program.kernel import KernelDescriptor, SourceType
from tilewright._program.kernel_config import ComputeConfigDescriptor, MathFidelity
from tilewright._program.kernel_path import resolve_kernel_path
from tilewright._program.program import ProgramDescriptor
from tilewright._tensor.arch import ArchDescription

_TRISC = 2
FIDELITY_PHASES = {MathFidelity.LoFi: 1, MathFidelity.HiFi2: 2, MathFidelity.HiFi3: 3, MathFidelity.HiFi4: 4}


@dataclasses.dataclass(frozen=True)
class Placement:
    """Which processor of a core a kernel runs on, and which NoC it uses unless it says otherwise."""

    processor: int
    noc_index: int
    noc_mode: int


def placement(kernel: KernelDescriptor) -> Placement:
    config = kernel.config
    if isinstance(config, ComputeConfigDescriptor):
        return Placement(_TRISC, 0, 0)
    return Placement(config.processor.value, config.noc.value, config.noc_mode.value)


def kernel_source(
    program: ProgramDescriptor,
    kernel: KernelDescriptor,
    arch: ArchDescription,
    grid: tuple[int, int],
    instrumentation: Instrumentation = Instrumentation.NOTHING,
) -> KernelSource:
    """The sources to compile for ``kernel`` in ``program`` on a chip with this grid."""
    config = kernel.config
    where = placement(kernel)
    source = KernelSource(
        name=kernel.name,
        path=source_path(kernel),
        is_compute=kernel.is_compute,
        processor=where.processor,
        noc_index=where.noc_index,
        noc_mode=where.noc_mode,
        arch=arch.name,
        num_dram_banks=arch.num_dram_banks,
        num_l1_banks=grid[0] * grid[1],
        compile_time_args=tuple(kernel.compile_time_args),
        named_compile_time_args=tuple(kernel.named_compile_time_args),
        defines=tuple(kernel.defines),
        formats=kernel_formats(program, kernel),
        bindings=kernel.bindings,
        entry=kernel.entry,
        include_paths=tuple(kernel.compiler_include_paths),
        instrumentation=instrumentation,
    )
    if not isinstance(config, ComputeConfigDescriptor):
        return source
    return dataclasses.replace(
        source,
        fp32_dest_acc_en=config.fp32_dest_acc_en,
        dst_full_sync_en=config.dst_full_sync_en,
        math_fidelity=config.math_fidelity.name,
        math_approx_mode=config.math_approx_mode,
    )


def source_path(kernel: KernelDescriptor) -> str:
    """The file a kernel is in; one given as text gets a file."""
    if kernel.source_type is SourceType.SOURCE_CODE:
        return str(source_file(kernel.name, kernel.kernel_source))
    return str(resolve_kernel_path(kernel.kernel_source))
