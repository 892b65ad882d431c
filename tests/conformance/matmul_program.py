# SPDX-License-Identifier: Apache-2.0
"""Host side of stock matmuls: output tiles split over cores, and blocks of the output with their own readers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.conformance.core_groups import cores_by_units
from tests.conformance.programs import TILE, accessor, circular_buffer, kernel, output_like, runtime_args, split_work
from tilewright import ttnn

CB_IN0, CB_IN1, CB_OUT, CB_PARTIALS = 0, 1, 4, 5
BUFFER_NAMES = [("cb_in0", CB_IN0), ("cb_in1", CB_IN1), ("cb_out", CB_OUT), ("cb_intermed0", CB_PARTIALS)]


@dataclass(frozen=True)
class Matmul:
    """in0 (M x K) times in1 (K x N), with the formats it is calculated in."""

    in0: ttnn.Tensor
    in1: ttnn.Tensor
    output_dtype: ttnn.DataType
    wide_dst: bool
    fidelity: ttnn.MathFidelity = ttnn.MathFidelity.HiFi4

    @property
    def tiles(self) -> tuple[int, int, int]:
        """M, K and N in tiles."""
        return tuple(-(-extent // TILE) for extent in (*self.in0.shape, self.in1.shape[1]))

    @property
    def last_inner_columns(self) -> int:
        """Columns of in0's last tile that count, 0 for all: the stock readers zero the others."""
        return self.in0.shape[1] % TILE

    def output(self, device: ttnn.Device) -> ttnn.Tensor:
        return output_like((self.in0.shape[0], self.in1.shape[1]), self.output_dtype, device)

    def config(self) -> ttnn.ComputeConfigDescriptor:
        """Partial sums in float32 go straight back into a 32-bit DST."""
        config = ttnn.ComputeConfigDescriptor(math_fidelity=self.fidelity, fp32_dest_acc_en=self.wide_dst)
        if self.wide_dst:
            modes = [ttnn.UnpackToDestMode.Default] * 32
            modes[CB_PARTIALS] = ttnn.UnpackToDestMode.UnpackToDestFp32
            config.unpack_to_dest_mode = modes
        return config

    def partial_buffers(self, pages: int, cores: ttnn.CoreRangeSet) -> list[ttnn.CBDescriptor]:
        """Output and partial sums: one piece of memory where they have the same format, as ttnn's host code does it."""
        partials = ttnn.float32 if self.wide_dst else self.output_dtype
        output = circular_buffer(CB_OUT, self.output_dtype, pages, cores)
        if partials != self.output_dtype:
            return [output, circular_buffer(CB_PARTIALS, partials, pages, cores)]
        page = ttnn.tile_size(partials)
        output.format_descriptors = [ttnn.CBFormatDescriptor(index, partials, page) for index in (CB_OUT, CB_PARTIALS)]
        return [output]

    def run_output_tiles(self, cores: ttnn.CoreRangeSet, operations: Path, device: ttnn.Device) -> ttnn.Tensor:
        """Every core calculates some output tiles, each from a row of in0 and a column of in1."""
        kernels = operations / "matmul/device/kernels"
        target = self.output(device)
        rows, inner, columns = self.tiles
        used, work = split_work(cores, rows * columns)
        reader = kernel(
            kernels / "dataflow/reader_bmm_8bank_output_tiles_partitioned.cpp",
            used,
            ttnn.ReaderConfigDescriptor(),
            runtime_args(
                work,
                lambda count, start: [
                    self.in0.buffer_address(),
                    self.in1.buffer_address(),
                    rows,
                    inner,
                    columns,
                    rows * inner,
                    inner * columns,
                    1,
                    1,
                    start,
                    count,
                    rows * columns,
                ],
            ),
            compile_time_args=[self.last_inner_columns, 0, *accessor(self.in0), *accessor(self.in1)],
            named_compile_time_args=BUFFER_NAMES,
        )
        compute = [
            kernel(
                kernels / "compute/bmm.cpp",
                group,
                self.config(),
                compile_time_args=[1, 1, inner, count],
                named_compile_time_args=BUFFER_NAMES,
            )
            for count, group in cores_by_units(work).items()
        ]
        writer = kernel(
            operations / "eltwise/unary/device/kernels/dataflow/writer_unary_interleaved_start_id.cpp",
            used,
            ttnn.WriterConfigDescriptor(),
            runtime_args(work, lambda count, start: [target.buffer_address(), count, start]),
            compile_time_args=[CB_OUT, *accessor(target)],
        )
        buffers = [
            circular_buffer(CB_IN0, self.in0.dtype, 2, used),
            circular_buffer(CB_IN1, self.in1.dtype, 2, used),
            circular_buffer(CB_OUT, self.output_dtype, 2, used),
        ]
        program = ttnn.ProgramDescriptor(kernels=[reader, *compute, writer], cbs=buffers)
        return ttnn.generic_op([self.in0, self.in1, target], program)


