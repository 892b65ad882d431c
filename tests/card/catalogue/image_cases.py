# SPDX-License-Identifier: Apache-2.0
"""Images: other convolutions, pools to a given size, sampling at any place, attention that samples, channel order."""

from __future__ import annotations

from typing import Any

import torch
import ttnn

from tests.card.catalogue.operation_case import PRECISE, Bench, Case, Summed, operation
from tests.card.catalogue.pool_cases import ROWS, flat

Images = torch.nn.functional


def _sums(product: Any, image: torch.Tensor, weight: torch.Tensor) -> Summed:
    """A convolution, and the sum of the sizes of its terms."""
    return Summed(product(image, weight), product(image.abs(), weight.abs()))


def _conv1d() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        signal, weight = bench.random((1, 32, 64)), bench.random((32, 32, 3), -0.5, 0.5)
        found = ttnn.conv1d(
            input_tensor=bench.put(signal.permute(0, 2, 1), layout=ROWS),
            weight_tensor=ttnn.from_torch(weight, ttnn.bfloat16), device=bench.device, in_channels=32, out_channels=32,
            batch_size=1, input_length=64, kernel_size=3, stride=1, padding=1, dtype=ttnn.bfloat16,
            conv_config=ttnn.Conv2dConfig(weights_dtype=ttnn.bfloat16), compute_config=PRECISE,
        )  # fmt: skip
        wanted = _sums(lambda first, second: Images.conv1d(first, second, padding=1), signal, weight)
        return found, wanted.map(lambda part: part.permute(0, 2, 1))

    return Case("conv1d", "", run, 4)


def _conv_transpose(stride: int, size: int) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        image, weight = bench.random((1, 32, 8, 8)), bench.random((32, 32, size, size), -0.5, 0.5)
        found = ttnn.conv_transpose2d(
            input_tensor=bench.put(image.permute(0, 2, 3, 1), layout=ROWS),
            weight_tensor=ttnn.from_torch(weight, ttnn.bfloat16), device=bench.device, in_channels=32, out_channels=32,
            batch_size=1, input_height=8, input_width=8, kernel_size=(size, size), stride=(stride, stride),
            padding=(1, 1), output_padding=(0, 0), dilation=(1, 1), groups=1, dtype=ttnn.bfloat16, mirror_kernel=True,
            conv_config=ttnn.Conv2dConfig(weights_dtype=ttnn.bfloat16), compute_config=PRECISE,
        )  # fmt: skip
        wanted = _sums(lambda one, two: Images.conv_transpose2d(one, two, stride=stride, padding=1), image, weight)
        return found, wanted.map(flat)

    return Case("conv_transpose2d", f"{size}x{size} stride {stride}", run, 4)


