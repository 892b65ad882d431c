# SPDX-License-Identifier: Apache-2.0
"""From a program's kernel descriptors to what the toolchain compiles."""

from __future__ import annotations

from tilewright.device.buffer_formats import kernel_formats
from tilewright.device.kernel_build import source_file
from tilewright.device.translation_unit import KernelSource
from tilewright.program.kernel import (
    ComputeConfigDescriptor,
    KernelDescriptor,
    MathFidelity,
    SourceType,
)
from tilewright.program.kernel_path import resolve_kernel_path
from tilewright.program.program import ProgramDescriptor
from tilewright.tensor.arch import ArchDescription

_TRISC = 2
FIDELITY_PHASES = {MathFidelity.LoFi: 1, MathFidelity.HiFi2: 2, MathFidelity.HiFi3: 3, MathFidelity.HiFi4: 4}


def kernel_source(
    program: ProgramDescriptor, kernel: KernelDescriptor, arch: ArchDescription, grid: tuple[int, int]
) -> KernelSource:
    """What has to be compiled for ``kernel`` in ``program`` on a chip with this grid."""
    config = kernel.config
    common = dict(
        name=kernel.name,
        path=_source_path(kernel),
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
    )
    if isinstance(config, ComputeConfigDescriptor):
        return KernelSource(
            **common,
            is_compute=True,
            processor=_TRISC,
            noc_index=0,
            noc_mode=0,
            fp32_dest_acc_en=config.fp32_dest_acc_en,
            dst_full_sync_en=config.dst_full_sync_en,
            math_fidelity=config.math_fidelity.name,
            math_approx_mode=config.math_approx_mode,
        )
    return KernelSource(
        **common,
        is_compute=False,
        processor=config.processor.value,
        noc_index=config.noc.value,
        noc_mode=config.noc_mode.value,
    )


def _source_path(kernel: KernelDescriptor) -> str:
    if kernel.source_type is SourceType.SOURCE_CODE:
        return str(source_file(kernel.name, kernel.kernel_source))
    return str(resolve_kernel_path(kernel.kernel_source))
