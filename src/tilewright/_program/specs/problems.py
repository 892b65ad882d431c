# SPDX-License-Identifier: Apache-2.0
"""Mistakes in a program spec, found before anything is lowered.

The rules are upstream's. What a kernel binds and does not use is no error there or here; what its source uses without a
binding is one here, before the compiler stumbles over it.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from tilewright._program.kernel_config import ComputeConfigDescriptor
from tilewright._program.kernel_path import resolve_kernel_path
from tilewright._program.specs.program_spec import (
    ComputeHardwareConfig,
    DataflowBufferSpec,
    DataMovementHardwareConfig,
    DFBEndpointType,
    KernelSpec,
    ProgramSpec,
    ScratchpadSpec,
    SourceCode,
    as_core_ranges,
)
from tilewright._program.specs.source import EntryError, find_entry, used_names
from tilewright._tensor.arch import Arch, ArchDescription
from tilewright._tensor.cores import CoreCoord
from tilewright._tensor.dtype import DataType
from tilewright._wire.data_formats import DataFormat

_UNIQUE = ("kernels", "dataflow_buffers", "semaphores", "scratchpads", "tensor_parameters")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*\Z")
_KEYWORDS = re.compile(
    "alignas|alignof|and|asm|auto|bool|break|case|catch|char|class|concept|const|consteval|constexpr|constinit|"
    "continue|decltype|default|delete|do|double|else|enum|explicit|export|extern|false|float|for|friend|goto|if|"
    "inline|int|long|mutable|namespace|new|noexcept|not|nullptr|operator|or|private|protected|public|register|"
    "requires|return|short|signed|sizeof|static|struct|switch|template|this|throw|true|try|typedef|typename|union|"
    "unsigned|using|virtual|void|volatile|while|xor"
)


def spec_problems(spec: ProgramSpec, arch: ArchDescription | None) -> Iterator[str]:
    """One text per problem of the spec alone."""
    for attribute in _UNIQUE:
        yield from repeated(f"ProgramSpec.{attribute}", [each.unique_id for each in getattr(spec, attribute)])
    yield from _work_unit_problems(spec)
    for kernel in spec.kernels:
        yield from _kernel_problems(spec, kernel, arch)
    yield from _unbound_problems(spec)
    for dfb in spec.dataflow_buffers:
        yield from _buffer_problems(spec, dfb)
    for scratchpad in spec.scratchpads:
        yield from _scratchpad_problems(spec, scratchpad)


def _work_unit_problems(spec: ProgramSpec) -> Iterator[str]:
    if not spec.work_units:
        yield "ProgramSpec.work_units is empty: nothing says on which cores the kernels run"
    known = {kernel.unique_id for kernel in spec.kernels}
    owner: dict[CoreCoord, str] = {}
    for unit in spec.work_units:
        if not unit.kernels:
            yield f"work unit {unit.name} has no kernels"
        for name in unit.kernels:
            if name not in known:
                yield f"work unit {unit.name} has kernel {name!r}, which the program has not; {listed(known)}"
        shared = {owner.setdefault(core, unit.name) for core in as_core_ranges(unit.target_nodes)} - {unit.name}
        for other in sorted(shared):
            yield f"work units {other} and {unit.name} have cores in common"
    for kernel in spec.kernels:
        if not any(kernel.unique_id in unit.kernels for unit in spec.work_units):
            yield f"kernel {kernel.unique_id} is in no work unit"


def _kernel_problems(spec: ProgramSpec, kernel: KernelSpec, arch: ArchDescription | None) -> Iterator[str]:
    where = f"kernel {kernel.unique_id}"
    if kernel.num_threads != 1:
        yield f"{where}: num_threads is {kernel.num_threads}; Wormhole and Blackhole kernels have one thread"
    if isinstance(kernel.hw_config, DataMovementHardwareConfig) and kernel.hw_config.config_1xx is None:
        yield f"{where}: hw_config has no config_1xx; use create_reader_datamovement_config() or its writer twin"
    if isinstance(kernel.hw_config, ComputeConfigDescriptor) and kernel.hw_config.unpack_to_dest_mode:
        yield f"{where}: unpack_to_dest_mode is by CB index; use ComputeHardwareConfig(unpack_modes={{name: mode}})"
    if kernel.semaphore_bindings and is_compute(kernel) and arch is not None and arch.arch is Arch.WORMHOLE_B0:
        yield f"{where}: compute kernels can have semaphores on Blackhole only, not on {arch.name}"
    yield from _reference_problems(spec, kernel)
    yield from _name_problems(kernel)
    yield from _sequence_problems(kernel)
    yield from _unpack_mode_problems(spec, kernel)
    yield from _source_problems(kernel)


def is_compute(kernel: KernelSpec) -> bool:
    return isinstance(kernel.hw_config, (ComputeHardwareConfig, ComputeConfigDescriptor))


class _Named(Protocol):
    unique_id: str


def _reference_problems(spec: ProgramSpec, kernel: KernelSpec) -> Iterator[str]:
    referred: list[tuple[str, list[str], Sequence[_Named]]] = [
        ("dataflow buffer", [b.dfb_spec_name for b in kernel.dfb_bindings], spec.dataflow_buffers),
        ("semaphore", [b.semaphore_spec_name for b in kernel.semaphore_bindings], spec.semaphores),
        ("scratchpad", [b.scratchpad_spec_name for b in kernel.scratchpad_bindings], spec.scratchpads),
        ("tensor parameter", [b.tensor_parameter_name for b in kernel.tensor_bindings], spec.tensor_parameters),
    ]
    for what, names, owners in referred:
        known = {owner.unique_id for owner in owners}
        for name in names:
            if name not in known:
                yield f"kernel {kernel.unique_id} binds {what} {name!r}, which the program has not; {listed(known)}"
    for binding in kernel.dfb_bindings:
        if binding.endpoint_type is DFBEndpointType.RELAY:
            yield f"kernel {kernel.unique_id}: dfb {binding.accessor_name} is a RELAY, which is not simulated"


def bound_names(kernel: KernelSpec) -> dict[str, list[str]]:
    """The names a kernel has, by generated namespace."""
    sequences = [each.sequence_name for each in kernel.advanced_options.tensor_binding_sequences]
    schema = kernel.runtime_arg_schema
    return {
        "args": [*schema.runtime_arg_names, *schema.common_runtime_arg_names, *kernel.compile_time_args],
        "dfb": list(dict.fromkeys(binding.accessor_name for binding in kernel.dfb_bindings)),
        "tensor": [*(binding.accessor_name for binding in kernel.tensor_bindings), *sequences],
        "sem": [binding.accessor_name for binding in kernel.semaphore_bindings],
        "scratch": [binding.accessor_name for binding in kernel.scratchpad_bindings],
    }


def _name_problems(kernel: KernelSpec) -> Iterator[str]:
    for namespace, names in bound_names(kernel).items():
        yield from repeated(f"kernel {kernel.unique_id}: {namespace}", names)
        for name in names:
            if not isinstance(name, str) or not _IDENTIFIER.match(name) or _KEYWORDS.fullmatch(name):
                yield f"kernel {kernel.unique_id}: {namespace} name {name!r} is not a C++ name"
    buffers: dict[str, str] = {}
    ends: Counter[tuple[str, DFBEndpointType]] = Counter()
    for binding in kernel.dfb_bindings:
        first = buffers.setdefault(binding.accessor_name, binding.dfb_spec_name)
        ends[binding.accessor_name, binding.endpoint_type] += 1
        if first != binding.dfb_spec_name:
            yield (
                f"kernel {kernel.unique_id}: dfb::{binding.accessor_name} is two dataflow buffers, {first} and "
                f"{binding.dfb_spec_name}"
            )
    for (name, end), count in ends.items():
        if count > 1:
            yield f"kernel {kernel.unique_id}: dfb::{name} is bound as {end.name} {count} times"


def _sequence_problems(kernel: KernelSpec) -> Iterator[str]:
    known = [binding.accessor_name for binding in kernel.tensor_bindings]
    for sequence in kernel.advanced_options.tensor_binding_sequences:
        for member in sequence.members:
            if member not in known:
                yield (
                    f"kernel {kernel.unique_id}: sequence {sequence.sequence_name} has {member!r}, which is no tensor "
                    f"of this kernel; {listed(known)}"
                )


def _unpack_mode_problems(spec: ProgramSpec, kernel: KernelSpec) -> Iterator[str]:
    config = kernel.hw_config
    if not isinstance(config, ComputeHardwareConfig):
        return
    formats = {dfb.unique_id: data_format(dfb) for dfb in spec.dataflow_buffers}
    bound = {binding.dfb_spec_name for binding in kernel.dfb_bindings}
    for name in config.unpack_modes:
        if name not in bound:
            yield f"kernel {kernel.unique_id}: unpack_modes has {name!r}, which it does not bind; {listed(bound)}"
    for binding in kernel.dfb_bindings:
        name = binding.dfb_spec_name
        undecided = formats.get(name) is DataFormat.Float32 and name not in config.unpack_modes
        if binding.endpoint_type is DFBEndpointType.CONSUMER and config.enable_32_bit_dest and undecided:
            yield (
                f"kernel {kernel.unique_id} consumes {name} (Float32) with enable_32_bit_dest: unpack_modes has to "
                f"say UnpackToSrc or UnpackToDest for it"
            )


def _source_problems(kernel: KernelSpec) -> Iterator[str]:
    where = f"kernel {kernel.unique_id}"
    try:
        source = source_text(kernel)
    except FileNotFoundError as error:
        yield f"{where}: {error}"
        return
    bound = bound_names(kernel)
    compile_time = set(kernel.compile_time_args)
    used = used_names(source, kernel.compiler_options.defines)
    try:
        entry = find_entry(source)
    except EntryError as error:
        yield f"{where}: {error}"
        return
    if entry is not None:
        used["args"] += [p for p in (*entry.template_parameters, *entry.parameters) if p not in used["args"]]
        for name in entry.template_parameters:
            if name in bound["args"] and name not in compile_time:
                yield f"{where}: {name} is a template parameter of {entry.name}, so it must be in compile_time_args"
    if used.pop("pipe"):
        yield f"{where} uses pipe::, and prefetcher pipes are not simulated"
    for namespace, names in used.items():
        known = set(bound[namespace])
        if namespace == "tensor":
            known |= {f"{binding.accessor_name}_t" for binding in kernel.tensor_bindings}
        for name in names:
            if name not in known:
                given = _names(bound[namespace])
                yield f"{where} uses {namespace}::{name}, which is not bound; {namespace} has: {given}"


def source_text(kernel: KernelSpec) -> str:
    """The kernel's C++."""
    if isinstance(kernel.source, SourceCode):
        return kernel.source.code
    return resolve_kernel_path(os.fspath(kernel.source)).read_text(errors="replace")


