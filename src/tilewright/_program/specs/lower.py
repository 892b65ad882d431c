# SPDX-License-Identifier: Apache-2.0
"""From a program spec and the arguments of one run to an ordinary program.

Dataflow buffers become circular buffers, names become indices, ids and argument words. Arguments of a kernel lie in
upstream's order: common runtime args are the named ones, then a word for each tensor's and scratchpad's address, then
the unnamed; compile-time args are the unnamed ones, then the words of each tensor's layout.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from tilewright._program.bindings import BufferName, KernelBindings, ScratchpadName, TensorName, TileFormat, entry_point
from tilewright._program.cb_placement import CB_ALIGNMENT, place_circular_buffers
from tilewright._program.circular_buffer import CBDescriptor, CBFormatDescriptor, TileDescriptor
from tilewright._program.errors import ProgramError
from tilewright._program.kernel import KernelDescriptor, SourceType
from tilewright._program.kernel_config import (
    ComputeConfigDescriptor,
    DataMovementConfigDescriptor,
    KernelConfig,
    UnpackToDestMode,
)
from tilewright._program.program import ProgramDescriptor
from tilewright._program.runtime_args import RuntimeArgs
from tilewright._program.scratchpad import ScratchpadDescriptor
from tilewright._program.semaphore import SemaphoreDescriptor
from tilewright._program.specs.problems import data_format, is_compute, source_text, spec_problems
from tilewright._program.specs.program_spec import (
    ComputeHardwareConfig,
    DataflowBufferSpec,
    DataMovementHardwareConfig,
    KernelSpec,
    Precision,
    ProgramSpec,
    ScratchpadSpec,
    SourceCode,
    UnpackMode,
    as_core_ranges,
)
from tilewright._program.specs.run_args import DFBRunOverrides, ProgramRunArgs
from tilewright._program.specs.run_problems import run_args_problems, vararg_counts
from tilewright._program.specs.source import find_entry
from tilewright._program.specs.tensors import (
    ForeignTensorArgument,
    argument_arch,
    argument_format,
    argument_words,
    lay_over,
)
from tilewright._program.specs.types import require_types
from tilewright._program.uint32_list import uint32
from tilewright._tensor.arch import ArchDescription, describe_arch
from tilewright._tensor.cores import CoreCoord, as_core
from tilewright._wire.data_formats import DataFormat


def lower(spec: ProgramSpec, run_args: ProgramRunArgs, arch: str | ArchDescription | None = None) -> ProgramDescriptor:
    """The program that ``spec`` describes, with the arguments of one run.

    Args:
        spec: kernels, buffers and their names.
        run_args: values and tensors of this run.
        arch: the chip, where no tensor argument says it; needed for scratchpads only.

    Raises:
        ProgramError: everything that does not fit together, by name.
        TypeError: something is not of the type its place takes.
    """
    require_types(spec, run_args)
    chip = _chip(run_args, arch)
    problems = list(spec_problems(spec, chip))
    if not problems:
        problems = list(run_args_problems(spec, run_args))
    if not problems and spec.scratchpads and chip is None:
        problems = ["lower() needs arch for a program with scratchpads: no tensor argument says which chip it is"]
    if problems:
        raise ProgramError(problems)
    return _Lowering(spec, run_args, chip).program()


def _chip(run_args: ProgramRunArgs, arch: str | ArchDescription | None) -> ArchDescription | None:
    if arch is not None:
        return describe_arch(arch)
    chips = map(argument_arch, run_args.tensor_args.values())
    return next((chip for chip in chips if chip is not None), None)


class _Lowering:
    """One spec and one run, with the numbers behind the names."""

    def __init__(self, spec: ProgramSpec, run_args: ProgramRunArgs, arch: ArchDescription | None) -> None:
        self.spec = spec
        self.run_args = run_args
        self.arch = arch
        overrides = {override.dfb: override for override in run_args.dfb_run_overrides}
        self.buffers = [_resized(dfb, overrides.get(dfb.unique_id)) for dfb in spec.dataflow_buffers]
        self.buffer_of_name = {dfb.unique_id: dfb for dfb in self.buffers}
        self.cb_index = self._assign_cb_indices()
        self.semaphore_id = {semaphore.unique_id: number for number, semaphore in enumerate(spec.semaphores)}
        self.scratchpads = {scratchpad.unique_id: scratchpad for scratchpad in spec.scratchpads}

    def program(self) -> ProgramDescriptor:
        cbs = [*self._circular_buffers(), *self._scratchpad_regions()]
        semaphores = [
            SemaphoreDescriptor(
                id=self.semaphore_id[semaphore.unique_id],
                core_ranges=as_core_ranges(semaphore.target_nodes),
                initial_value=semaphore.advanced_options.initial_value,
            )
            for semaphore in self.spec.semaphores
        ]
        addresses = self._scratchpad_addresses(cbs)
        kernels = [self._kernel(kernel, addresses) for kernel in self.spec.kernels]
        return ProgramDescriptor(kernels=kernels, semaphores=semaphores, cbs=cbs)

    def _assign_cb_indices(self) -> dict[str, int]:
        """The lowest index that no earlier buffer has on a core of this one."""
        taken: dict[CoreCoord, set[int]] = {}
        indices = {}
        for dfb in self.buffers:
            cores = list(self.spec.cores_of_buffer(dfb.unique_id))
            used = set().union(*(taken.get(core, set()) for core in cores))
            index = next(number for number in range(len(used) + 1) if number not in used)
            indices[dfb.unique_id] = index
            for core in cores:
                taken.setdefault(core, set()).add(index)
        return indices

    def _circular_buffers(self) -> list[CBDescriptor]:
        """One CB per group of buffers that share memory."""
        cbs = []
        done: set[str] = set()
        for dfb in self.buffers:
            if dfb.unique_id in done:
                continue
            group = [dfb, *(self.buffer_of_name[name] for name in dfb.advanced_options.alias_with)]
            done.update(each.unique_id for each in group)
            cb = CBDescriptor(
                total_size=dfb.entry_size * dfb.num_entries,
                core_ranges=self.spec.cores_of_buffer(dfb.unique_id),
                format_descriptors=[self._format(each) for each in group],
            )
            if dfb.borrowed_from is not None:
                lay_over(cb, self.run_args.tensor_args[dfb.borrowed_from])
            cbs.append(cb)
        return cbs

    def _format(self, dfb: DataflowBufferSpec) -> CBFormatDescriptor:
        tile = dfb.tile_format_metadata
        return CBFormatDescriptor(
            buffer_index=self.cb_index[dfb.unique_id],
            data_format=data_format(dfb) or DataFormat.Invalid,
            page_size=dfb.entry_size,
            tile=None if tile is None else TileDescriptor(tile),
            name=dfb.unique_id,
        )

    def _scratchpad_regions(self) -> list[ScratchpadDescriptor]:
        return [
            ScratchpadDescriptor(
                scratchpad.unique_id,
                scratchpad.size_per_node,
                self.spec.cores_of_scratchpad(scratchpad.unique_id),
            )
            for scratchpad in self.spec.scratchpads
        ]

    def _scratchpad_addresses(self, cbs: Sequence[CBDescriptor]) -> dict[str, int]:
        if self.arch is None:
            return {}
        foreign = any(isinstance(each, ForeignTensorArgument) for each in self.run_args.tensor_args.values())
        alignment = self.arch.dram_alignment if foreign else CB_ALIGNMENT  # tt-metal's, where tt-metal places them
        addresses = place_circular_buffers(ProgramDescriptor(cbs=cbs), self.arch.l1_unreserved_base, alignment)
        return {
            cb.name: address for cb, address in zip(cbs, addresses, strict=True) if isinstance(cb, ScratchpadDescriptor)
        }

    def _kernel(self, kernel: KernelSpec, scratchpad_addresses: dict[str, int]) -> KernelDescriptor:
        given, options = self.run_args.of_kernel(kernel.unique_id), kernel.advanced_options
        common_names = list(kernel.runtime_arg_schema.common_runtime_arg_names)
        compile_time_args = [uint32(value, "compile_time_varargs") for value in options.compile_time_varargs]
        common_args = [given.common_runtime_arg_values[name] for name in common_names]
        tensors = self._place_tensors(kernel, compile_time_args, common_args)
        scratchpads = self._place_scratchpads(kernel, scratchpad_addresses, common_args)
        bindings = KernelBindings(
            runtime_args=list(kernel.runtime_arg_schema.runtime_arg_names),
            common_runtime_args=common_names,
            compile_time_args=[
                (name, uint32(value, f"kernel {kernel.unique_id}: compile_time_args[{name!r}]"))
                for name, value in kernel.compile_time_args.items()
            ],
            compile_time_varargs=list(options.compile_time_varargs),
            common_vararg_word=len(common_args),
            dfbs=self._buffer_names(kernel),
            tensors=tensors,
            tensor_sequences=[(each.sequence_name, list(each.members)) for each in options.tensor_binding_sequences],
            semaphores=[
                (each.accessor_name, self.semaphore_id[each.semaphore_spec_name]) for each in kernel.semaphore_bindings
            ],
            semaphore_scope="COMPUTE_ATOMIC" if is_compute(kernel) else "LOCAL_NONATOMIC",
            scratchpads=scratchpads,
        )
        common_args += given.advanced_options.common_runtime_varargs
        return self._descriptor(kernel, bindings, compile_time_args, common_args)

    def _place_tensors(
        self, kernel: KernelSpec, compile_time_args: list[int], common_args: list[int]
    ) -> list[TensorName]:
        """Adds each tensor's layout to the compile-time args and its address to the common ones."""
        names = []
        for binding in kernel.tensor_bindings:
            tensor = self.run_args.tensor_args[binding.tensor_parameter_name]
            data_format, tile = argument_format(tensor)
            tile_format = TileFormat(data_format, TileDescriptor(tile))
            names.append(TensorName(binding.accessor_name, len(compile_time_args), len(common_args), tile_format))
            layout, words = argument_words(tensor)
            compile_time_args += layout
            common_args += words
        return names

    def _place_scratchpads(
        self, kernel: KernelSpec, addresses: dict[str, int], common_args: list[int]
    ) -> list[ScratchpadName]:
        """Adds each scratchpad's address to the common args."""
        names = []
        for binding in kernel.scratchpad_bindings:
            scratchpad = self.scratchpads[binding.scratchpad_spec_name]
            size, word = scratchpad.size_per_node, len(common_args)
            names.append(ScratchpadName(binding.accessor_name, word, size, _tile_format(scratchpad)))
            common_args.append(addresses[scratchpad.unique_id])
        return names

    def _buffer_names(self, kernel: KernelSpec) -> list[BufferName]:
        names = {}
        for binding in kernel.dfb_bindings:
            dfb = self.buffer_of_name[binding.dfb_spec_name]
            names[binding.accessor_name] = BufferName(
                binding.accessor_name, self.cb_index[dfb.unique_id], _tile_format(dfb)
            )
        return list(names.values())

    def _descriptor(
        self, kernel: KernelSpec, bindings: KernelBindings, compile_time_args: list[int], common_args: list[int]
    ) -> KernelDescriptor:
        is_code = isinstance(kernel.source, SourceCode)
        options = kernel.compiler_options
        descriptor = KernelDescriptor(
            kernel_source=kernel.source.code if isinstance(kernel.source, SourceCode) else os.fspath(kernel.source),
            source_type=SourceType.SOURCE_CODE if is_code else SourceType.FILE_PATH,
            core_ranges=self.spec.cores_of(kernel.unique_id),
            compile_time_args=compile_time_args,
            defines=list(options.defines.items()),
            runtime_args=self._runtime_args(kernel),
            common_runtime_args=common_args,
            opt_level=options.opt_level,
            config=self._config(kernel),
            compiler_include_paths=options.include_paths,
            name=kernel.unique_id,
        )
        descriptor.circular_buffers = frozenset(buffer.cb_index for buffer in bindings.dfbs)
        descriptor.bindings = bindings.declarations()
        entry = find_entry(source_text(kernel))
        descriptor.entry = "" if entry is None else entry_point(entry)
        return descriptor

    def _runtime_args(self, kernel: KernelSpec) -> RuntimeArgs:
        given = self.run_args.of_kernel(kernel.unique_id)
        counts = vararg_counts(self.spec, kernel)
        by_name = {
            name: {as_core(node): value for node, value in given.runtime_arg_values[name].items()}
            for name in kernel.runtime_arg_schema.runtime_arg_names
        }
        varargs = {as_core(node): list(values) for node, values in given.advanced_options.runtime_varargs.items()}
        args = RuntimeArgs()
        if by_name or any(counts.values()):
            for core in counts:
                args.append(core, [*(values[core] for values in by_name.values()), *varargs.get(core, [])])
        return args

    def _config(self, kernel: KernelSpec) -> KernelConfig:
        config = kernel.hw_config
        if isinstance(config, ComputeHardwareConfig):
            return self._compute_config(kernel, config)
        if isinstance(config, DataMovementHardwareConfig):
            assert config.config_1xx is not None  # spec_problems has seen to it
            placed = config.config_1xx
            return DataMovementConfigDescriptor(placed.processor, placed.noc, placed.noc_mode)
        return config

    def _compute_config(self, kernel: KernelSpec, config: ComputeHardwareConfig) -> ComputeConfigDescriptor:
        packing = config.config_1xx.bfp_pack_precision_mode if config.config_1xx is not None else Precision.Approximate
        descriptor = ComputeConfigDescriptor(
            math_fidelity=config.fpu_math_fidelity,
            math_approx_mode=config.sfpu_precision_mode is Precision.Approximate,
            fp32_dest_acc_en=config.enable_32_bit_dest,
            dst_full_sync_en=not config.double_buffer_dest,
            bfp8_pack_precise=packing is Precision.Precise,
        )
        to_dest = {self.cb_index[name] for name, mode in config.unpack_modes.items() if mode is UnpackMode.UnpackToDest}
        descriptor.unpack_to_dest_mode = [
            UnpackToDestMode.UnpackToDestFp32 if index in to_dest else UnpackToDestMode.Default
            for index in range(max(to_dest, default=-1) + 1)
        ]
        return descriptor


def _tile_format(spec: DataflowBufferSpec | ScratchpadSpec) -> TileFormat:
    tile = spec.tile_format_metadata
    return TileFormat(
        data_format(spec) or DataFormat.Invalid, TileDescriptor() if tile is None else TileDescriptor(tile)
    )


def _resized(dfb: DataflowBufferSpec, override: DFBRunOverrides | None) -> DataflowBufferSpec:
    if override is None:
        return dfb
    return replace(
        dfb,
        entry_size=dfb.entry_size if override.entry_size is None else override.entry_size,
        num_entries=dfb.num_entries if override.num_entries is None else override.num_entries,
    )
