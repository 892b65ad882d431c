# SPDX-License-Identifier: Apache-2.0
"""The host side of a twin: tensors, circular buffers and kernels in few words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tests.bugs.corpus.model import Launch, twin_source
from tilewright import ttnn
from tilewright.kernels import Kernel

Value = TypeVar("Value")
Core = tuple[int, int]
Arguments = Sequence[int] | Mapping[Core, Sequence[int]]

TILE_BYTES = 2048  # bfloat16
CONFIGS: dict[str, Callable[[], Any]] = {
    "reader": ttnn.ReaderConfigDescriptor,
    "compute": ttnn.ComputeConfigDescriptor,
    "writer": ttnn.WriterConfigDescriptor,
}

# One tile at a time from a tensor into c_0: args are the number of tiles and the first one.
READER = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t num_tiles = get_arg_val<uint32_t>(0);
    const uint32_t first_tile = get_arg_val<uint32_t>(1);
    constexpr auto src_args = TensorAccessorArgs<0>();
    const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0));
    constexpr uint32_t cb_in = 0;
    for (uint32_t tile = first_tile; tile < first_tile + num_tiles; tile++) {
        cb_reserve_back(cb_in, 1);
        noc_async_read_page(tile, src, get_write_ptr(cb_in));
        noc_async_read_barrier();
        cb_push_back(cb_in, 1);
    }
}
"""

# One tile at a time from c_0 through DST to c_16: the argument is the number of tiles.
COPY = """
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    const uint32_t num_tiles = get_arg_val<uint32_t>(0);
    constexpr uint32_t cb_in = 0;
    constexpr uint32_t cb_out = 16;
    compute_kernel_hw_startup(cb_in, cb_out);
    copy_init(cb_in);
    for (uint32_t tile = 0; tile < num_tiles; tile++) {
        cb_wait_front(cb_in, 1);
        cb_reserve_back(cb_out, 1);
        tile_regs_acquire();
        copy_tile(cb_in, 0, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 1);
        cb_pop_front(cb_in, 1);
    }
}
"""

