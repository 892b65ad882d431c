# SPDX-License-Identifier: Apache-2.0
"""Whether everything in a program spec and in the arguments of a run is of the type its place takes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from tilewright._program.kernel_config import (
    ComputeConfigDescriptor,
    DataMovementConfigDescriptor,
    ReaderConfigDescriptor,
    WriterConfigDescriptor,
)
from tilewright._program.specs.program_spec import (
    CompilerOptions,
    ComputeHardwareConfig,
    DataflowBufferSpec,
    DataMovementHardwareConfig,
    DFBBinding,
    DFBEndpointType,
    KernelAdvancedOptions,
    KernelSpec,
    ProgramSpec,
    RuntimeArgSchema,
    ScratchpadBinding,
    ScratchpadSpec,
    SemaphoreBinding,
    SemaphoreSpec,
    SourceCode,
    TensorBinding,
    TensorParameter,
    WorkUnitSpec,
)
from tilewright._program.specs.run_args import DFBRunOverrides, KernelRunArgs, ProgramRunArgs
from tilewright._program.specs.tensors import ForeignTensorArgument
from tilewright._tensor.dtype import DataType
from tilewright._tensor.tensor import Tensor
from tilewright._wire.data_formats import DataFormat

_LIST_TYPES: dict[str, type] = {
    "kernels": KernelSpec,
    "dataflow_buffers": DataflowBufferSpec,
    "semaphores": SemaphoreSpec,
    "scratchpads": ScratchpadSpec,
    "tensor_parameters": TensorParameter,
    "work_units": WorkUnitSpec,
}
_BINDING_TYPES: dict[str, type] = {
    "dfb_bindings": DFBBinding,
    "semaphore_bindings": SemaphoreBinding,
    "scratchpad_bindings": ScratchpadBinding,
    "tensor_bindings": TensorBinding,
}
_CONFIG_TYPES = (
    DataMovementHardwareConfig,
    ComputeHardwareConfig,
    ReaderConfigDescriptor,
    WriterConfigDescriptor,
    DataMovementConfigDescriptor,
    ComputeConfigDescriptor,
)


def require_types(spec: ProgramSpec, run_args: ProgramRunArgs) -> None:
    """TypeError naming the first thing that is not what its place takes."""
    _require("spec", spec, ProgramSpec)
    _require("run_args", run_args, ProgramRunArgs)
    for attribute, kind in _LIST_TYPES.items():
        _require_each(f"ProgramSpec.{attribute}", getattr(spec, attribute), kind)
    for kernel in spec.kernels:
        where = f"kernel {kernel.unique_id}: "
        for attribute, kind in _BINDING_TYPES.items():
            _require_each(where + attribute, getattr(kernel, attribute), kind)
        _require(where + "source", kernel.source, (str, SourceCode, os.PathLike))
        _require(where + "hw_config", kernel.hw_config, _CONFIG_TYPES)
        _require(where + "compiler_options", kernel.compiler_options, CompilerOptions)
        _require(where + "compiler_options.defines", kernel.compiler_options.defines, Mapping)
        _require(where + "compile_time_args", kernel.compile_time_args, Mapping)
        _require(where + "runtime_arg_schema", kernel.runtime_arg_schema, RuntimeArgSchema)
        _require(where + "advanced_options", kernel.advanced_options, KernelAdvancedOptions)
        for binding in kernel.dfb_bindings:
            _require(where + f"endpoint_type of {binding.accessor_name}", binding.endpoint_type, DFBEndpointType)
    formats = {dfb.unique_id: dfb.data_format_metadata for dfb in spec.dataflow_buffers}
    formats.update({scratchpad.unique_id: scratchpad.data_format_metadata for scratchpad in spec.scratchpads})
    for name, data_format in formats.items():
        _require(f"{name}: data_format_metadata", data_format, (DataFormat, DataType, type(None)))
    for parameter in spec.tensor_parameters:
        _require(f"tensor parameter {parameter.unique_id}: spec", parameter.spec, (Tensor, type(None)))
    _require_each("ProgramRunArgs.kernel_run_args", run_args.kernel_run_args, KernelRunArgs)
    _require_each("ProgramRunArgs.dfb_run_overrides", run_args.dfb_run_overrides, DFBRunOverrides)
    for name, tensor in run_args.tensor_args.items():
        if not isinstance(tensor, ForeignTensorArgument):
            _require(f"ProgramRunArgs.tensor_args[{name!r}]", tensor, Tensor)


def _require_each(where: str, values: Iterable[Any], kind: type) -> None:
    if isinstance(values, (str, Mapping)) or not isinstance(values, Iterable):
        raise TypeError(f"{where} must be a list of {kind.__name__}, not {values!r}")
    for position, value in enumerate(values):
        _require(f"{where}[{position}]", value, kind)


def _require(where: str, value: object, kind: Any) -> None:
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if not isinstance(value, kinds):
        allowed = ", ".join("None" if each is type(None) else each.__name__ for each in kinds)
        raise TypeError(f"{where} must be {'one of ' if len(kinds) > 1 else 'a '}{allowed}, not {value!r}")
