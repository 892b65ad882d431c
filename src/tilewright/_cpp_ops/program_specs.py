# SPDX-License-Identifier: Apache-2.0
"""Program specs that host code recorded, lowered to ttnn's program descriptors."""

from __future__ import annotations

from typing import Any

from tilewright import metal2
from tilewright._cpp_ops.descriptions import Descriptions
from tilewright._cpp_ops.errors import CppOperationError
from tilewright._cpp_ops.lowered_programs import recorded_program
from tilewright._cpp_ops.programs import FindKernel, program_descriptor
from tilewright._program import CoreCoord, CoreRange, CoreRangeSet
from tilewright._program.errors import ProgramError
from tilewright._program.kernel import KernelBuildOptLevel
from tilewright._program.kernel_config import NOC, NOC_MODE, DataMovementProcessor, MathFidelity
from tilewright._program.specs.tensors import ForeignTensorArgument
from tilewright._tensor.arch import describe_arch
from tilewright._tensor.dtype import DataType
from tilewright._tensor.tensor import Tensor
from tilewright._tensor.tile import Tile
from tilewright._wire.data_formats import DataFormat


def spec_program(
    operation: str,
    spec: list[Any],
    run_args: list[Any],
    to: Descriptions,
    find_kernel: FindKernel,
) -> Any:
    """The program of a recorded spec and the arguments of one run, in the descriptors of the tensors' ttnn."""
    given = {name: to.objects.get(handle) for name, handle in run_args[1]}
    ours = all(isinstance(tensor, Tensor) for tensor in given.values())
    tensors = given if ours else {name: _foreign_tensor(tensor, to) for name, tensor in given.items()}
    try:
        program = metal2.lower(_spec(spec, find_kernel), _run_args(run_args, tensors))
    except (ProgramError, TypeError) as error:
        raise CppOperationError(f"{operation}: its program spec is not valid: {error}") from error
    return program if ours else program_descriptor(recorded_program(program), list(given.values()), to, str)


def _foreign_tensor(tensor: Any, to: Descriptions) -> ForeignTensorArgument:
    """A tensor of the published ttnn as the lowering reads it."""
    accessor = to.ttnn.TensorAccessorArgs(tensor)
    return ForeignTensorArgument(
        data_format=DataType[tensor.dtype.name].data_format,
        tile=Tile(list(map(int, tensor.tile.tile_shape))),
        address=int(tensor.buffer_address()),
        accessor_compile_time_args=tuple(accessor.get_compile_time_args()),
        accessor_common_runtime_args=tuple(accessor.get_common_runtime_args()),
        arch=describe_arch(tensor.device().arch().name.lower()),
    )


def _spec(value: list[Any], find_kernel: FindKernel) -> metal2.ProgramSpec:
    name, kernels, dfbs, semaphores, scratchpads, tensors, units = value
    return metal2.ProgramSpec(
        name=name or "program",
        kernels=[_kernel(kernel, find_kernel) for kernel in kernels],
        dataflow_buffers=[_dataflow_buffer(dfb) for dfb in dfbs],
        semaphores=[
            metal2.SemaphoreSpec(unique_id, _nodes(nodes), metal2.SemaphoreAdvancedOptions(initial))
            for unique_id, nodes, initial in semaphores
        ],
        scratchpads=[
            metal2.ScratchpadSpec(unique_id, size, _data_format(form), _tile(tile))
            for unique_id, size, form, tile in scratchpads
        ],
        tensor_parameters=[metal2.TensorParameter(unique_id) for unique_id in tensors],
        work_units=[metal2.WorkUnitSpec(unit, kernels, _nodes(nodes)) for unit, kernels, nodes in units],
    )


def _nodes(value: list[Any]) -> CoreRangeSet:
    return CoreRangeSet([CoreRange(CoreCoord(*each[1:3]), CoreCoord(*each[3:5])) for each in value[1:]])


def _data_format(name: str | None) -> DataFormat | None:
    return None if name is None else DataFormat[name]


def _tile(value: list[Any] | None) -> Tile | None:
    return None if value is None else Tile((value[1], value[2]))