def _unbound_problems(spec: ProgramSpec) -> Iterator[str]:
    buffers = {binding.dfb_spec_name for kernel in spec.kernels for binding in kernel.dfb_bindings}
    for dfb in spec.dataflow_buffers:
        if dfb.unique_id not in buffers:
            yield f"dataflow buffer {dfb.unique_id} is bound by no kernel"
    scratchpads = {binding.scratchpad_spec_name for kernel in spec.kernels for binding in kernel.scratchpad_bindings}
    for scratchpad in spec.scratchpads:
        if scratchpad.unique_id not in scratchpads:
            yield f"scratchpad {scratchpad.unique_id} is bound by no kernel"
    tensors = {binding.tensor_parameter_name for kernel in spec.kernels for binding in kernel.tensor_bindings}
    tensors |= {dfb.borrowed_from for dfb in spec.dataflow_buffers if dfb.borrowed_from is not None}
    for parameter in spec.tensor_parameters:
        if parameter.unique_id not in tensors:
            yield f"tensor parameter {parameter.unique_id} is bound by no kernel"


def data_format(spec: DataflowBufferSpec | ScratchpadSpec) -> DataFormat | None:
    """The format a spec names, given as a format or as a tensor's dtype."""
    given = spec.data_format_metadata
    return given.data_format if isinstance(given, DataType) else given


