# SPDX-License-Identifier: Apache-2.0
"""How each family of measured operations is called with the real ttnn."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import torch
import ttnn

from tools.timing_rows.row_convolutions import convolution, halo, pool
from tools.timing_rows.row_tensors import DTYPES, Bench, Measured

Make = Callable[[Bench, Measured], Callable[[], Any]]


def _binary(bench: Bench, row: Measured) -> Callable[[], Any]:
    function = getattr(ttnn, {"add": "add", "sub": "subtract", "mul": "multiply"}.get(row.how["op"], row.how["op"]))
    first, *others = bench.inputs(row)
    second = float(row.how["scalar"]) if not others else others[0]
    to: dict[str, Any] = {"memory_config": bench.memory(row, row.output)}
    if len(others) > 1:
        to = {"output_tensor": others[1]}
    if "activation" in row.how:
        to["activations"] = [ttnn.UnaryWithParam(getattr(ttnn.UnaryOpType, row.how["activation"].upper()))]
    return lambda: function(first, second, **to)


def _unary(bench: Bench, row: Measured) -> Callable[[], Any]:
    first, *others = bench.inputs(row)
    function = getattr(ttnn, row.how["op"])
    to = {"output_tensor": first} if others else {"memory_config": bench.memory(row, row.output)}
    return lambda: function(first, **to)


def _moved(function: str, **extra: Any) -> Make:
    """An operation of one tensor that only moves or converts it."""

    def make(bench: Bench, row: Measured) -> Callable[[], Any]:
        a = bench.tensor(row, row.inputs[0])
        to = bench.memory(row, row.output)
        return lambda: getattr(ttnn, function)(a, memory_config=to, **extra)

    return make


def _placed(function: str) -> Make:
    def make(bench: Bench, row: Measured) -> Callable[[], Any]:
        a = bench.tensor(row, row.inputs[0])
        to = bench.memory(row, row.output)
        return lambda: getattr(ttnn, function)(a, to)

    return make


def _move(bench: Bench, row: Measured) -> Callable[[], Any]:
    """To another place: where another tensor was when this one was made, a third of it where L1 has no room for two."""
    given = row.inputs[0]
    try:
        before = bench.tensor(row, given)
        a = bench.tensor(row, given)
    except RuntimeError:
        ttnn.deallocate(before)
        third = [*given.logical[:-2], given.logical[-2] // 3 // row.cores * row.cores, given.logical[-1]]
        before = bench.tensor(row, dataclasses.replace(given, padded=third, logical=third))
        a = bench.tensor(row, given)
    to = bench.memory(row, row.output)
    ttnn.deallocate(before)
    return lambda: ttnn.move(a, memory_config=to)


def _untilize_with_unpadding(bench: Bench, row: Measured) -> Callable[[], Any]:
    a = bench.tensor(row, row.inputs[0], row.inputs[0].padded)
    last = [side - 1 for side in row.output.logical]
    to = bench.memory(row, row.output)
    return lambda: ttnn.untilize_with_unpadding(a, last, memory_config=to, use_multicore=True)


def _typecast(bench: Bench, row: Measured) -> Callable[[], Any]:
    a = bench.tensor(row, row.inputs[0])
    to = bench.memory(row, row.output)
    return lambda: ttnn.typecast(a, DTYPES[row.output.dtype], memory_config=to)


def _concat(bench: Bench, row: Measured) -> Callable[[], Any]:
    parts = bench.inputs(row)
    to = bench.memory(row, row.output)
    return lambda: ttnn.concat(parts, dim=int(row.how.get("dim", -1)), memory_config=to)


def _permute(bench: Bench, row: Measured) -> Callable[[], Any]:
    """Some rows have shapes with their padding only; what the other side lacks of it was padding."""
    dims = row.numbers("dims")
    shape = list(row.inputs[0].logical)
    for side, dim in zip(row.output.logical, dims, strict=True):
        shape[dim] = min(shape[dim], side)
    a = bench.tensor(row, row.inputs[0], shape)
    to = bench.memory(row, row.output)
    return lambda: ttnn.permute(a, dims, memory_config=to)


def _transpose(bench: Bench, row: Measured) -> Callable[[], Any]:
    a = bench.tensor(row, row.inputs[0])
    to = bench.memory(row, row.output)
    first, second = ("nchw".index(letter) for letter in row.how["dim"])
    return lambda: ttnn.transpose(a, first, second, memory_config=to)


def _slice(bench: Bench, row: Measured) -> Callable[[], Any]:
    begin, end = row.numbers("begin"), row.numbers("end")
    shape = [1] * (len(begin) - len(row.inputs[0].logical)) + row.inputs[0].logical
    if any(last > side for last, side in zip(end, shape, strict=True)):  # it was cut with its padding
        shape = [1] * (len(begin) - len(row.inputs[0].padded)) + row.inputs[0].padded
    a = bench.tensor(row, row.inputs[0], shape)
    to = bench.memory(row, row.output)
    return lambda: ttnn.slice(a, begin, end, memory_config=to)


def _layer_norm(bench: Bench, row: Measured) -> Callable[[], Any]:
    a, *weights = bench.inputs(row)
    function = ttnn.rms_norm if row.how["norm"] == "rmsnorm" else ttnn.layer_norm
    how = {
        **dict(zip(("weight", "bias"), weights, strict=False)),
        "epsilon": float(row.how["epsilon"]),
        "memory_config": bench.memory(row, row.output),
        "compute_kernel_config": bench.compute(row),
    }
    return lambda: function(a, **how)


def _softmax(bench: Bench, row: Measured) -> Callable[[], Any]:
    a = bench.tensor(row, row.inputs[0])
    how = {
        "numeric_stable": row.how["stable"] == "1",
        "memory_config": bench.memory(row, row.output),
        "compute_kernel_config": bench.compute(row),
    }
    return lambda: ttnn.softmax(a, dim=-1, **how)


def _matmul_config(text: str) -> Any:
    """``MatmulMultiCoreReuseMultiCastProgramConfig:grid=11x10,in0_block_w=8,...``"""
    name, fields = text.split(":")
    values = dict(each.split("=") for each in fields.split(","))
    columns, rows = (int(side) for side in values.pop("grid").split("x"))
    flags = ("fuse_batch", "mcast_in0", "transpose_mcast")
    return getattr(ttnn, name)(
        compute_with_storage_grid_size=ttnn.CoreCoord(columns, rows),
        fused_activation=None,
        **{key: value == "1" if key in flags else int(value) for key, value in values.items()},
    )


def _matmul(bench: Bench, row: Measured) -> Callable[[], Any]:
    """Without the activation that some had: they did it as they packed, today's ttnn would launch it by itself."""
    a, b, *bias = bench.inputs(row)
    how: dict[str, Any] = {
        "memory_config": bench.memory(row, row.output),
        "dtype": DTYPES[row.output.dtype],
        "compute_kernel_config": bench.compute(row),
    }
    if "config" in row.how:
        how["program_config"] = _matmul_config(row.how["config"])
    if bias:
        return lambda: ttnn.linear(a, b, bias=bias[0], **how)
    return lambda: ttnn.matmul(a, b, **how)


