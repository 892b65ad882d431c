# SPDX-License-Identifier: Apache-2.0
"""How measured convolutions, halos and pools are called with the real ttnn. The first two are one ``ttnn.conv2d``.

A halo brings to every core the rows of the image that its part of the output needs; the convolution is the launch after
it. The names of its kernels show which of a call's launches is a row's (``LAUNCHES``).
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable
from typing import Any

import ttnn

from tools.timing_rows.row_tensors import DTYPES, Bench, Described, Measured

# Words of kernels' names.
LAUNCHES = {"Halo": "halo_gather", "Conv2d": "conv_bmm", "OptimizedConvNew": "conv_bmm", "Pool2D": "pool_2d"}
_FEWEST_CHANNELS = 32


def convolution(bench: Bench, row: Measured) -> Callable[[], Any]:
    """Output shards, blocks and buffers as the row says; the image comes from DRAM."""
    height, width = row.numbers("input")
    channels, out_channels = int(row.how["channels"]), int(row.how["out_channels"])
    image = ttnn.zeros([1, 1, height * width, channels], ttnn.bfloat16, ttnn.ROW_MAJOR_LAYOUT, bench.device)
    config = _config(bench, row)
    config.core_grid = bench.shards(row).grid
    config.override_sharding_config = True
    config.act_block_h_override = 32 * int(row.how["act_block_h"])
    config.enable_act_double_buffer = row.how["double"] == "1"
    config.enable_weights_double_buffer = row.how["weights_double"] == "1"
    config.output_layout = ttnn.TILE_LAYOUT if row.output.layout == "TILE" else ttnn.ROW_MAJOR_LAYOUT
    if "activation" in row.how:
        config.activation = ttnn.UnaryWithParam(getattr(ttnn.UnaryOpType, row.how["activation"].upper()))
    bias = _host([1, 1, 1, out_channels]) if len(row.inputs) > 2 else None
    return _call(bench, row, image, channels, out_channels, config, bias, bench.compute(row))


def halo(bench: Bench, row: Measured) -> Callable[[], Any]:
    """The image lies in shards as the row says of what the halo was given."""
    given = row.inputs[0]
    channels = given.logical[-1]
    image = bench.tensor(dataclasses.replace(row, output=given), given, _rows(row, given))
    call = _call(bench, row, image, channels, _FEWEST_CHANNELS, _config(bench, row), None, None)

    def until_the_halo_is_there() -> None:
        # The convolution behind it is made up and may not fit into L1; a halo that failed leaves no record.
        with contextlib.suppress(RuntimeError):
            call()

    return until_the_halo_is_there


def pool(bench: Bench, row: Measured) -> Callable[[], Any]:
    """The largest of each window; its halo is a launch before it, whose result is what the row says it was given."""
    height, width = row.numbers("input")
    channels = row.output.logical[-1]
    shape = [1, 1, height * width, channels]
    given = dataclasses.replace(row.output, padded=shape, logical=shape)
    image = bench.tensor(dataclasses.replace(row, how={}), given)
    return lambda: ttnn.max_pool2d(
        input_tensor=image,
        batch_size=1,
        input_h=height,
        input_w=width,
        channels=channels,
        kernel_size=row.numbers("window"),
        stride=row.numbers("stride"),
        padding=row.numbers("padding"),
        dilation=row.numbers("dilation"),
    )


def _rows(row: Measured, given: Described) -> list[int]:
    """The image without what fills its last shard up."""
    height, width = row.numbers("input")
    return [1, 1, height * width, given.logical[-1]]


def _config(bench: Bench, row: Measured) -> Any:
    layouts = {"L1_HEIGHT_SHARDED": "HEIGHT_SHARDED", "L1_BLOCK_SHARDED": "BLOCK_SHARDED"}
    return ttnn.Conv2dConfig(
        weights_dtype=ttnn.bfloat8_b,
        shard_layout=getattr(ttnn.TensorMemoryLayout, layouts[row.inputs[0].memory]),
        config_tensors_in_dram=row.how.get("config_in_dram", "0") == "1",
        transpose_shards=row.how["shard"].endswith(":col"),
    )


def _call(
    bench: Bench, row: Measured, image: Any, channels: int, out_channels: int, config: Any, bias: Any, compute: Any
) -> Callable[[], Any]:
    height, width = row.numbers("input")
    window = row.numbers("window")
    weights = _host([out_channels, channels, *window])
    settings = {"compute_config": compute} if compute is not None else {}
    return lambda: ttnn.conv2d(
        input_tensor=image,
        weight_tensor=weights,
        device=bench.device,
        in_channels=channels,
        out_channels=out_channels,
        batch_size=1,
        input_height=height,
        input_width=width,
        kernel_size=window,
        stride=row.numbers("stride"),
        padding=row.numbers("padding"),
        dilation=row.numbers("dilation"),
        bias_tensor=bias,
        conv_config=config,
        dtype=DTYPES[row.output.dtype],
        slice_config=ttnn.Conv2dL1FullSliceConfig,
        **settings,
    )


def _host(shape: list[int]) -> Any:
    return ttnn.zeros(shape, ttnn.bfloat16, ttnn.ROW_MAJOR_LAYOUT)