def _buffer_problems(spec: ProgramSpec, dfb: DataflowBufferSpec) -> Iterator[str]:
    where = f"dataflow buffer {dfb.unique_id}"
    if not dfb.entry_size or not dfb.num_entries:
        yield f"{where}: entry_size {dfb.entry_size} and num_entries {dfb.num_entries} must both be above 0"
    if dfb.data_format_metadata is None:
        for kernel in spec.kernels:
            if is_compute(kernel) and any(b.dfb_spec_name == dfb.unique_id for b in kernel.dfb_bindings):
                yield f"{where} has no data_format_metadata, and compute kernel {kernel.unique_id} uses it"
    parameters = {parameter.unique_id for parameter in spec.tensor_parameters}
    if dfb.borrowed_from is not None and dfb.borrowed_from not in parameters:
        yield f"{where}: borrowed_from {dfb.borrowed_from!r} is no tensor parameter; {listed(parameters)}"
    yield from _endpoint_problems(spec, dfb)
    yield from _alias_problems(spec, dfb)


def _endpoint_problems(spec: ProgramSpec, dfb: DataflowBufferSpec) -> Iterator[str]:
    ends: dict[DFBEndpointType, Counter[CoreCoord]] = {end: Counter() for end in DFBEndpointType}
    for kernel in spec.kernels:
        for binding in kernel.dfb_bindings:
            if binding.dfb_spec_name == dfb.unique_id:
                ends[binding.endpoint_type].update(spec.cores_of(kernel.unique_id))
    for end in (DFBEndpointType.PRODUCER, DFBEndpointType.CONSUMER):
        counts = {core: ends[end][core] for core in spec.cores_of_buffer(dfb.unique_id)}
        word = end.name.lower()
        missing = [core for core, count in counts.items() if count == 0]
        if missing:
            yield f"dataflow buffer {dfb.unique_id} has no {word} on core {missing[0]}{and_more(missing)}"
        many = [core for core, count in counts.items() if count > 1]
        if many and not dfb.advanced_options.allow_instance_multi_binding:
            yield (
                f"dataflow buffer {dfb.unique_id} has {counts[many[0]]} {word}s on core {many[0]}{and_more(many)}; "
                "allow_instance_multi_binding permits that"
            )


