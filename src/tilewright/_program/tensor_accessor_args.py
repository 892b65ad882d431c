# SPDX-License-Identifier: Apache-2.0
"""The words a kernel's ``TensorAccessor`` needs to find a tensor's pages."""

from __future__ import annotations

from enum import IntFlag

from tilewright._tensor.memory_config import BufferType
from tilewright._tensor.tensor import Tensor, require_tensor


class ArgConfig(IntFlag):
    """First word of the arguments: where the pages are, and which later words come at run time."""

    NONE = 0
    Sharded = 1 << 0
    IsDram = 1 << 1
    RuntimeRank = 1 << 2
    RuntimeNumBanks = 1 << 3
    RuntimeTensorShape = 1 << 4
    RuntimeShardShape = 1 << 5
    RuntimeBankCoords = 1 << 6
    RuntimePageSize = 1 << 7


class TensorAccessorArgs:
    """Compile-time args for ``TensorAccessorArgs<OFFSET>`` in a kernel.

    For interleaved tensors: the config word and the aligned page size.
    """

    def __init__(self, tensor: Tensor) -> None:
        buffer = require_tensor("tensor", tensor).buffer()
        in_dram = buffer.buffer_type is BufferType.DRAM
        self._compile_time_args = [
            int(ArgConfig.IsDram if in_dram else ArgConfig.NONE),
            buffer.aligned_page_size,
        ]

    def get_compile_time_args(self) -> list[int]:
        return list(self._compile_time_args)

    def get_common_runtime_args(self) -> list[int]:
        return []

    def __repr__(self) -> str:
        return f"TensorAccessorArgs(compile_time_args={self._compile_time_args})"
