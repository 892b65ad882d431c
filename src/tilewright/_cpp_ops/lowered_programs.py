# SPDX-License-Identifier: Apache-2.0
"""Programs lowered from specs, in the form of recorded programs, for the published ttnn.

Its Python module takes no program specs. A kernel with named bindings therefore gets a file of its own in the cache:
the declarations of its names, an ``#include`` of the kernel, and the entry point that calls a ``TT_KERNEL`` function.
A scratchpad becomes a circular buffer. Its kernels take its pointer before they begin, because the checker knows by
this which circular buffers a kernel may touch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tilewright._build.cache import cache_directory, digest, note_use, read_entry, write_atomically
from tilewright._cpp_ops.descriptions import core_range_set
from tilewright._program.circular_buffer import CBDescriptor, CBFormatDescriptor
from tilewright._program.kernel import KernelDescriptor, SourceType
from tilewright._program.kernel_config import ComputeConfigDescriptor, DataMovementConfigDescriptor
from tilewright._program.program import ProgramDescriptor
from tilewright._program.scratchpad import ScratchpadDescriptor

_LAST_CB_INDEX = 31  # of a Wormhole core; a Blackhole core has 64


def recorded_program(program: ProgramDescriptor) -> list[Any]:
    """``program`` as :func:`tilewright._cpp_ops.programs.program_descriptor` reads it."""
    free = _LAST_CB_INDEX
    cbs = []
    scratchpads: dict[int, CBDescriptor] = {}
    for cb in program.cbs:
        formats = [_format(each) for each in cb.format_descriptors]
        if isinstance(cb, ScratchpadDescriptor):
            formats = [[free, "UInt8", 0, cb.total_size, None]]
            scratchpads[free] = cb
            free -= 1
        cbs.append([core_range_set(cb.core_ranges), cb.total_size, formats, _place(cb)])
    semaphores = [[each.id, core_range_set(each.core_ranges), each.initial_value] for each in program.semaphores]
    return [[_kernel(kernel, scratchpads) for kernel in program.kernels], cbs, semaphores]


def _format(form: CBFormatDescriptor) -> list[Any]:
    tile = None if form.tile is None else ["Tile", form.tile.height, form.tile.width]
    return [form.buffer_index, form.data_format.name, form.data_format.value, form.page_size, tile]


def _place(cb: CBDescriptor) -> list[int] | None:
    return None if cb.host_address is None else [-1, cb.host_address, cb.address_offset]


def _kernel(kernel: KernelDescriptor, scratchpads: Mapping[int, CBDescriptor]) -> list[Any]:
    is_bound = "ScratchpadBindingToken" in kernel.bindings and isinstance(kernel.config, DataMovementConfigDescriptor)
    taken = [index for index, cb in scratchpads.items() if is_bound and cb.core_ranges.contains(kernel.core_ranges)]
    args = [[core.x, core.y, words] for core, words in kernel.runtime_args.to_list()]
    return [
        str(_wrapped(kernel, taken)), False, core_range_set(kernel.core_ranges), list(kernel.compile_time_args), [],
        list(kernel.defines), None, list(kernel.compiler_include_paths), _config(kernel.config), args,
        list(kernel.common_runtime_args),
    ]  # fmt: skip


def _wrapped(kernel: KernelDescriptor, taken: Sequence[int]) -> Path:
    """A file with the declarations of the kernel's names before the kernel; under the kernel's own file name.

    Args:
        taken: circular buffers whose pointers it takes first.
    """
    if kernel.source_type is SourceType.SOURCE_CODE:
        name, body = f"{kernel.name}.cpp", kernel.kernel_source
    else:
        name, body = Path(kernel.kernel_source).name, f'#include "{kernel.kernel_source}"'
    lines = [kernel.bindings, body, kernel.entry]
    if taken:
        pointers = " ".join(f"(void)get_write_ptr({index});" for index in taken)
        lines = [kernel.bindings, "#define kernel_main kernel_main_of_file", body, kernel.entry, "#undef kernel_main"]
        lines.append(f"void kernel_main() {{ {pointers} kernel_main_of_file(); }}")
    text = "\n".join([*lines, ""]).encode()
    path = cache_directory() / "cpp" / "kernels" / digest(text)[:16] / name
    if read_entry(path) != text:
        write_atomically(path, text)
    note_use(path.parent)
    return path


def _config(config: object) -> list[Any]:
    if isinstance(config, DataMovementConfigDescriptor):
        return ["data_movement", config.processor.name, config.noc.name, config.noc_mode.name]
    assert isinstance(config, ComputeConfigDescriptor)  # the lowering makes no other
    modes = [mode.name for mode in config.unpack_to_dest_mode]
    modes += ["Default"] * (_LAST_CB_INDEX + 1 - len(modes))
    return [
        "compute", config.math_fidelity.name, config.fp32_dest_acc_en, config.dst_full_sync_en,
        config.bfp8_pack_precise, config.math_approx_mode, modes,
    ]  # fmt: skip