def _alias_problems(spec: ProgramSpec, dfb: DataflowBufferSpec) -> Iterator[str]:
    buffers = {each.unique_id: each for each in spec.dataflow_buffers}
    where = f"dataflow buffer {dfb.unique_id}"
    group = {dfb.unique_id, *dfb.advanced_options.alias_with}
    for name in dfb.advanced_options.alias_with:
        other = buffers.get(name)
        if other is None or name == dfb.unique_id:
            yield f"{where}: alias_with has {name!r}, which is no other dataflow buffer; {listed(buffers)}"
        elif {name, *other.advanced_options.alias_with} != group:
            yield f"{where} and {name} share memory, so each must list all others of the group in alias_with"
        elif other.entry_size * other.num_entries != dfb.entry_size * dfb.num_entries:
            yield f"{where} and {name} share memory but have different sizes"
        elif set(spec.cores_of_buffer(name)) != set(spec.cores_of_buffer(dfb.unique_id)):
            yield f"{where} and {name} share memory but are on different cores"


def _scratchpad_problems(spec: ProgramSpec, scratchpad: ScratchpadSpec) -> Iterator[str]:
    if scratchpad.size_per_node <= 0:
        yield f"scratchpad {scratchpad.unique_id}: size_per_node is {scratchpad.size_per_node}"
    owner: dict[CoreCoord, str] = {}
    for kernel in spec.kernels:
        if any(binding.scratchpad_spec_name == scratchpad.unique_id for binding in kernel.scratchpad_bindings):
            shared = [
                c for c in spec.cores_of(kernel.unique_id) if owner.setdefault(c, kernel.unique_id) != kernel.unique_id
            ]
            if shared:
                yield (
                    f"scratchpad {scratchpad.unique_id} belongs to one kernel per core, but {owner[shared[0]]} and "
                    f"{kernel.unique_id} both have it on core {shared[0]}{and_more(shared)}"
                )


def repeated(where: str, names: Iterable[str]) -> Iterator[str]:
    for name, count in Counter(names).items():
        if count > 1:
            yield f"{where} has {name!r} {count} times"


def listed(names: Iterable[str]) -> str:
    return f"it has: {_names(names)}"


def _names(names: Iterable[str]) -> str:
    return ", ".join(names) or "nothing"


def and_more(cores: list[CoreCoord]) -> str:
    return f" and {len(cores) - 1} more" if len(cores) > 1 else ""
