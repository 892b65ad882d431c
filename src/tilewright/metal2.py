# SPDX-License-Identifier: Apache-2.0
"""Programs for kernels with named bindings (``args::``, ``dfb::``, ``tensor::``, ``sem::``, ``scratch::``).

The names are those of tt-metal's experimental program specs. A spec with its run arguments becomes an ordinary
program::

    from tilewright import metal2, ttnn

    ttnn.generic_op([x, y], metal2.lower(spec, run_args))
"""

from tilewright._program.specs.lower import lower
from tilewright._program.specs.program_spec import (
    CompilerOptions,
    Compute1XXConfig,
    ComputeHardwareConfig,
    DataflowBufferSpec,
    DataMovement1XXConfig,
    DataMovementHardwareConfig,
    DFBAdvancedOptions,
    DFBBinding,
    DFBEndpointType,
    KernelAdvancedOptions,
    KernelSpec,
    Precision,
    ProgramSpec,
    RuntimeArgSchema,
    ScratchpadBinding,
    ScratchpadSpec,
    SemaphoreAdvancedOptions,
    SemaphoreBinding,
    SemaphoreSpec,
    SourceCode,
    TensorBinding,
    TensorBindingSequence,
    TensorParameter,
    UnpackMode,
    WorkUnitSpec,
    create_reader_datamovement_config,
    create_writer_datamovement_config,
)
from tilewright._program.specs.run_args import (
    AddRuntimeArgsForNode,
    AdvancedKernelRunArgs,
    DFBRunOverrides,
    KernelRunArgs,
    MakeRuntimeArgsForSingleNode,
    ProgramRunArgs,
)

__all__ = [
    "AddRuntimeArgsForNode",
    "AdvancedKernelRunArgs",
    "CompilerOptions",
    "Compute1XXConfig",
    "ComputeHardwareConfig",
    "DFBAdvancedOptions",
    "DFBBinding",
    "DFBEndpointType",
    "DFBRunOverrides",
    "DataMovement1XXConfig",
    "DataMovementHardwareConfig",
    "DataflowBufferSpec",
    "KernelAdvancedOptions",
    "KernelRunArgs",
    "KernelSpec",
    "MakeRuntimeArgsForSingleNode",
    "Precision",
    "ProgramRunArgs",
    "ProgramSpec",
    "RuntimeArgSchema",
    "ScratchpadBinding",
    "ScratchpadSpec",
    "SemaphoreAdvancedOptions",
    "SemaphoreBinding",
    "SemaphoreSpec",
    "SourceCode",
    "TensorBinding",
    "TensorBindingSequence",
    "TensorParameter",
    "UnpackMode",
    "WorkUnitSpec",
    "create_reader_datamovement_config",
    "create_writer_datamovement_config",
    "lower",
]