def _dataflow_buffer(value: list[Any]) -> metal2.DataflowBufferSpec:
    unique_id, entry_size, entries, form, tile, borrowed, alias_with, multi = value
    return metal2.DataflowBufferSpec(
        unique_id=unique_id,
        entry_size=entry_size,
        num_entries=entries,
        data_format_metadata=_data_format(form),
        tile_format_metadata=_tile(tile),
        borrowed_from=borrowed,
        advanced_options=metal2.DFBAdvancedOptions(alias_with, multi),
    )


def _kernel(value: list[Any], find_kernel: FindKernel) -> metal2.KernelSpec:
    (
        unique_id, source, is_code, threads, options, dfbs, semaphores, scratchpads, tensors, compile_args, names,
        common_names, hardware, advanced,
    ) = value  # fmt: skip
    paths, defines, opt_level = options
    varargs, common_varargs, per_node, compile_varargs, sequences = advanced
    return metal2.KernelSpec(
        unique_id=unique_id,
        source=metal2.SourceCode(source) if is_code else find_kernel(source),
        hw_config=_hardware(hardware),
        num_threads=threads,
        compiler_options=metal2.CompilerOptions(paths, dict(defines), KernelBuildOptLevel[opt_level]),
        dfb_bindings=[
            metal2.DFBBinding(name, accessor, metal2.DFBEndpointType[endpoint]) for name, accessor, endpoint in dfbs
        ],
        semaphore_bindings=[metal2.SemaphoreBinding(*each) for each in semaphores],
        scratchpad_bindings=[metal2.ScratchpadBinding(*each) for each in scratchpads],
        tensor_bindings=[metal2.TensorBinding(*each) for each in tensors],
        compile_time_args=dict(compile_args),
        runtime_arg_schema=metal2.RuntimeArgSchema(names, common_names),
        advanced_options=metal2.KernelAdvancedOptions(
            num_runtime_varargs=varargs,
            num_common_runtime_varargs=common_varargs,
            num_runtime_varargs_per_node={core: count for nodes, count in per_node for core in _cores(_nodes(nodes))},
            compile_time_varargs=compile_varargs,
            tensor_binding_sequences=[metal2.TensorBindingSequence(*each) for each in sequences],
        ),
    )


def _cores(ranges: CoreRangeSet) -> list[CoreCoord]:
    return [
        CoreCoord(x, y)
        for each in ranges.ranges()
        for y in range(each.start.y, each.end.y + 1)
        for x in range(each.start.x, each.end.x + 1)
    ]


def _hardware(value: list[Any]) -> metal2.DataMovementHardwareConfig | metal2.ComputeHardwareConfig:
    if value[0] == "data_movement":
        _, processor, noc, mode = value
        placed = metal2.DataMovement1XXConfig(DataMovementProcessor[processor], NOC[noc], NOC_MODE[mode])
        return metal2.DataMovementHardwareConfig(placed)
    _, fidelity, precision, wide, double, modes, precise = value
    packing = metal2.Precision.Precise if precise else metal2.Precision.Approximate
    return metal2.ComputeHardwareConfig(
        fpu_math_fidelity=MathFidelity[fidelity],
        sfpu_precision_mode=metal2.Precision[precision],
        enable_32_bit_dest=wide,
        double_buffer_dest=double,
        unpack_modes={name: metal2.UnpackMode[mode] for name, mode in modes},
        config_1xx=metal2.Compute1XXConfig(packing),
    )


def _run_args(value: list[Any], tensors: dict[str, Any]) -> metal2.ProgramRunArgs:
    kernels, _, overrides = value
    return metal2.ProgramRunArgs(
        kernel_run_args=[_kernel_run_args(kernel) for kernel in kernels],
        tensor_args=tensors,
        dfb_run_overrides=[metal2.DFBRunOverrides(*each) for each in overrides],
    )


def _kernel_run_args(value: list[Any]) -> metal2.KernelRunArgs:
    kernel, values, common, varargs, common_varargs = value
    return metal2.KernelRunArgs(
        kernel=kernel,
        runtime_arg_values={name: {CoreCoord(*core): word for core, word in by_core} for name, by_core in values},
        common_runtime_arg_values=dict(common),
        advanced_options=metal2.AdvancedKernelRunArgs(
            {CoreCoord(*core): words for core, words in varargs}, common_varargs
        ),
    )