def _minimal_matmul(bench: Bench, row: Measured) -> Callable[[], Any]:
    a, b, bias = bench.inputs(row)
    blocks = row.numbers("config")
    names = ("M_block_size", "K_block_size", "N_block_size", "subblock_h", "subblock_w")
    config = ttnn.MinimalMatmulConfig(
        **dict(zip(names, blocks, strict=False)), compute_with_storage_grid_size=ttnn.CoreCoord(*blocks[5:])
    )
    compute = bench.compute(row)
    return lambda: ttnn.experimental.minimal_matmul(
        a, b, bias_tensor=bias, config=config, compute_kernel_config=compute
    )


def _accumulation(bench: Bench, row: Measured) -> Callable[[], Any]:
    a = bench.tensor(row, row.inputs[0])
    return lambda: ttnn.cumsum(a, int(row.how["dim"]), dtype=DTYPES[row.output.dtype])


def _concat_heads(bench: Bench, row: Measured) -> Callable[[], Any]:
    a = bench.tensor(row, row.inputs[0])
    to = bench.memory(row, row.output)
    return lambda: ttnn.experimental.nlp_concat_heads(a, memory_config=to)


def _rotary(bench: Bench, row: Measured) -> Callable[[], Any]:
    tensors = bench.inputs(row)
    config = bench.compute(row)
    return lambda: ttnn.experimental.rotary_embedding_llama(
        *tensors, is_decode_mode=False, compute_kernel_config=config
    )


def _embedding(bench: Bench, row: Measured) -> Callable[[], Any]:
    indices, weights = bench.inputs(row)
    to = bench.memory(row, row.output)
    return lambda: ttnn.embedding(ttnn.zeros_like(indices), weights, memory_config=to)


