# SPDX-License-Identifier: Apache-2.0
"""Programs whose kernels name what they use: upstream's program spec.

Kernels written for it say ``get_arg(args::num_tiles)``, ``DataflowBuffer(dfb::in)``, ``TensorAccessor(tensor::src)``
instead of counting indices. A spec says which names each kernel has and what is behind them; ``ProgramRunArgs`` gives
the values of one run; ``lower`` (spec_lower.py) turns both into an ordinary ``ProgramDescriptor``.

Names and fields are those of upstream's C++ structs. Where C++ says ``.source = "reader.cpp"``, Python says
``source="reader.cpp"``; lists of a spec may be appended to until it is lowered.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from tilewright._program.circular_buffer import TileDescriptor
from tilewright._program.kernel import KernelBuildOptLevel
from tilewright._program.kernel_config import (
    NOC,
    NOC_MODE,
    DataMovementProcessor,
    KernelConfig,
    MathFidelity,
    ReaderConfigDescriptor,
    WriterConfigDescriptor,
)
from tilewright._tensor.cores import CoreCoord, CoreRange, CoreRangeSet
from tilewright._tensor.dtype import DataType
from tilewright._tensor.tensor import Tensor
from tilewright._tensor.tile import Tile
from tilewright._wire.data_formats import DataFormat

Nodes: TypeAlias = CoreCoord | tuple[int, int] | CoreRange | CoreRangeSet


class Precision(Enum):
    Approximate = 0
    Precise = 1


class UnpackMode(Enum):
    """Where a compute kernel unpacks a dataflow buffer to: the source registers, or straight into DST."""

    UnpackToSrc = 0
    UnpackToDest = 1


@dataclass
class DataMovement1XXConfig:
    """Processor and NoC of a data-movement kernel on Wormhole and Blackhole."""

    processor: DataMovementProcessor = DataMovementProcessor.RISCV_0
    noc: NOC = NOC.RISCV_0_default
    noc_mode: NOC_MODE = NOC_MODE.DM_DEDICATED_NOC


@dataclass
class DataMovementHardwareConfig:
    config_1xx: DataMovement1XXConfig | None = None


def create_reader_datamovement_config() -> DataMovementHardwareConfig:
    """Where readers usually run: NCRISC, NoC 0."""
    usual = ReaderConfigDescriptor()
    return DataMovementHardwareConfig(DataMovement1XXConfig(usual.processor, usual.noc, usual.noc_mode))


def create_writer_datamovement_config() -> DataMovementHardwareConfig:
    """Where writers usually run: BRISC, NoC 1."""
    usual = WriterConfigDescriptor()
    return DataMovementHardwareConfig(DataMovement1XXConfig(usual.processor, usual.noc, usual.noc_mode))


@dataclass
class Compute1XXConfig:
    bfp_pack_precision_mode: Precision = Precision.Approximate


@dataclass
class ComputeHardwareConfig:
    """How a compute kernel calculates. ``unpack_modes`` is by name of the dataflow buffer."""

    fpu_math_fidelity: MathFidelity = MathFidelity.HiFi4
    sfpu_precision_mode: Precision = Precision.Precise
    enable_32_bit_dest: bool = False
    double_buffer_dest: bool = True
    unpack_modes: dict[str, UnpackMode] = field(default_factory=dict)
    config_1xx: Compute1XXConfig | None = None


HardwareConfig: TypeAlias = DataMovementHardwareConfig | ComputeHardwareConfig | KernelConfig


@dataclass
class DFBAdvancedOptions:
    """``alias_with``: buffers that share this one's memory; each of them has to list all the others."""

    alias_with: list[str] = field(default_factory=list)
    allow_instance_multi_binding: bool = False


@dataclass
class DataflowBufferSpec:
    """A buffer between a producer and a consumer kernel, on every core the two run on.

    With ``borrowed_from`` it is the L1 memory of that tensor parameter.
    """

    unique_id: str
    entry_size: int = 0
    num_entries: int = 0
    data_format_metadata: DataFormat | DataType | None = None
    tile_format_metadata: Tile | TileDescriptor | None = None
    borrowed_from: str | None = None
    advanced_options: DFBAdvancedOptions = field(default_factory=DFBAdvancedOptions)


@dataclass
class ScratchpadSpec:
    """``size_per_node`` bytes of L1 for one kernel alone, on every core that kernel runs on."""

    unique_id: str
    size_per_node: int = 0
    data_format_metadata: DataFormat | DataType | None = None
    tile_format_metadata: Tile | TileDescriptor | None = None


@dataclass
class SemaphoreAdvancedOptions:
    initial_value: int = 0


@dataclass
class SemaphoreSpec:
    unique_id: str
    target_nodes: Nodes
    advanced_options: SemaphoreAdvancedOptions = field(default_factory=SemaphoreAdvancedOptions)


@dataclass
class TensorParameter:
    """A tensor the program works on; each run names it.

    ``spec`` is a tensor the argument has to be like (shape, dtype, layout, memory config). Without one any will do.
    """

    unique_id: str
    spec: Tensor | None = None


class DFBEndpointType(Enum):
    PRODUCER = 0
    CONSUMER = 1
    RELAY = 2


@dataclass
class DFBBinding:
    """``dfb::<accessor_name>`` in the kernel is this dataflow buffer. A kernel may be both its ends."""

    dfb_spec_name: str
    accessor_name: str
    endpoint_type: DFBEndpointType


@dataclass
class TensorBinding:
    """``tensor::<accessor_name>`` in the kernel is this tensor parameter."""

    tensor_parameter_name: str
    accessor_name: str


@dataclass
class SemaphoreBinding:
    """``sem::<accessor_name>`` in the kernel is this semaphore."""

    semaphore_spec_name: str
    accessor_name: str


