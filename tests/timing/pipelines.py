# SPDX-License-Identifier: Apache-2.0
"""Programs of a reader, a compute kernel and a writer, in which everything the advice names can be changed."""

from __future__ import annotations

import dataclasses

from tilewright import ttnn
from tilewright.timing._timed_launch import TimedLaunch, time_program

_TILE = 2048
# "Ahead": the block before is waited for when the next one is on its way, by transaction ids.
_READER = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    const uint32_t first = get_arg_val<uint32_t>(1), blocks = get_arg_val<uint32_t>(2);
    const uint32_t tiles = get_arg_val<uint32_t>(3), ring = get_arg_val<uint32_t>(4);
    constexpr uint32_t ahead = get_compile_time_arg_val(0);
    const InterleavedAddrGen<true> pages{.bank_base_address = get_arg_val<uint32_t>(0), .page_size = 2048};
    const uint32_t base = get_write_ptr(0);
    for (uint32_t i = 0; i < blocks + ahead; i++) {
        if (i < blocks) {
            cb_reserve_back(0, ahead && i > 0 ? 2 * tiles : tiles);
            if constexpr (ahead) {
                noc_async_read_set_trid(1 + i % 2);
            }
            for (uint32_t j = 0; j < tiles; j++) {
                const uint32_t to = base + (i % ring * tiles + j) * 2048;
                noc_async_read(pages.get_noc_addr(first + i * tiles + j), to, 2048);
            }
        }
        if constexpr (ahead) {
            if (i > 0) {
                noc_async_read_barrier_with_trid(1 + (i - 1) % 2);
                cb_push_back(0, tiles);
            }
        } else {
            noc_async_read_barrier();
            cb_push_back(0, tiles);
        }
    }
}
"""
_WRITER = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    const uint32_t first = get_arg_val<uint32_t>(1), blocks = get_arg_val<uint32_t>(2);
    const uint32_t tiles = get_arg_val<uint32_t>(3), ring = get_arg_val<uint32_t>(4);
    constexpr uint32_t ahead = get_compile_time_arg_val(0);
    const InterleavedAddrGen<true> pages{.bank_base_address = get_arg_val<uint32_t>(0), .page_size = 2048};
    const uint32_t base = get_read_ptr(16);
    for (uint32_t i = 0; i < blocks + ahead; i++) {
        if (i < blocks) {
            cb_wait_front(16, ahead && i > 0 ? 2 * tiles : tiles);
            for (uint32_t j = 0; j < tiles; j++) {
                const uint32_t from = base + (i % ring * tiles + j) * 2048;
                const uint64_t to = pages.get_noc_addr(first + i * tiles + j);
                if constexpr (ahead) {
                    noc_async_write_one_packet_with_trid(from, to, 2048, 1 + i % 2);
                } else {
                    noc_async_write(from, to, 2048);
                }
            }
        }
        if constexpr (ahead) {
            if (i > 0) {
                noc_async_write_barrier_with_trid(1 + (i - 1) % 2);
                cb_pop_front(16, tiles);
            }
        } else {
            noc_async_write_barrier();
            cb_pop_front(16, tiles);
        }
    }
}
"""
_COMPUTE = """
#include "api/compute/matmul.h"
void kernel_main() {
    const uint32_t tiles = get_arg_val<uint32_t>(0), products = get_arg_val<uint32_t>(1);
    mm_init(0, 0, 16);
    for (uint32_t i = 0; i < tiles; i++) {
        cb_wait_front(0, 1);
        tile_regs_acquire();
        for (uint32_t j = 0; j < products; j++) {
            matmul_tiles(0, 0, 0, 0, 0);
        }
        tile_regs_commit();
        cb_reserve_back(16, 1);
        for (uint32_t j = 0; j < get_compile_time_arg_val(0); j++) {
            tile_regs_wait();
        }
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
        cb_pop_front(0, 1);
    }
}
"""


@dataclasses.dataclass(frozen=True)
class Pipeline:
    """Each of ``cores`` reads ``blocks`` of ``tiles``, multiplies each ``products`` times with itself and writes it.

    ``depth_in`` and ``depth_out`` are blocks of the two circular buffers; ``dst_waits`` are the packer's for each tile.
    """

    blocks: int = 16
    tiles: int = 1
    products: int = 1
    cores: int = 1
    depth_in: int = 2
    depth_out: int = 2
    reads_ahead: bool = False
    writes_ahead: bool = False
    dst_waits: int = 1
    fidelity: ttnn.MathFidelity = ttnn.MathFidelity.HiFi4

    def timed(self, device: ttnn.Device) -> TimedLaunch:
        shape = ttnn.Shape([32, 32 * self.cores * self.blocks * self.tiles])
        source, result = (
            ttnn.allocate_tensor_on_device(shape, ttnn.bfloat16, ttnn.TILE_LAYOUT, device) for _ in range(2)
        )
        cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(self.cores - 1, 0))])
        depths = {0: self.depth_in, 16: self.depth_out}
        buffers = [
            ttnn.CBDescriptor(
                total_size=depth * self.tiles * _TILE,
                core_ranges=cores,
                format_descriptors=[ttnn.CBFormatDescriptor(index, ttnn.bfloat16, _TILE)],
            )
            for index, depth in depths.items()
        ]
        reads, writes, maths = ttnn.RuntimeArgs(), ttnn.RuntimeArgs(), ttnn.RuntimeArgs()
        for x in range(self.cores):
            part = [x * self.blocks * self.tiles, self.blocks, self.tiles]
            reads[x][0] = [source.buffer_address(), *part, self.depth_in]
            writes[x][0] = [result.buffer_address(), *part, self.depth_out]
            maths[x][0] = [self.blocks * self.tiles, self.products]
        config = ttnn.ComputeConfigDescriptor(math_fidelity=self.fidelity)
        kernels = [
            _kernel(_READER, cores, reads, ttnn.ReaderConfigDescriptor(), [int(self.reads_ahead)]),
            _kernel(_WRITER, cores, writes, ttnn.WriterConfigDescriptor(), [int(self.writes_ahead)]),
            _kernel(_COMPUTE, cores, maths, config, [self.dst_waits]),
        ]
        return time_program([source, result], ttnn.ProgramDescriptor(kernels=kernels, cbs=buffers))

    def changed(self, words: str) -> Pipeline:
        """The same with what the advice names changed."""
        if " instead of " in words:
            return dataclasses.replace(self, fidelity=getattr(ttnn.MathFidelity, words.split()[0]))
        return dataclasses.replace(
            self,
            depth_in=2 * self.depth_in if "c_0 twice" in words else self.depth_in,
            depth_out=2 * self.depth_out if "c_16 twice" in words else self.depth_out,
            reads_ahead=self.reads_ahead or "reads in flight" in words,
            writes_ahead=self.writes_ahead or "writes in flight" in words,
        )


def _kernel(
    source: str, cores: ttnn.CoreRangeSet, arguments: ttnn.RuntimeArgs, config: object, compiled: list[int]
) -> ttnn.KernelDescriptor:
    return ttnn.KernelDescriptor(
        source,
        source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=cores,
        compile_time_args=compiled,
        runtime_args=arguments,
        config=config,
    )