def _group_norm(bench: Bench, row: Measured) -> Callable[[], Any]:
    # With its padding: today's operation wants tile-rows that the rows of cores divide.
    a = bench.tensor(row, row.inputs[0], row.inputs[0].padded)
    gamma, beta, mask, *negative = bench.inputs(row)[1:]
    columns, rows = row.numbers("grid")
    how = {
        "num_groups": int(row.how["groups"]),
        "input_mask": mask,
        "negative_mask": negative[0] if negative else None,
        "weight": gamma,
        "bias": beta,
        "epsilon": 1e-5,
        "memory_config": bench.memory(row, row.output),
        "core_grid": ttnn.CoreGrid(x=columns, y=rows),
        "inplace": row.how["inplace"] == "1",
        "output_layout": ttnn.TILE_LAYOUT if row.output.layout == "TILE" else ttnn.ROW_MAJOR_LAYOUT,
        "compute_kernel_config": bench.compute(row),
    }
    if "blocks" in row.how:
        how["num_out_blocks"] = int(row.how["blocks"])
    return lambda: ttnn.group_norm(a, **how)


def _grid_sample(bench: Bench, row: Measured) -> Callable[[], Any]:
    """Six numbers for each point, made beforehand: where it lies, and four weights. Points lie all over the image."""
    image, grid = row.inputs
    a = bench.tensor(row, image)
    anywhere = torch.rand([*grid.logical[:-1], 2], generator=torch.Generator().manual_seed(0)) * 2 - 1
    prepared = ttnn.prepare_grid_sample_grid(ttnn.from_torch(anywhere, ttnn.float32), image.logical)
    points = ttnn.to_device(prepared, bench.device)
    to = bench.memory(row, row.output)
    return lambda: ttnn.grid_sample(a, points, use_precomputed_grid=True, memory_config=to)


def _cut_and_place(bench: Bench, row: Measured) -> Callable[[], Any]:
    a = bench.tensor(row, row.inputs[0])
    to = bench.memory(row, row.output)
    begin, end = row.numbers("begin"), row.numbers("end")
    return lambda: ttnn.experimental.padded_slice(a, begin, end, [1] * len(begin), memory_config=to)


def _place_into(bench: Bench, row: Measured) -> Callable[[], Any]:
    a, whole = bench.inputs(row)
    begin, end = row.numbers("begin"), row.numbers("end")
    return lambda: ttnn.experimental.slice_write(a, whole, begin, end, [1] * len(begin))


def _partly_interleaved(bench: Bench, row: Measured) -> Callable[[], Any]:
    a, whole = bench.inputs(row)
    return lambda: ttnn.sharded_to_interleaved_partial(a, whole, int(row.how["slices"]), int(row.how["slice"]))


def _reshape(bench: Bench, row: Measured) -> Callable[[], Any]:
    a = bench.tensor(row, row.inputs[0])
    return lambda: ttnn.reshape(a, row.output.logical)


def _integral_image(bench: Bench, row: Measured) -> Callable[[], Any]:
    a = bench.tensor(row, row.inputs[0])
    return lambda: ttnn.experimental.intimg(a)


CALLS: dict[str, Make] = {
    "Accumulation": _accumulation,
    "Binary": _binary,
    "BinaryNg": _binary,
    "Concat": _concat,
    "Conv2d": convolution,
    "Copy": _moved("clone"),
    "Embeddings": _embedding,
    "GridSample": _grid_sample,
    "GroupNorm": _group_norm,
    "Halo": halo,
    "IntImg": _integral_image,
    "InterleavedToSharded": _placed("interleaved_to_sharded"),
    "LayerNorm": _layer_norm,
    "Matmul": _matmul,
    "MinimalMatmulOp": _minimal_matmul,
    "Move": _move,
    "NLPConcatHeads": _concat_heads,
    "OptimizedConvNew": convolution,
    "PaddedSlice": _cut_and_place,
    "Permute": _permute,
    "Pool2D": pool,
    "Reshape": _reshape,
    "Reshard": _placed("to_memory_config"),
    "RotaryEmbeddingLlama": _rotary,
    "ShardedToInterleaved": _placed("sharded_to_interleaved"),
    "ShardedToInterleavedPartial": _partly_interleaved,
    "Slice": _slice,
    "SliceWrite": _place_into,
    "Softmax": _softmax,
    "Tilize": _moved("tilize", use_multicore=True),
    "TilizeWithValPadding": _moved("tilize_with_zero_padding", use_multicore=True),
    "Transpose": _transpose,
    "Typecast": _typecast,
    "Unary": _unary,
    "Untilize": _moved("untilize", use_multicore=True),
    "UntilizeWithUnpadding": _untilize_with_unpadding,
}
BETWEEN_CARDS = ("AllGatherAsync", "ReduceScatterMinimalAsync")