@dataclass
class ScratchpadBinding:
    """``scratch::<accessor_name>`` in the kernel is this scratchpad."""

    scratchpad_spec_name: str
    accessor_name: str


@dataclass
class TensorBindingSequence:
    """``tensor::<sequence_name>`` is a ``std::tuple`` of the kernel's tensor tokens, in the order of ``members``."""

    sequence_name: str
    members: Sequence[str]


@dataclass
class KernelAdvancedOptions:
    """Arguments without names: ``get_vararg(i)``, ``get_common_vararg(i)``, ``get_compile_time_vararg(i)``."""

    num_runtime_varargs: int = 0
    num_common_runtime_varargs: int = 0
    num_runtime_varargs_per_node: Mapping[CoreCoord | tuple[int, int], int] = field(default_factory=dict)
    compile_time_varargs: Sequence[int] = ()
    tensor_binding_sequences: list[TensorBindingSequence] = field(default_factory=list)


@dataclass
class RuntimeArgSchema:
    """Names of the arguments whose values come with each run: per core, and common to all cores."""

    runtime_arg_names: Sequence[str] = ()
    common_runtime_arg_names: Sequence[str] = ()


@dataclass
class CompilerOptions:
    include_paths: Sequence[str | os.PathLike[str]] = ()
    defines: Mapping[str, str] = field(default_factory=dict)
    opt_level: KernelBuildOptLevel | None = None


@dataclass
class SourceCode:
    """A kernel given as text. A plain string as ``KernelSpec.source`` is a path."""

    code: str


@dataclass
class KernelSpec:
    """One kernel and the names it uses.

    Example::

        KernelSpec(
            unique_id="reader",
            source="reader.cpp",
            dfb_bindings=[DFBBinding("in", accessor_name="in", endpoint_type=DFBEndpointType.PRODUCER)],
            tensor_bindings=[TensorBinding("input", accessor_name="src")],
            runtime_arg_schema=RuntimeArgSchema(runtime_arg_names=["num_pages", "start_id"]),
            hw_config=create_reader_datamovement_config(),
        )

    ``hw_config`` also takes ttnn's config descriptors (``ReaderConfigDescriptor()`` and the others).
    """

    unique_id: str
    source: str | os.PathLike[str] | SourceCode
    hw_config: HardwareConfig
    num_threads: int = 1
    compiler_options: CompilerOptions = field(default_factory=CompilerOptions)
    dfb_bindings: list[DFBBinding] = field(default_factory=list)
    semaphore_bindings: list[SemaphoreBinding] = field(default_factory=list)
    scratchpad_bindings: list[ScratchpadBinding] = field(default_factory=list)
    tensor_bindings: list[TensorBinding] = field(default_factory=list)
    compile_time_args: Mapping[str, int] = field(default_factory=dict)
    runtime_arg_schema: RuntimeArgSchema = field(default_factory=RuntimeArgSchema)
    advanced_options: KernelAdvancedOptions = field(default_factory=KernelAdvancedOptions)


@dataclass
class WorkUnitSpec:
    """Kernels that run together on ``target_nodes``. Work units of a program have no core in common."""

    name: str
    kernels: list[str]
    target_nodes: Nodes


@dataclass
class ProgramSpec:
    name: str = "program"
    kernels: list[KernelSpec] = field(default_factory=list)
    dataflow_buffers: list[DataflowBufferSpec] = field(default_factory=list)
    semaphores: list[SemaphoreSpec] = field(default_factory=list)
    scratchpads: list[ScratchpadSpec] = field(default_factory=list)
    tensor_parameters: list[TensorParameter] = field(default_factory=list)
    work_units: list[WorkUnitSpec] = field(default_factory=list)

    def cores_of(self, kernel: str) -> CoreRangeSet:
        """The cores of every work unit ``kernel`` is in."""
        return _union(as_core_ranges(unit.target_nodes) for unit in self.work_units if kernel in unit.kernels)

    def cores_of_buffer(self, dfb: str) -> CoreRangeSet:
        """A dataflow buffer is on all cores of the kernels bound to it."""
        return _union(self.cores_of(kernel.unique_id) for kernel in self.kernels if _binds_buffer(kernel, dfb))

    def cores_of_scratchpad(self, scratchpad: str) -> CoreRangeSet:
        return _union(
            self.cores_of(kernel.unique_id) for kernel in self.kernels if _binds_scratchpad(kernel, scratchpad)
        )


def _union(parts: Iterable[CoreRangeSet]) -> CoreRangeSet:
    cores = CoreRangeSet([])
    for part in parts:
        if cores.empty():
            cores = part
        elif part != cores:  # merging is slow, and the kernels of a program mostly run on the same cores
            cores = cores.merge(part)
    return cores


def as_core_ranges(nodes: Nodes) -> CoreRangeSet:
    """``target_nodes`` of a spec: one core, a rectangle, or a set of rectangles."""
    if isinstance(nodes, CoreRangeSet):
        return nodes
    if isinstance(nodes, CoreRange):
        return CoreRangeSet([nodes])
    if isinstance(nodes, (CoreCoord, tuple)):
        return CoreRangeSet([CoreRange(nodes, nodes)])
    raise TypeError(f"target_nodes must be a CoreCoord, CoreRange or CoreRangeSet, not {nodes!r}")


def _binds_buffer(kernel: KernelSpec, dfb: str) -> bool:
    return any(binding.dfb_spec_name == dfb for binding in kernel.dfb_bindings)


def _binds_scratchpad(kernel: KernelSpec, scratchpad: str) -> bool:
    return any(binding.scratchpad_spec_name == scratchpad for binding in kernel.scratchpad_bindings)
