# SPDX-License-Identifier: Apache-2.0
"""Mistakes in the arguments of one run of a program spec."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tilewright._program.specs.problems import and_more, listed, repeated
from tilewright._program.specs.program_spec import KernelSpec, ProgramSpec
from tilewright._program.specs.run_args import KernelRunArgs, ProgramRunArgs
from tilewright._program.specs.tensors import ForeignTensorArgument
from tilewright._tensor.cores import CoreCoord, as_core
from tilewright._tensor.tensor import Tensor


def run_args_problems(spec: ProgramSpec, run_args: ProgramRunArgs) -> Iterator[str]:
    """One text per argument that is missing, not wanted or not fitting."""
    kernels = {kernel.unique_id: kernel for kernel in spec.kernels}
    yield from repeated("ProgramRunArgs.kernel_run_args", [each.kernel for each in run_args.kernel_run_args])
    for each in run_args.kernel_run_args:
        if each.kernel not in kernels:
            yield f"kernel_run_args has kernel {each.kernel!r}, which the program has not; {listed(kernels)}"
    for kernel in spec.kernels:
        yield from _argument_problems(spec, kernel, run_args.of_kernel(kernel.unique_id))
    yield from _tensor_argument_problems(spec, run_args)
    buffers = {dfb.unique_id for dfb in spec.dataflow_buffers}
    yield from repeated("ProgramRunArgs.dfb_run_overrides", [each.dfb for each in run_args.dfb_run_overrides])
    for override in run_args.dfb_run_overrides:
        if override.dfb not in buffers:
            yield f"dfb_run_overrides has {override.dfb!r}, which the program has not; {listed(buffers)}"
        if override.entry_size == 0 or override.num_entries == 0:
            yield f"dfb_run_overrides: sizes of {override.dfb} must be above 0"


def _argument_problems(spec: ProgramSpec, kernel: KernelSpec, given: KernelRunArgs) -> Iterator[str]:
    where, schema = f"kernel {kernel.unique_id}", kernel.runtime_arg_schema
    yield from _key_problems(f"{where}: runtime_arg_values", given.runtime_arg_values, schema.runtime_arg_names)
    yield from _key_problems(
        f"{where}: common_runtime_arg_values", given.common_runtime_arg_values, schema.common_runtime_arg_names
    )
    cores = set(spec.cores_of(kernel.unique_id))
    for name in schema.runtime_arg_names:
        if name in given.runtime_arg_values:
            nodes = {as_core(node) for node in given.runtime_arg_values[name]}
            yield from _node_problems(f"{where}: {name}", nodes, cores)
    wanted = vararg_counts(spec, kernel)
    varargs = {as_core(node): values for node, values in given.advanced_options.runtime_varargs.items()}
    foreign = sorted(set(varargs) - cores, key=_row_major)
    if foreign:
        yield f"{where}: runtime_varargs for core {foreign[0]}{and_more(foreign)}, where it does not run"
    for core in sorted(cores, key=_row_major):
        if len(varargs.get(core, ())) != wanted[core]:
            yield f"{where}: {len(varargs.get(core, ()))} runtime_varargs for core {core}, not {wanted[core]}"
            break
    common, count = given.advanced_options.common_runtime_varargs, kernel.advanced_options.num_common_runtime_varargs
    if len(common) != count:
        yield f"{where}: {len(common)} common_runtime_varargs, not {count}"


def vararg_counts(spec: ProgramSpec, kernel: KernelSpec) -> dict[CoreCoord, int]:
    """How many arguments without a name each core of ``kernel`` gets."""
    options = kernel.advanced_options
    own = {as_core(node): count for node, count in options.num_runtime_varargs_per_node.items()}
    return {core: own.get(core, options.num_runtime_varargs) for core in spec.cores_of(kernel.unique_id)}


def _key_problems(where: str, given: Mapping[str, object], wanted: Iterable[str]) -> Iterator[str]:
    names = list(wanted)
    for name in names:
        if name not in given:
            yield f"{where} has no value for {name!r}"
    for name in given:
        if name not in names:
            yield f"{where} has {name!r}, which the kernel's schema has not; {listed(names)}"


def _node_problems(where: str, given: set[CoreCoord], cores: set[CoreCoord]) -> Iterator[str]:
    missing, foreign = sorted(cores - given, key=_row_major), sorted(given - cores, key=_row_major)
    if missing:
        yield f"{where} has no value for core {missing[0]}{and_more(missing)}"
    if foreign:
        yield f"{where} has a value for core {foreign[0]}{and_more(foreign)}, where the kernel does not run"


def _tensor_argument_problems(spec: ProgramSpec, run_args: ProgramRunArgs) -> Iterator[str]:
    yield from _key_problems(
        "tensor_args", run_args.tensor_args, [parameter.unique_id for parameter in spec.tensor_parameters]
    )
    for parameter in spec.tensor_parameters:
        tensor = run_args.tensor_args.get(parameter.unique_id)
        if tensor is None or isinstance(tensor, ForeignTensorArgument):
            continue
        if tensor.device() is None or not tensor.is_allocated():
            yield f"tensor_args[{parameter.unique_id!r}] is not on a device"
        elif parameter.spec is not None:
            for what, wanted, given in _differences(parameter.spec, tensor):
                yield f"tensor_args[{parameter.unique_id!r}] has {what} {given}, the program's parameter {wanted}"


def _differences(wanted: Tensor, given: Tensor) -> Iterator[tuple[str, object, object]]:
    pairs = [
        ("shape", wanted.shape, given.shape),
        ("dtype", wanted.dtype, given.dtype),
        ("layout", wanted.layout, given.layout),
        ("memory_config", wanted.memory_config(), given.memory_config()),
    ]
    return ((what, first, second) for what, first, second in pairs if first != second)


def _row_major(core: CoreCoord) -> tuple[int, int]:
    return core.y, core.x