# One tile at a time from c_16 to a tensor: args are the number of tiles and the first one.
WRITER = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t num_tiles = get_arg_val<uint32_t>(0);
    const uint32_t first_tile = get_arg_val<uint32_t>(1);
    constexpr auto dst_args = TensorAccessorArgs<0>();
    const auto dst = TensorAccessor(dst_args, get_common_arg_val<uint32_t>(0));
    constexpr uint32_t cb_out = 16;
    for (uint32_t tile = first_tile; tile < first_tile + num_tiles; tile++) {
        cb_wait_front(cb_out, 1);
        noc_async_write_page(tile, dst, get_read_ptr(cb_out));
        noc_async_write_barrier();
        cb_pop_front(cb_out, 1);
    }
}
"""


class Host:
    """Makes the programs of one twin on one unused device."""

    def __init__(self, device: ttnn.Device, *, fixed: bool) -> None:
        self.device = device
        self.fixed = fixed
        self._kept: list[ttnn.Tensor] = []

    def pick(self, *, buggy: Value, fixed: Value) -> Value:
        """The host's value that differs between the twins."""
        return fixed if self.fixed else buggy

    def keep(self, tensor: ttnn.Tensor) -> None:
        """Keeps a tensor on the device that no launch is given."""
        self._kept.append(tensor)

    def tiles(self, count: int, dtype: ttnn.DataType = ttnn.bfloat16) -> tuple[ttnn.Tensor, NDArray[np.float64]]:
        """``count`` tiles side by side whose values every format used here holds exactly, and all differ by place."""
        values = (np.arange(32 * 32 * count).reshape(32, 32 * count) * 37 % 61 + 1).astype(np.float64)
        return self.tensor(values, dtype), values

    def tensor(
        self,
        values: NDArray[Any],
        dtype: ttnn.DataType = ttnn.bfloat16,
        layout: ttnn.Layout = ttnn.TILE_LAYOUT,
        **rest: Any,
    ) -> ttnn.Tensor:
        return ttnn.from_numpy(values, dtype=dtype, layout=layout, device=self.device, **rest)

    def output(
        self,
        *shape: int,
        dtype: ttnn.DataType = ttnn.bfloat16,
        layout: ttnn.Layout = ttnn.TILE_LAYOUT,
        memory_config: ttnn.MemoryConfig = ttnn.DRAM_MEMORY_CONFIG,
    ) -> ttnn.Tensor:
        return ttnn.allocate_tensor_on_device(ttnn.Shape(list(shape)), dtype, layout, self.device, memory_config)

    def output_tiles(self, count: int, dtype: ttnn.DataType = ttnn.bfloat16) -> ttnn.Tensor:
        return self.output(32, 32 * count, dtype=dtype)

    def noc(self, core: Core) -> tuple[int, int]:
        """A core's coordinates as kernels address it."""
        there = self.device.worker_core_from_logical_core(ttnn.CoreCoord(*core))
        return there.x, there.y

    def cb(
        self,
        index: int,
        name: str,
        pages: int,
        dtype: ttnn.DataType = ttnn.bfloat16,
        page_size: int | None = None,
        cores: Sequence[Core] = ((0, 0),),
        tile: ttnn.TileDescriptor | None = None,
    ) -> ttnn.CBDescriptor:
        page = ttnn.tile_size(dtype) if page_size is None else page_size
        return ttnn.CBDescriptor(
            total_size=pages * page,
            core_ranges=core_set(cores),
            format_descriptors=[ttnn.CBFormatDescriptor(index, dtype, page, tile, name=name)],
        )

    def kernel(
        self,
        name: str,
        source: str,
        args: Arguments = (),
        tensors: Sequence[ttnn.Tensor] = (),
        cores: Sequence[Core] = ((0, 0),),
        config: Any = None,
    ) -> ttnn.KernelDescriptor:
        """A kernel called reader..., compute... or writer..., in this twin's version.

        Tensors become its accessors, one after the other, and their addresses its common arguments.
        """
        kind = next(kind for kind in CONFIGS if name.startswith(kind))
        per_core = args if isinstance(args, Mapping) else {core: args for core in cores}
        return ttnn.KernelDescriptor(
            kernel_source=twin_source(source, fixed=self.fixed),
            source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
            core_ranges=core_set(cores),
            compile_time_args=[
                word for tensor in tensors for word in ttnn.TensorAccessorArgs(tensor).get_compile_time_args()
            ],
            runtime_args=[(ttnn.CoreCoord(*core), list(per_core[core])) for core in cores],
            common_runtime_args=[tensor.buffer_address() for tensor in tensors],
            config=CONFIGS[kind]() if config is None else config,
            name=name,
        )

    def python_kernel(
        self,
        name: str,
        kernel: Kernel,
        args: Mapping[str, int] | None = None,
        tensors: Mapping[str, ttnn.Tensor] | None = None,
    ) -> ttnn.KernelDescriptor:
        """A kernel written in Python, on the first core."""
        descriptor = kernel.descriptor(core_set([(0, 0)]), runtime_args=args, tensors=tensors)
        descriptor.name = name
        return descriptor

    def launch(
        self,
        io_tensors: Sequence[ttnn.Tensor],
        expected: NDArray[Any],
        kernels: Sequence[ttnn.KernelDescriptor],
        cbs: Sequence[ttnn.CBDescriptor] = (),
        semaphores: int = 0,
        cores: Sequence[Core] = ((0, 0),),
    ) -> Launch:
        """A launch whose last tensor must come out as ``expected``; semaphores start at 0 on ``cores``."""
        words = [
            ttnn.SemaphoreDescriptor(id=number, core_ranges=core_set(cores), initial_value=0)
            for number in range(semaphores)
        ]
        program = ttnn.ProgramDescriptor(kernels=kernels, cbs=cbs, semaphores=words)
        return Launch(io_tensors, program, np.asarray(expected, np.float64))


def core_set(cores: Sequence[Core]) -> ttnn.CoreRangeSet:
    return ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(*core), ttnn.CoreCoord(*core)) for core in cores])