@dataclass(frozen=True)
class Blocks:
    """How the output is cut: a block per core, in subblocks that fit DST, ``inner`` tiles of K at a time."""

    matmul: Matmul
    grid_rows: int
    grid_columns: int
    inner: int
    subblock: tuple[int, int]

    @property
    def height(self) -> int:
        return self.matmul.tiles[0] // self.grid_rows

    @property
    def width(self) -> int:
        return self.matmul.tiles[2] // self.grid_columns

    @property
    def inner_count(self) -> int:
        return self.matmul.tiles[1] // self.inner

    @property
    def subblock_tiles(self) -> int:
        return self.subblock[0] * self.subblock[1]

    @property
    def subblocks(self) -> tuple[int, int]:
        """Rows and columns of subblocks in a block."""
        return self.height // self.subblock[0], self.width // self.subblock[1]

    def cores(self) -> list[ttnn.CoreCoord]:
        return [ttnn.CoreCoord(x, y) for y in range(self.grid_rows) for x in range(self.grid_columns)]

    def first_output_tile(self, core: ttnn.CoreCoord) -> int:
        return core.y * self.height * self.matmul.tiles[2] + core.x * self.width

    def buffers(self, cores: ttnn.CoreRangeSet) -> list[ttnn.CBDescriptor]:
        """Two blocks of each operand, so that reading and calculating overlap."""
        matmul = self.matmul
        return [
            circular_buffer(CB_IN0, matmul.in0.dtype, 2 * self.height * self.inner, cores),
            circular_buffer(CB_IN1, matmul.in1.dtype, 2 * self.width * self.inner, cores),
            *matmul.partial_buffers(self.height * self.width, cores),
        ]

    def operand_args(self) -> list[int]:
        """What the stock compute kernels take first: the operands' blocks and subblocks."""
        subblock_rows, subblock_columns = self.subblocks
        return [
            self.inner,
            subblock_rows,
            self.height * self.inner,
            self.subblock[0] * self.inner,
            subblock_columns,
            self.width * self.inner,
            self.width,
            self.inner_count,
        ]

    def run(self, operations: Path, device: ttnn.Device) -> ttnn.Tensor:
        """Every core reads its own rows of in0 and columns of in1."""
        kernels = operations / "matmul/device/kernels"
        target = self.matmul.output(device)
        cores = ttnn.CoreRangeSet(
            [ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(self.grid_columns - 1, self.grid_rows - 1))]
        )
        reader_args, writer_args = ttnn.RuntimeArgs(), ttnn.RuntimeArgs()
        for core in self.cores():
            reader_args[core.x][core.y] = self._reader_args(core)
            writer_args[core.x][core.y] = self._writer_args(core, target)
        reader = kernel(
            kernels / "dataflow/reader_bmm_tile_layout.cpp",
            cores,
            ttnn.ReaderConfigDescriptor(),
            reader_args,
            compile_time_args=[*accessor(self.matmul.in0), *accessor(self.matmul.in1)],
            named_compile_time_args=BUFFER_NAMES,
        )
        compute = kernel(
            kernels / "compute/bmm_large_block_zm.cpp",
            cores,
            self.matmul.config(),
            compile_time_args=[*self.operand_args(), *self.subblock, self.subblock_tiles, 1],
            named_compile_time_args=BUFFER_NAMES,
        )
        writer = kernel(
            kernels / "dataflow/writer_bmm_tile_layout.cpp",
            cores,
            ttnn.WriterConfigDescriptor(),
            writer_args,
            compile_time_args=accessor(target),
            named_compile_time_args=BUFFER_NAMES,
        )
        program = ttnn.ProgramDescriptor(kernels=[reader, compute, writer], cbs=self.buffers(cores))
        return ttnn.generic_op([self.matmul.in0, self.matmul.in1, target], program)

    def _reader_args(self, core: ttnn.CoreCoord) -> list[int]:
        rows, inner, columns = self.matmul.tiles
        in0 = [self.matmul.in0.buffer_address(), core.y * self.height * inner, 1, inner, self.inner]
        in0 += [self.inner, self.height, self.height * self.inner]
        in1 = [self.matmul.in1.buffer_address(), core.x * self.width, 1, columns, self.inner * columns]
        in1 += [self.width, self.inner, self.width * self.inner]
        return [*in0, *in1, self.inner_count, rows * inner, inner * columns, 1, 1]

    def _writer_args(self, core: ttnn.CoreCoord, target: ttnn.Tensor) -> list[int]:
        rows, _, columns = self.matmul.tiles
        height, width = self.subblock
        strides = [1, columns, width, height * columns]
        subblock_rows, subblock_columns = self.subblocks
        counts = [width, height, width * height, subblock_columns, subblock_rows]
        return [target.buffer_address(), self.first_output_tile(core), *strides, *counts, rows * columns, 1]
