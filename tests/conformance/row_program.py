# SPDX-License-Identifier: Apache-2.0
"""Programs of a reader, a compute kernel and a writer that share out rows of tiles, written as a program spec."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.conformance.programs import split_work
from tilewright import ttnn
from tilewright._program.specs.lower import lower
from tilewright._program.specs.program_spec import (
    CompilerOptions,
    ComputeHardwareConfig,
    DataflowBufferSpec,
    DFBBinding,
    DFBEndpointType,
    HardwareConfig,
    KernelSpec,
    ProgramSpec,
    RuntimeArgSchema,
    TensorBinding,
    TensorParameter,
    UnpackMode,
    WorkUnitSpec,
)
from tilewright._program.specs.run_args import AddRuntimeArgsForNode, KernelRunArgs, ProgramRunArgs

Buffers = Mapping[str, tuple[ttnn.DataType, int]]  # format and number of tiles


@dataclass(frozen=True)
class RowKernel:
    """A kernel and the names it uses: ``dfb::`` as the buffers are called, ``tensor::`` as the tensors are.

    ``runtime`` gives each argument as a function of a core's number of rows and its first row.
    """

    source: Path
    produces: Sequence[str] = ()
    consumes: Sequence[str] = ()
    tensors: Mapping[str, ttnn.Tensor] = field(default_factory=dict)
    compile_time: Mapping[str, int] = field(default_factory=dict)
    runtime: Mapping[str, Callable[[int, int], int]] = field(default_factory=dict)
    defines: Mapping[str, str] = field(default_factory=dict)

    def spec(self, name: str, config: HardwareConfig, buffers: Buffers) -> KernelSpec:
        ends = ((self.produces, DFBEndpointType.PRODUCER), (self.consumes, DFBEndpointType.CONSUMER))
        return KernelSpec(
            name,
            self.source,
            config,
            compiler_options=CompilerOptions(defines=self.defines),
            dfb_bindings=[DFBBinding(each, each, end) for names, end in ends for each in names if each in buffers],
            tensor_bindings=[TensorBinding(each, each) for each in self.tensors],
            compile_time_args=self.compile_time,
            runtime_arg_schema=RuntimeArgSchema(list(self.runtime)),
        )


def run_rows(
    reader: RowKernel,
    compute: RowKernel,
    writer: RowKernel,
    buffers: Buffers,
    cores: ttnn.CoreRangeSet,
    rows: int,
    *,
    wide_dst: bool,
) -> None:
    """Shares out ``rows`` rows of tiles over ``cores`` and runs. Float32 buffers go through the source registers."""
    used, work = split_work(cores, rows)
    through_src = {name: UnpackMode.UnpackToSrc for name in compute.consumes if name in buffers}
    arithmetic = ComputeHardwareConfig(enable_32_bit_dest=wide_dst, unpack_modes=through_src)
    kernels = {"reader": reader, "compute": compute, "writer": writer}
    configs = {"reader": ttnn.ReaderConfigDescriptor(), "compute": arithmetic, "writer": ttnn.WriterConfigDescriptor()}
    tensors = {**reader.tensors, **writer.tensors}
    spec = ProgramSpec(
        reader.source.stem,
        kernels=[kernel.spec(name, configs[name], buffers) for name, kernel in kernels.items()],
        dataflow_buffers=[
            DataflowBufferSpec(name, entry_size=ttnn.tile_size(dtype), num_entries=count, data_format_metadata=dtype)
            for name, (dtype, count) in buffers.items()
        ],
        tensor_parameters=[TensorParameter(name) for name in tensors],
        work_units=[WorkUnitSpec("rows", list(kernels), used)],
    )
    run_args = ProgramRunArgs([KernelRunArgs(name) for name in kernels], dict(tensors))
    for core, count, first in work:
        for name, kernel in kernels.items():
            values = {argument: value(count, first) for argument, value in kernel.runtime.items()}
            AddRuntimeArgsForNode(run_args.of_kernel(name).runtime_arg_values, core, values)
    ttnn.generic_op(list(tensors.values()), lower(spec, run_args))
