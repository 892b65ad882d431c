# SPDX-License-Identifier: Apache-2.0
"""A small convolutional network: two convolutions, a maximum pool, a global average and a classifier.

    tilewright exec examples/models/cnn.py

The classes' scores of every picture are compared with float64.
"""

import torch
import ttnn
from float64_reference import assert_close

PICTURES, SIDE, CLASSES = 2, 16, 10
CHANNELS = (16, 32, 64)
ROUNDINGS = 5  # results stored in bfloat16: two convolutions, pool, average, scores


def convolution(
    x: ttnn.Tensor, weights: dict[str, torch.Tensor], number: int, side: int, device: ttnn.Device
) -> ttnn.Tensor:
    """A 3x3 convolution with a bias and ReLU, of pictures as rows of channels."""
    before, after = CHANNELS[number : number + 2]
    result, _ = ttnn.conv2d(
        input_tensor=x,
        weight_tensor=ttnn.from_torch(weights[f"weight_{number}"]),
        bias_tensor=ttnn.from_torch(weights[f"bias_{number}"].reshape(1, 1, 1, after)),
        device=device,
        in_channels=before,
        out_channels=after,
        batch_size=PICTURES,
        input_height=side,
        input_width=side,
        kernel_size=(3, 3),
        stride=(1, 1),
        padding=(1, 1),
        conv_config=ttnn.Conv2dConfig(activation=ttnn.UnaryWithParam(ttnn.UnaryOpType.RELU)),
        return_output_dim=True,
    )[:2]
    return result


def network(x: torch.Tensor, weights: dict[str, torch.Tensor], device: ttnn.Device) -> ttnn.Tensor:
    """The network in ttnn; pictures come with their channels last."""
    rows = x.permute(0, 2, 3, 1).reshape(1, 1, PICTURES * SIDE * SIDE, CHANNELS[0])
    y = convolution(ttnn.from_torch(rows, device=device), weights, 0, SIDE, device)
    y = ttnn.max_pool2d(
        y,
        batch_size=PICTURES,
        input_h=SIDE,
        input_w=SIDE,
        channels=CHANNELS[1],
        kernel_size=[2, 2],
        stride=[2, 2],
        padding=[0, 0],
        dilation=[1, 1],
    )
    y = convolution(y, weights, 1, SIDE // 2, device)
    y = ttnn.to_layout(ttnn.sharded_to_interleaved(y), ttnn.ROW_MAJOR_LAYOUT)
    y = ttnn.to_layout(ttnn.reshape(y, (PICTURES, 1, (SIDE // 2) ** 2, CHANNELS[2])), ttnn.TILE_LAYOUT)
    y = ttnn.mean(y, dim=2, keepdim=True)
    return ttnn.linear(y, ttnn.from_torch(weights["classes"], layout=ttnn.TILE_LAYOUT, device=device))


def reference(x: torch.Tensor, weights: dict[str, torch.Tensor]) -> torch.Tensor:
    """The same network in float64."""
    w = {name: weight.double() for name, weight in weights.items()}
    y = torch.relu(torch.nn.functional.conv2d(x.double(), w["weight_0"], w["bias_0"], padding=1))
    y = torch.nn.functional.max_pool2d(y, 2)
    y = torch.relu(torch.nn.functional.conv2d(y, w["weight_1"], w["bias_1"], padding=1))
    return y.mean(dim=(2, 3)) @ w["classes"]


def main() -> None:
    generator = torch.Generator().manual_seed(1)
    weights = {"classes": torch.randn(CHANNELS[2], CLASSES, generator=generator) / CHANNELS[2] ** 0.5}
    for number in range(2):
        before, after = CHANNELS[number : number + 2]
        weights[f"weight_{number}"] = torch.randn(after, before, 3, 3, generator=generator) / (9 * before) ** 0.5
        weights[f"bias_{number}"] = torch.randn(after, generator=generator) / 10
    weights = {name: weight.bfloat16() for name, weight in weights.items()}
    x = torch.randn(PICTURES, CHANNELS[0], SIDE, SIDE, generator=generator).bfloat16()

    device = ttnn.open_device(device_id=0, l1_small_size=16384)
    scores = ttnn.to_torch(network(x, weights, device))[:, 0, 0, :CLASSES]
    assert_close("scores", scores, reference(x, weights), ROUNDINGS)
    ttnn.close_device(device)


if __name__ == "__main__":
    main()
