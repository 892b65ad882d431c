# SPDX-License-Identifier: Apache-2.0
"""Programs: cores, circular buffers, kernels, semaphores, arguments. The names are ttnn's."""

from tilewright._program.circular_buffer import (
    CBDescriptor,
    CBFormatDescriptor,
    TileDescriptor,
    cb_descriptor_from_sharded_tensor,
)
from tilewright._program.kernel import KernelBuildOptLevel, KernelDescriptor
from tilewright._program.kernel_config import (
    NOC,
    NOC_MODE,
    ComputeConfigDescriptor,
    DataMovementConfigDescriptor,
    DataMovementProcessor,
    MathFidelity,
    ReaderConfigDescriptor,
    UnpackToDestMode,
    WriterConfigDescriptor,
)
from tilewright._program.program import ProgramDescriptor
from tilewright._program.runtime_args import RuntimeArgs, RuntimeArgsColProxy
from tilewright._program.semaphore import CoreType, SemaphoreDescriptor
from tilewright._program.tensor_accessor_args import TensorAccessorArgs
from tilewright._program.work_split import (
    corerange_to_cores,
    grid_to_cores,
    num_cores_to_corerangeset,
    num_cores_to_corerangeset_in_subcoregrids,
    split_work_to_cores,
)
from tilewright._tensor.cores import CoreCoord, CoreGrid, CoreRange, CoreRangeSet

__all__ = [
    "NOC",
    "NOC_MODE",
    "CBDescriptor",
    "CBFormatDescriptor",
    "ComputeConfigDescriptor",
    "CoreCoord",
    "CoreGrid",
    "CoreRange",
    "CoreRangeSet",
    "CoreType",
    "DataMovementConfigDescriptor",
    "DataMovementProcessor",
    "KernelBuildOptLevel",
    "KernelDescriptor",
    "MathFidelity",
    "ProgramDescriptor",
    "ReaderConfigDescriptor",
    "RuntimeArgs",
    "RuntimeArgsColProxy",
    "SemaphoreDescriptor",
    "TensorAccessorArgs",
    "TileDescriptor",
    "UnpackToDestMode",
    "WriterConfigDescriptor",
    "cb_descriptor_from_sharded_tensor",
    "corerange_to_cores",
    "grid_to_cores",
    "num_cores_to_corerangeset",
    "num_cores_to_corerangeset_in_subcoregrids",
    "split_work_to_cores",
]
