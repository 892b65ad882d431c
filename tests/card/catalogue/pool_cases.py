# SPDX-License-Identifier: Apache-2.0
"""Convolutions, pools and resampling of images."""

from __future__ import annotations

from typing import Any

import torch
import ttnn

from tests.card.catalogue.operation_case import PRECISE, Bench, Case, Summed

ROWS = ttnn.ROW_MAJOR_LAYOUT


def flat(image: torch.Tensor) -> torch.Tensor:
    """Channels last, all pixels in one dimension, as ttnn has images."""
    return image.permute(0, 2, 3, 1).reshape(1, 1, -1, image.shape[1])


def _by_rows(image: torch.Tensor, weight: torch.Tensor, stride: int) -> Summed:
    """A convolution, and its largest sum on the way: those of the window's rows are added up one after the other."""
    sums = []
    for rows in range(1, weight.shape[2] + 1):
        part = weight.clone()
        part[:, :, rows:] = 0
        sums.append(torch.nn.functional.conv2d(image, part, stride=stride, padding=weight.shape[2] // 2))
    return Summed(sums[-1], torch.stack(sums).abs().amax(0)).map(flat)


def _conv(channels: int, size: int, kernel: int, stride: int = 1, **options: Any) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        image, weight = bench.random((1, channels, size, size)), bench.random((32, channels, kernel, kernel), -0.5, 0.5)
        result = ttnn.conv2d(
            input_tensor=bench.put(flat(image), layout=ROWS),
            weight_tensor=ttnn.from_torch(weight, ttnn.bfloat16),
            device=bench.device, in_channels=channels, out_channels=32, batch_size=1, input_height=size,
            input_width=size, kernel_size=(kernel, kernel), stride=(stride, stride), padding=(kernel // 2, kernel // 2),
            dtype=ttnn.bfloat16, compute_config=PRECISE,
            conv_config=ttnn.Conv2dConfig(weights_dtype=ttnn.bfloat16, **options),
        )  # fmt: skip
        return result, _by_rows(image, weight, stride)

    return Case("conv2d", f"{channels} channels {kernel}x{kernel} stride {stride}", run, 6)


def _pool(name: str, channels: int) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        image = bench.random((1, channels, 16, 16))
        options: dict[str, Any] = {"dilation": [1, 1]} if name == "max_pool2d" else {}
        result = getattr(ttnn, name)(
            bench.put(flat(image), layout=ROWS), batch_size=1, input_h=16, input_w=16, channels=channels,
            kernel_size=[2, 2], stride=[2, 2], padding=[0, 0], **options,
        )  # fmt: skip
        return result, flat(getattr(torch.nn.functional, name)(image, 2, 2))

    return Case(name, f"{channels} channels", run, 0 if name == "max_pool2d" else 2)


def _upsample(mode: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        image = bench.random((1, 32, 8, 8))
        tensor = bench.put(image.permute(0, 2, 3, 1), layout=ROWS)
        result = ttnn.upsample(tensor, 2, mode=mode)
        options = {"align_corners": False} if mode == "bilinear" else {}
        wanted = torch.nn.functional.interpolate(image, scale_factor=2, mode=mode, **options)
        return result, wanted.permute(0, 2, 3, 1)

    return Case("upsample", mode, run, 0 if mode == "nearest" else 4)


CASES = [
    _conv(32, 16, 3),
    _conv(32, 16, 1),
    _conv(16, 16, 3, 2),
    _conv(64, 8, 3),
    *(_pool(name, channels) for name in ("max_pool2d", "avg_pool2d") for channels in (32, 64)),
    _upsample("nearest"),
    _upsample("bilinear"),
]
