# SPDX-License-Identifier: Apache-2.0
"""One core, one compute kernel given as source: tiles of the inputs in c_0, c_1 ..., tiles of the results from c_16."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import tilewright
from tests.page_writer import PAGE_WRITER
from tilewright import ttnn
from tilewright._launch.run_options import RunOptions

CORE = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])

_READER = """
#include "api/dataflow/dataflow_api.h"

template <uint32_t cb, typename Args>
void read(Args args, uint32_t address, uint32_t pages) {{
    const auto from = TensorAccessor(args, address);
    cb_reserve_back(cb, pages);
    for (uint32_t page = 0; page < pages; page++) {{
        noc_async_read_page(page, from, get_write_ptr(cb) + page * get_tile_size(cb));
    }}
    noc_async_read_barrier();
    cb_push_back(cb, pages);
}}

void kernel_main() {{
{body}
}}
"""


def source_kernel(
    name: str, source: str, config: Any, tensors: Sequence[ttnn.Tensor], *args: int
) -> ttnn.KernelDescriptor:
    """A kernel on one core with the accessors of tensors; their addresses are its first common arguments."""
    words = [word for tensor in tensors for word in ttnn.TensorAccessorArgs(tensor).get_compile_time_args()]
    return ttnn.KernelDescriptor(
        kernel_source=source,
        source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=CORE,
        compile_time_args=words,
        common_runtime_args=[*(tensor.buffer_address() for tensor in tensors), *args],
        config=config,
        name=name,
    )


def reads_of(pages: Sequence[int]) -> str:
    """Calls of ``read`` for so many pages of tensor i into c_i."""
    lines, offset = [], "0"
    for index, count in enumerate(pages):
        lines.append(f"    constexpr auto args{index} = TensorAccessorArgs<{offset}>();")
        lines.append(f"    read<{index}>(args{index}, get_common_arg_val<uint32_t>({index}), {count});")
        offset = f"args{index}.next_compile_time_args_offset()"
    return "\n".join(lines)


def run_tiles(
    device: ttnn.Device,
    inputs: Sequence[tuple[np.ndarray, ttnn.DataType]],
    compute: str,
    result_shape: tuple[int, int],
    result_dtype: ttnn.DataType,
    *,
    defines: Mapping[str, str] | None = None,
    runtime_args: Sequence[int] = (),
    unpack_to_dest: Sequence[int] = (),
    checked: bool = False,
    reader: str | None = None,
    depths: Mapping[int, int] | None = None,
    faces: Mapping[int, tuple[int, int]] | None = None,
    tile_rows: Mapping[int, int] | None = None,
    **config: Any,
) -> np.ndarray:
    """Result of a compute kernel; ``config`` goes into its :class:`ComputeConfigDescriptor`.

    ``runtime_args`` are the kernel's common arguments; ``unpack_to_dest`` names the buffers that go to DST in 32 bits.
    ``reader`` stands in for the kernel that reads all of every input at once, ``depths`` for buffers that hold all;
    ``faces`` has number and rows of the faces of a buffer whose tiles are not whole, ``tile_rows`` the rows of tiles of
    less than 32.
    """
    rows = {**dict.fromkeys([*range(len(inputs)), 16], 32), **(tile_rows or {})}
    tiles = {index: ttnn.Tile((count, 32)) for index, count in rows.items()}
    tensors = [
        ttnn.from_numpy(array, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device, tile=tiles[index])
        for index, (array, dtype) in enumerate(inputs)
    ]
    empty = np.zeros(result_shape, np.float32)
    result = ttnn.from_numpy(empty, dtype=result_dtype, layout=ttnn.TILE_LAYOUT, device=device, tile=tiles[16])
    pages = [array.size // (32 * rows[index]) for index, (array, _) in enumerate(inputs)]
    result_pages = result_shape[0] * result_shape[1] // (32 * rows[16])
    settings = ttnn.ComputeConfigDescriptor(**config)
    settings.unpack_to_dest_mode = [
        ttnn.UnpackToDestMode.UnpackToDestFp32 if index in unpack_to_dest else ttnn.UnpackToDestMode.Default
        for index in range(64)
    ]
    kernel = source_kernel("compute", compute, settings, [])
    kernel.defines = list((defines or {}).items())
    kernel.common_runtime_args = list(runtime_args)
    dtypes = {**{index: dtype for index, (_, dtype) in enumerate(inputs)}, 16: result_dtype}
    depths = {**dict(enumerate(pages)), 16: result_pages, **(depths or {})}
    program = ttnn.ProgramDescriptor(
        kernels=[
            source_kernel(
                "reader", reader or _READER.format(body=reads_of(pages)), ttnn.ReaderConfigDescriptor(), tensors
            ),
            kernel,
            source_kernel("writer", PAGE_WRITER, ttnn.WriterConfigDescriptor(), [result], result_pages),
        ],
        cbs=[
            ttnn.CBDescriptor(
                depths[index] * (page := ttnn.tile_size(dtype) * rows[index] // 32),
                CORE,
                [ttnn.CBFormatDescriptor(index, dtype, page, tile=ttnn.TileDescriptor(rows[index], 32))],
            )
            for index, dtype in dtypes.items()
        ],
        semaphores=[],
    )
    for index, shape in (faces or {}).items():
        program.cbs[list(dtypes).index(index)].format_descriptors[0].faces = shape
    tilewright.run_program([*tensors, result], program, RunOptions(checked=checked))
    return np.asarray(ttnn.to_numpy(result))