def _conv3d(name: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        video, weight = bench.random((1, 32, 4, 6, 6)), bench.random((32, 32, 3, 3, 3), -0.5, 0.5)
        prepared = ttnn.experimental.prepare_conv3d_weights(
            weight_tensor=ttnn.from_torch(weight, ttnn.bfloat16), device=bench.device
        )
        found = ttnn.experimental.conv3d(
            input_tensor=bench.put(video.permute(0, 2, 3, 4, 1), layout=ROWS), weight_tensor=prepared,
            device=bench.device, dtype=ttnn.bfloat16, output_channels=32, kernel_size=(3, 3, 3), stride=(1, 1, 1),
            padding=(0, 1, 1), padding_mode="zeros", compute_kernel_config=PRECISE,
        )  # fmt: skip
        wanted = _sums(lambda first, second: Images.conv3d(first, second, padding=(0, 1, 1)), video, weight)
        return found, wanted.map(lambda part: part.permute(0, 2, 3, 4, 1))

    return Case(name, "", run, 4)


def _adaptive(kind: str, size: tuple[int, int]) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        image = bench.random((1, 32, 16, 16))
        pool = operation(f"adaptive_{kind}_pool2d")
        found = pool(bench.put(flat(image), layout=ROWS), 1, 16, 16, 32, size)
        return found, flat(getattr(Images, f"adaptive_{kind}_pool2d")(image, size))

    return Case(f"adaptive_{kind}_pool2d", f"to {size[0]}x{size[1]}", run, 0 if kind == "max" else 2)


def _grid_sample(mode: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        # Places that are not near the middle between two pixels, where nearest would depend on rounding.
        image, grid = bench.random((1, 32, 8, 8)), bench.integers((1, 8, 8, 2), 0, 8) / 4 - 0.875 - 2**-5
        tensor, more = bench.put(grid, ttnn.float32, ROWS), {}
        if mode == "nearest":  # which takes prepared places only
            host = ttnn.from_torch(grid, ttnn.float32, layout=ROWS)
            prepared = ttnn.prepare_grid_sample_grid(
                host, [1, 8, 8, 32], mode=mode, padding_mode="zeros", output_dtype=ttnn.bfloat16
            )
            tensor, more = ttnn.to_device(prepared, bench.device), {"use_precomputed_grid": True}
        found = ttnn.grid_sample(bench.put(image.permute(0, 2, 3, 1), layout=ROWS), tensor, mode=mode, **more)
        wanted = Images.grid_sample(image, grid, mode=mode, align_corners=False)
        return found, wanted.permute(0, 2, 3, 1)

    return Case("grid_sample", mode, run, 0 if mode == "nearest" else 4)


def _rotate(label: str, **options: Any) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        image = bench.random((1, 16, 16, 32))
        found = ttnn.rotate(bench.put(image, layout=ROWS), 90.0, **options)
        return found, torch.rot90(image, 1, (1, 2))

    return Case("rotate", label, run, 0 if label == "nearest" else 4)


def _sampled(value: torch.Tensor, places: torch.Tensor, weights: torch.Tensor, sizes: Any) -> Summed:
    """Attention over sampled places: value (B, S, H, D), places (B, Q, H, L, P, 2) in [0, 1], weights without the 2."""
    batch, queries, heads, _, points, _ = places.shape
    parts = []
    for level, part in enumerate(value.split([height * width for height, width in sizes], 1)):
        image = part.permute(0, 2, 3, 1).reshape(batch * heads, -1, *sizes[level])
        grid = (places[:, :, :, level] * 2 - 1).transpose(1, 2).reshape(batch * heads, queries, points, 2)
        found = Images.grid_sample(image, grid, align_corners=False)
        weight = weights[:, :, :, level].transpose(1, 2).reshape(batch * heads, 1, queries, points)
        parts.append(found * weight)
    terms = torch.cat(parts, -1)
    width = value.shape[-1]

    def arranged(total: torch.Tensor) -> torch.Tensor:
        return total.reshape(batch, heads, width, queries).permute(0, 3, 1, 2).reshape(batch, queries, heads * width)

    return Summed(terms.sum(-1), terms.abs().sum(-1)).map(arranged)


SIZES = [(8, 8), (4, 4)]
HEADS, QUERIES, POINTS, WIDTH = 2, 32, 4, 32


def _deformable(name: str) -> Case:
    """Places lie on a raster of eighths of pixels, which bfloat16 holds, so that only the sums are rounded."""

    def run(bench: Bench) -> tuple[Any, Any]:
        levels = len(SIZES)
        value = bench.random((1, sum(height * width for height, width in SIZES), HEADS, WIDTH))
        weights = bench.random((1, QUERIES, HEADS, levels, POINTS), 0, 1)
        value_tensor = bench.put(value.reshape(1, -1, HEADS * WIDTH), layout=ROWS)
        weight_tensor = bench.put(weights.reshape(1, QUERIES, HEADS, -1), layout=ROWS)
        if name == "fused_msda":
            places = bench.integers((1, QUERIES, HEADS, levels, POINTS, 2), 0, 64) / 64
            packed = bench.put(places.reshape(1, QUERIES, HEADS, -1), layout=ROWS)
            found = ttnn.experimental.fused_msda(value_tensor, packed, weight_tensor, SIZES)
            return found, _sampled(value, places, weights, SIZES)
        middle = bench.integers((1, QUERIES, levels, 2), 0, 16) / 16
        offsets = bench.integers((1, QUERIES, HEADS, levels, POINTS, 2), -16, 16) / 8
        scale = torch.tensor([[width, height] for height, width in SIZES]).reshape(1, 1, 1, levels, 1, 2)
        places = middle.reshape(1, QUERIES, 1, levels, 1, 2) + offsets / scale
        arguments = (
            value_tensor, bench.put(middle, ttnn.float32, ROWS),
            bench.put(offsets.reshape(1, QUERIES, HEADS, -1), layout=ROWS), weight_tensor, SIZES,
        )  # fmt: skip
        if name == "can_use_fused_msda_from_offsets_l1_value":
            return torch.tensor(operation(f"experimental.{name}")(*arguments)), torch.tensor(True)
        found = ttnn.experimental.fused_msda_from_offsets(*arguments)
        return found, _sampled(value, places, weights, SIZES)

    return Case(f"experimental.{name}", "", run, 6)  # weights of a pixel, their products, products, sums


def _one_level() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        value, weights = bench.random((HEADS, 8, 8, WIDTH)), bench.random((HEADS, QUERIES, POINTS), 0, 1)
        places = bench.integers((HEADS, QUERIES, POINTS, 2), 0, 64) / 64
        found = ttnn.experimental.multi_scale_deformable_attn(
            bench.put(value, layout=ROWS), bench.put((places * 2 - 1).reshape(HEADS, -1, 1, 2), layout=ROWS),
            bench.put(weights, layout=ROWS),
        )  # fmt: skip
        wanted = _sampled(
            value.reshape(HEADS, 64, 1, WIDTH), places[:, :, None, None], weights[:, :, None, None], SIZES[:1]
        )
        return found, wanted

    return Case("experimental.multi_scale_deformable_attn", "", run, 6)


def _channels(name: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 1, 32, 256) if name == "convert_to_hwc" else (1, 1, 256, 32))
        if name == "convert_to_hwc":
            memory = bench.memory("width sharded", values.shape)
            found = ttnn.experimental.convert_to_hwc(bench.put(values, layout=ROWS, memory=memory))
        else:
            memory = bench.memory("height sharded", values.shape)
            found = ttnn.experimental.convert_to_chw(bench.put(values, memory=memory))
        return found, values.transpose(2, 3)

    return Case(f"experimental.{name}", "", run, 0)


def _integral() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        image = bench.random((1, 12, 40, 256), 0, 1)  # it takes all of its eight cores for channels, 32 to each
        return ttnn.experimental.intimg(bench.put(image)), image.cumsum(1).cumsum(2)

    return Case("experimental.intimg", "", run, 12 + 40)  # sums one after the other, each rounded


def _padded_slice() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        image = bench.random((1, 8, 16, 32))
        memory = bench.memory("height sharded", (1, 1, 4 * 16, 32))
        found = ttnn.experimental.padded_slice(
            bench.put(image, layout=ROWS), [0, 2, 0, 0], [1, 6, 16, 32], [1, 1, 1, 1], memory_config=memory
        )
        return found, image[:, 2:6].reshape(1, 1, 64, 32)

    return Case("experimental.padded_slice", "", run, 0)


def _slice_write() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        image, part = bench.random((1, 8, 16, 32)), bench.random((1, 4, 16, 32))
        target = bench.put(image, layout=ROWS)
        ttnn.experimental.slice_write(bench.put(part, layout=ROWS), target, [0, 2, 0, 0], [1, 6, 16, 32], [1, 1, 1, 1])
        wanted = image.clone()
        wanted[:, 2:6] = part
        return target, wanted

    return Case("experimental.slice_write", "", run, 0)


CASES = [
    _conv1d(),
    _conv_transpose(1, 3),
    _conv_transpose(2, 4),
    _conv3d("experimental.conv3d"),
    _conv3d("experimental.prepare_conv3d_weights"),
    *(_adaptive(kind, size) for kind in ("avg", "max") for size in ((1, 1), (4, 4))),
    _grid_sample("bilinear"),
    _grid_sample("nearest"),
    _rotate("nearest", interpolation_mode="nearest"),
    _rotate("bilinear", interpolation_mode="bilinear"),
    _deformable("fused_msda"),
    _deformable("fused_msda_from_offsets"),
    _deformable("can_use_fused_msda_from_offsets_l1_value"),
    _one_level(),
    _channels("convert_to_hwc"),
    _channels("convert_to_chw"),
    _integral(),
    _padded_slice(),
    _slice_write(),
]
