# SPDX-License-Identifier: Apache-2.0
"""Host side of the stock two-dimensional matmul: the first column of cores multicasts in0, the first row in1."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.conformance.matmul_program import BUFFER_NAMES, CB_IN0, Blocks
from tests.conformance.programs import accessor, kernel
from tilewright import ttnn

# Names the kernels look up for variants that are not in use here.
NAMES = [*BUFFER_NAMES, ("cb_in0_transposed", CB_IN0), ("cb_sparsity", CB_IN0), ("num_active", 0)]
IN0_SENDER, IN0_RECEIVER, IN1_SENDER, IN1_RECEIVER = range(4)
ONE_OUTER_BLOCK = [1, 1]


@dataclass(frozen=True)
class Multicast:
    """``packer_adds``: the packer adds partial sums to those in L1, instead of reloading them into DST."""

    blocks: Blocks
    device: ttnn.Device
    packer_adds: bool = False

    def run(self, operations: Path) -> ttnn.Tensor:
        matmul = self.blocks.matmul
        target = matmul.output(self.device)
        right, bottom = self.blocks.grid_columns - 1, self.blocks.grid_rows - 1
        everywhere = _cores((0, 0), (right, bottom))
        dataflow = operations / "matmul/device/kernels/dataflow"
        kernels = [
            self._kernel(
                dataflow / "reader_bmm_tile_layout_in0_sender_padding.cpp",
                _cores((0, 0), (0, bottom)),
                self._in0_sender,
                self._in0_sender_compile_time(),
                reader=True,
                target=target,
            ),
            self._kernel(
                dataflow / "reader_bmm_tile_layout_in0_receiver.cpp",
                _cores((1, 0), (right, bottom)),
                self._in0_receiver,
                self._in0_receiver_compile_time(),
                reader=True,
                target=target,
            ),
            self._kernel(
                dataflow / "reader_bmm_tile_layout_in1_sender_writer_padding.cpp",
                _cores((0, 0), (right, 0)),
                self._in1_sender,
                self._in1_sender_compile_time(target),
                reader=False,
                target=target,
            ),
            self._kernel(
                dataflow / "reader_bmm_tile_layout_in1_receiver_writer_padding.cpp",
                _cores((0, 1), (right, bottom)),
                self._in1_receiver,
                self._in1_receiver_compile_time(target),
                reader=False,
                target=target,
            ),
            self._compute(operations, everywhere),
        ]
        semaphores = [
            ttnn.SemaphoreDescriptor(id=number, core_ranges=everywhere, initial_value=0)
            for number in (IN0_SENDER, IN0_RECEIVER, IN1_SENDER, IN1_RECEIVER)
        ]
        program = ttnn.ProgramDescriptor(kernels=kernels, semaphores=semaphores, cbs=self.blocks.buffers(everywhere))
        return ttnn.generic_op([matmul.in0, matmul.in1, target], program)

    def _kernel(self, path, cores, args_of_core, compile_time_args, *, reader: bool, target: ttnn.Tensor):
        args = ttnn.RuntimeArgs()
        for core in cores:
            args[core.x][core.y] = args_of_core(core, target)
        config = ttnn.ReaderConfigDescriptor() if reader else ttnn.WriterConfigDescriptor()
        return kernel(path, cores, config, args, compile_time_args=compile_time_args, named_compile_time_args=NAMES)

    def _compute(self, operations: Path, cores: ttnn.CoreRangeSet) -> ttnn.KernelDescriptor:
        blocks = self.blocks
        unused = [0, 0, 0]  # untilize_out, get_batch_from_reader, in0_transpose_tile
        return kernel(
            operations / "matmul/device/kernels/compute/bmm_large_block_zm_fused_bias_activation.cpp",
            cores,
            blocks.matmul.config(),
            compile_time_args=[
                *blocks.operand_args(),
                *ONE_OUTER_BLOCK,
                *blocks.subblock,
                blocks.subblock_tiles,
                1,
                blocks.height * blocks.width,
                *unused,
            ],
            named_compile_time_args=NAMES,
            defines=[
                *([("FP32_DEST_ACC_EN", "1")] if blocks.matmul.wide_dst else []),
                *([("PACKER_L1_ACC", "1")] if self.packer_adds else []),
            ],
        )

    def _place(self, x: int, y: int) -> list[int]:
        core = self.device.worker_core_from_logical_core((x, y))
        return [core.x, core.y]

    def _in0_sender(self, core: ttnn.CoreCoord, target: ttnn.Tensor) -> list[int]:
        blocks = self.blocks
        first = core.y * blocks.height * blocks.matmul.tiles[1]
        others = [*self._place(1, core.y), *self._place(blocks.grid_columns - 1, core.y)]
        return [blocks.matmul.in0.buffer_address(), first, *others, blocks.height, 0]

    def _in0_sender_compile_time(self) -> list[int]:
        blocks, matmul = self.blocks, self.blocks.matmul
        rows, inner, _ = matmul.tiles
        receivers = blocks.grid_columns - 1
        block = [blocks.inner, blocks.height, blocks.inner * blocks.height]
        not_sharded = [0, 0, 0]
        batch = [rows * inner, 1, 1, 0]
        not_sparse = [0, 0, 1, 0, 0]
        return [
            *(1, inner, blocks.inner, blocks.height * inner),
            *block,
            *(matmul.last_inner_columns, 0),
            *not_sharded,
            *(blocks.inner_count, *ONE_OUTER_BLOCK),
            *(IN0_SENDER, IN0_RECEIVER, receivers, receivers),
            *batch,
            *not_sparse,
            *accessor(matmul.in0),
            *accessor(matmul.in0),
            1,
        ]

    def _in0_receiver(self, core: ttnn.CoreCoord, target: ttnn.Tensor) -> list[int]:
        return self._place(0, core.y)

    def _in0_receiver_compile_time(self) -> list[int]:
        blocks = self.blocks
        return [blocks.inner * blocks.height, blocks.inner_count, *ONE_OUTER_BLOCK, IN0_SENDER, IN0_RECEIVER, 1, 0]

    def _in1_sender(self, core: ttnn.CoreCoord, target: ttnn.Tensor) -> list[int]:
        """The writer of data uses NoC 1, which runs the other way: its rectangles start at the far end."""
        blocks = self.blocks
        others = [*self._place(core.x, blocks.grid_rows - 1), *self._place(core.x, 1)]
        subblock_rows, subblock_columns = blocks.subblocks
        height, width = blocks.subblock
        no_padding = [subblock_rows, height, 0, subblock_columns, subblock_columns, width, 0, 0]
        return [
            *(blocks.matmul.in1.buffer_address(), core.x * blocks.width, *others, 0),
            *(target.buffer_address(), blocks.first_output_tile(core), blocks.width),
            *no_padding,
            *(0, 0),  # bias
            1,
        ]

    def _output_strides(self) -> list[int]:
        columns = self.blocks.matmul.tiles[2]
        height, width = self.blocks.subblock
        blocks = self.blocks
        next_blocks = [blocks.width, blocks.height * columns]
        return [1, columns, width, height * columns, *next_blocks, width, height, width * height]

    def _in1_sender_compile_time(self, target: ttnn.Tensor) -> list[int]:
        blocks, matmul = self.blocks, self.blocks.matmul
        rows, inner, columns = matmul.tiles
        receivers = blocks.grid_rows - 1
        return [
            *(1, columns, blocks.inner * columns, blocks.width),
            *(blocks.width, blocks.inner, blocks.inner * blocks.width),
            *(blocks.inner_count, *ONE_OUTER_BLOCK),
            *(IN1_SENDER, IN1_RECEIVER, receivers, receivers),
            *(inner * columns, 1, 1),
            *(0, 0),  # not sparse
            *self._output_strides(),
            rows * columns,
            *(0, 0, 0, 0),  # bias stride, two fused collectives, compact output
            *(*accessor(matmul.in1), *accessor(matmul.in1), *accessor(target)),
        ]

    def _in1_receiver(self, core: ttnn.CoreCoord, target: ttnn.Tensor) -> list[int]:
        subblock_rows, subblock_columns = self.blocks.subblocks
        height, width = self.blocks.subblock
        no_padding = [subblock_rows, subblock_rows, height, 0, subblock_columns, subblock_columns, width, 0, 0]
        output = [target.buffer_address(), self.blocks.first_output_tile(core)]
        return [*self._place(core.x, 0), *output, *no_padding, *ONE_OUTER_BLOCK]

    def _in1_receiver_compile_time(self, target: ttnn.Tensor) -> list[int]:
        blocks = self.blocks
        rows, _, columns = blocks.matmul.tiles
        return [
            *(blocks.inner * blocks.width, blocks.inner_count, *ONE_OUTER_BLOCK),
            *(IN1_SENDER, IN1_RECEIVER, 1),
            *self._output_strides(),
            rows * columns,
            *(0, 0),  # bias, fused collective
            *accessor(target),
        ]


def _cores(first: tuple[int, int], last: tuple[int, int]) -> ttnn.CoreRangeSet:
    return ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(*first), ttnn.CoreCoord(*last))])
