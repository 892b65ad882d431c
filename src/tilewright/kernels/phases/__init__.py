# SPDX-License-Identifier: Apache-2.0
"""Phases: the steps row-wise operations are made of, each with a contract about its circular buffers.

A kernel calls phases like any kernel function::

    @compute_kernel
    def centralize(num_rows: RuntimeArg, row_tiles: CompileTimeArg, factor_bits: CompileTimeArg, cb: Buffers) -> None:
        compute_kernel_hw_startup(cb.in_rm, cb.scaler, cb.out_rm)
        for _ in range(num_rows):
            tilize(cb.in_rm, cb.in_tiled, row_tiles)
            reduce_row_mean(cb.in_tiled, cb.scaler, cb.mean, row_tiles, factor_bits, keep=True)
            sub_bcast_cols(cb.in_tiled, cb.mean, cb.centralized, row_tiles)
            untilize(cb.centralized, cb.out_rm, row_tiles)

Every phase sets the formats of its own buffers, waits for all it reads before it starts, and pushes its whole result at
once. ``phase.contract`` says how many pages; docs/phases.md lists all phases.
"""

from tilewright.kernels.phases.accumulate import accumulate_row_mean
from tilewright.kernels.phases.binary import (
    add,
    add_bcast_cols,
    add_bcast_rows,
    add_bcast_scalar,
    mul,
    mul_bcast_cols,
    mul_bcast_rows,
    mul_bcast_scalar,
    sub,
    sub_bcast_cols,
    sub_bcast_rows,
    sub_bcast_scalar,
)
from tilewright.kernels.phases.contract import Contract, Phase, Region, Traffic, phase
from tilewright.kernels.phases.copy import copy
from tilewright.kernels.phases.matmul import multiply_rows, multiply_rows_transposed
from tilewright.kernels.phases.reduce import reduce_row_max, reduce_row_mean, reduce_row_sum
from tilewright.kernels.phases.reduce_tile import (
    accumulate_block_column_mean,
    accumulate_column_mean,
    accumulate_tile_mean,
    reduce_column_max,
    reduce_tile_max,
)
from tilewright.kernels.phases.rsqrt import add_rsqrt
from tilewright.kernels.phases.scaler import fill_constant_tile, fill_partial_scaler_tiles, fill_scaler_tile
from tilewright.kernels.phases.square import square
from tilewright.kernels.phases.sticks import read_sticks, write_sticks
from tilewright.kernels.phases.tilize import tilize, tilize_each, tilize_sticks
from tilewright.kernels.phases.untilize import untilize, untilize_each, untilize_sticks

__all__ = [
    "Contract",
    "Phase",
    "Region",
    "Traffic",
    "accumulate_block_column_mean",
    "accumulate_column_mean",
    "accumulate_row_mean",
    "accumulate_tile_mean",
    "add",
    "add_bcast_cols",
    "add_bcast_rows",
    "add_bcast_scalar",
    "add_rsqrt",
    "copy",
    "fill_constant_tile",
    "fill_partial_scaler_tiles",
    "fill_scaler_tile",
    "mul",
    "mul_bcast_cols",
    "mul_bcast_rows",
    "mul_bcast_scalar",
    "multiply_rows",
    "multiply_rows_transposed",
    "phase",
    "read_sticks",
    "reduce_column_max",
    "reduce_row_max",
    "reduce_row_mean",
    "reduce_row_sum",
    "reduce_tile_max",
    "square",
    "sub",
    "sub_bcast_cols",
    "sub_bcast_rows",
    "sub_bcast_scalar",
    "tilize",
    "tilize_each",
    "tilize_sticks",
    "untilize",
    "untilize_each",
    "untilize_sticks",
    "write_sticks",
]
