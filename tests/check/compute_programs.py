# SPDX-License-Identifier: Apache-2.0
"""Programs of one core around a compute kernel given as source: tiles of the inputs in, tiles of the output out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import tilewright
from tests.page_writer import PAGE_WRITER
from tests.tile_program import CORE, reads_of, source_kernel
from tilewright import ttnn
from tilewright._build.generated_headers import is_own_header
from tilewright._launch.run_options import RunOptions
from tilewright._record.run import RelatedCall, RunNote

READER = """
#include "api/dataflow/dataflow_api.h"

template <uint32_t cb, typename Args>
void read(Args args, uint32_t address, uint32_t pages) {{
    const auto from = TensorAccessor(args, address);
    for (uint32_t page = 0; page < pages; page++) {{
        cb_reserve_back(cb, 1);
        noc_async_read_page(page, from, get_write_ptr(cb));
        noc_async_read_barrier();
        cb_push_back(cb, 1);
    }}
}}

void kernel_main() {{
{body}
}}
"""


def compute_kernel(body: str) -> str:
    """A kernel with the headers of every operation the tests use; ``body`` begins at BODY_LINE."""
    lines = [f'#include "api/compute/{name}.h"' for name in _HEADERS.split()]
    return "\n".join([*lines, "", "void kernel_main() {", body, "}"])


_HEADERS = (
    "tile_move_copy eltwise_binary bcast reduce matmul transpose tilize untilize pack_untilize "
    "eltwise_unary/eltwise_unary eltwise_unary/exp eltwise_unary/recip eltwise_unary/sqrt eltwise_unary/fill "
    "eltwise_unary/mac eltwise_unary/addcmul eltwise_unary/where compute_kernel_api mask binary_comp"
)
BODY_LINE = len(_HEADERS.split()) + 3

STEP = """
cb_wait_front(0, 1); cb_wait_front(1, 1); cb_reserve_back(16, 1);
tile_regs_acquire();
{maths}
tile_regs_commit();
tile_regs_wait();
{pack}
tile_regs_release();
cb_push_back(16, 1);
"""


def step(maths: str, pack: str = "pack_tile(0, 16);") -> str:
    """One tile of each input through DST: maths is on the fourth line, the pack on the seventh."""
    return STEP.format(maths=maths, pack=pack)


def circular_buffer(
    index: int, pages: int, dtype: ttnn.DataType = ttnn.bfloat16, page_bytes: int = 0, tile: Any = None
) -> ttnn.CBDescriptor:
    size = page_bytes or ttnn.tile_size(dtype)
    return ttnn.CBDescriptor(pages * size, CORE, [ttnn.CBFormatDescriptor(index, dtype, size, tile)])


def reader(tensors: Sequence[ttnn.Tensor], pages: Sequence[int]) -> ttnn.KernelDescriptor:
    """Pages of tensor i into c_i."""
    return source_kernel("reader", READER.format(body=reads_of(pages)), ttnn.ReaderConfigDescriptor(), tensors)


def run_checked(
    inputs: Sequence[ttnn.Tensor],
    output: ttnn.Tensor,
    compute: str,
    cbs: Sequence[ttnn.CBDescriptor] = (),
    config: ttnn.ComputeConfigDescriptor | None = None,
    pages: int = 1,
) -> list[RunNote]:
    """Notes of a checked run. c_0, c_1 ... hold ``pages`` pages of each input, c_16 one of the output."""
    given = {format_.buffer_index for cb in cbs for format_ in cb.format_descriptors}
    tensors = {**dict(enumerate(inputs)), 16: output}
    buffers = [circular_buffer(index, 1, tensor.dtype) for index, tensor in tensors.items() if index not in given]
    program = ttnn.ProgramDescriptor(
        kernels=[
            reader(inputs, [pages] * len(inputs)),
            source_kernel("compute", compute, config or ttnn.ComputeConfigDescriptor(), []),
            source_kernel("writer", PAGE_WRITER, ttnn.WriterConfigDescriptor(), [output], 1),
        ],
        cbs=[*buffers, *cbs],
        semaphores=[],
    )
    return tilewright.run_program([*inputs, output], program, RunOptions(checked=True)).notes


def tiles(device: ttnn.Device, rows: int, columns: int, dtype: ttnn.DataType = ttnn.bfloat16) -> ttnn.Tensor:
    values = (np.arange(rows * columns).reshape(rows, columns) % 29 + 1).astype(np.float32)
    return ttnn.from_numpy(values, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device)


def empty(device: ttnn.Device, rows: int, columns: int, dtype: ttnn.DataType = ttnn.bfloat16) -> ttnn.Tensor:
    return ttnn.allocate_tensor_on_device(
        ttnn.Shape([rows, columns]), dtype, ttnn.TILE_LAYOUT, device, ttnn.DRAM_MEMORY_CONFIG
    )


def kernel_line(note: RunNote | RelatedCall) -> int:
    """The line of the kernel itself, innermost first outside our headers."""
    return next(line.line for line in note.stack if not is_own_header(line.path))
