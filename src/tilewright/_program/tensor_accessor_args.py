# SPDX-License-Identifier: Apache-2.0
"""The words a kernel's ``TensorAccessor`` needs to find a tensor's pages."""

from __future__ import annotations

from enum import IntFlag

from tilewright._tensor.cores import CoreCoord
from tilewright._tensor.device import Device
from tilewright._tensor.memory_config import BufferType
from tilewright._tensor.sharding import Sharding
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

    The config word and the aligned page size. Of a sharded tensor there follow the number of dimensions and of banks,
    the tensor's and the shards' sides in pages, and the banks: cores' NoC coordinates, or DRAM banks.
    """

    def __init__(self, tensor: Tensor) -> None:
        buffer = require_tensor("tensor", tensor).buffer()
        in_dram = buffer.buffer_type is BufferType.DRAM
        config = ArgConfig.IsDram if in_dram else ArgConfig.NONE
        shards = [] if buffer.sharding is None else _shard_words(buffer.sharding, buffer.device, in_dram)
        if shards:
            config |= ArgConfig.Sharded
        self._compile_time_args = [int(config), buffer.aligned_page_size, *shards]

    def get_compile_time_args(self) -> list[int]:
        return list(self._compile_time_args)

    def get_common_runtime_args(self) -> list[int]:
        return []

    def __repr__(self) -> str:
        return f"TensorAccessorArgs(compile_time_args={self._compile_time_args})"


def _shard_words(sharding: Sharding, device: Device, in_dram: bool) -> list[int]:
    tensor, shard = list(sharding.tensor), list(sharding.shard)
    is_one_row = tensor[0] == shard[0] == 1
    if tensor[1] == shard[1] or is_one_row or (shard[0] == 1 and tensor[1] % shard[1] == 0):  # shards are runs of pages
        tensor, shard = [tensor[0] * tensor[1]], [shard[0] * shard[1]]
    halves = [_bank_word(core, device, in_dram) for core in sharding.cores]
    halves += [0] * (len(halves) % 2)
    banks = [low | high << 16 for low, high in zip(halves[::2], halves[1::2], strict=True)]
    return [len(tensor), len(sharding.cores), *tensor, *shard, *banks]


def _bank_word(core: CoreCoord, device: Device, in_dram: bool) -> int:
    if in_dram:
        return device.bank_of(core, BufferType.DRAM) << 8
    at = device.worker_core_from_logical_core(core)
    return at.x << 8 | at.y
