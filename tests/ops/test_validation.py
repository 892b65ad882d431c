# SPDX-License-Identifier: Apache-2.0
"""Calls that the operations refuse, with the messages of their specifications."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tilewright import ops, ttnn
from tilewright.ops import OPERATIONS, OperationError

RANK = {
    "centralize_w_rm": "Input must be at least 2D, got rank 1",
    "variance_w_rm": "Input must be at least 2D, got rank 1",
    "standardize_w_rm": "Input tensor must be at least 2D, got rank 1",
    "layernorm_fused_rm": "Input must have at least 2 dimensions, got rank 1",
}
LAYOUT = {
    "centralize_w_rm": "Input must be in ROW_MAJOR layout",
    "variance_w_rm": "Input must be in ROW_MAJOR layout",
    "standardize_w_rm": "Input tensor must be in ROW_MAJOR layout",
    "layernorm_fused_rm": "Input must be in ROW_MAJOR layout",
}
INTERLEAVED = {
    "centralize_w_rm": "Input must be interleaved",
    "variance_w_rm": "Input must be interleaved",
    "standardize_w_rm": "Input tensor must have INTERLEAVED memory layout",
    "layernorm_fused_rm": "Input must be in INTERLEAVED memory",
}
ON_DEVICE = {
    "centralize_w_rm": "Input must be on device",
    "variance_w_rm": "Input must be on device",
    "standardize_w_rm": "Input tensor must be on device",
    "layernorm_fused_rm": "Input must be allocated on device",
}
DTYPE = {
    "centralize_w_rm": "Unsupported dtype INT32",
    "variance_w_rm": "Unsupported dtype INT32",
    "standardize_w_rm": "Unsupported dtype INT32",
    "layernorm_fused_rm": "Input must be BFLOAT16 or FLOAT32, got INT32",
}
WIDTH = {
    "centralize_w_rm": "Width must be at least 1, got 0",
    "variance_w_rm": "Width must be at least 1, got 0",
    "standardize_w_rm": "Width must be positive, got 0",
    "layernorm_fused_rm": "Width must be positive, got 0",
}


def tensor(shape: tuple[int, ...], device: ttnn.Device | None, **options: object) -> ttnn.Tensor:
    return ttnn.zeros(shape, device=device, **options)  # type: ignore[arg-type]


def call(name: str, x: ttnn.Tensor, device: ttnn.Device) -> object:
    vectors = [tensor((64,), device) for _ in OPERATIONS[name].inputs[1:]]
    return OPERATIONS[name](x, *vectors)


@pytest.mark.parametrize("name", OPERATIONS)
class TestInput:
    def refused(self, name: str, x: ttnn.Tensor, device: ttnn.Device, message: str) -> None:
        with pytest.raises(OperationError, match=re.escape(message)) as caught:
            call(name, x, device)
        assert isinstance(caught.value, (RuntimeError, ValueError))

    def test_rank(self, device: ttnn.Device, name: str) -> None:
        self.refused(name, tensor((64,), device), device, RANK[name])

    def test_layout(self, device: ttnn.Device, name: str) -> None:
        x = tensor((32, 64), device, layout=ttnn.TILE_LAYOUT)
        self.refused(name, x, device, f"{LAYOUT[name]}, got TILE")

    def test_interleaved(self, device: ttnn.Device, name: str) -> None:
        cores = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (0, 0))])
        shards = ttnn.ShardSpec(cores, [32, 64], ttnn.ShardOrientation.ROW_MAJOR)
        sharded = ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, shards)
        # A sharded tensor cannot be allocated yet, so this one is on the host; the layout is looked at first.
        x = ttnn.from_numpy(np.zeros((32, 64)), ttnn.bfloat16, memory_config=sharded)
        self.refused(name, x, device, f"{INTERLEAVED[name]}, got HEIGHT_SHARDED")

    def test_on_device(self, device: ttnn.Device, name: str) -> None:
        self.refused(name, tensor((32, 64), None), device, f"{ON_DEVICE[name]}, got a tensor on the host")

    def test_allocated(self, device: ttnn.Device, name: str) -> None:
        x = tensor((32, 64), device)
        x.deallocate()
        self.refused(name, x, device, f"{ON_DEVICE[name]}, got a tensor that has been deallocated")

    def test_dtype(self, device: ttnn.Device, name: str) -> None:
        self.refused(name, tensor((32, 64), device, dtype=ttnn.int32), device, DTYPE[name])

    def test_width(self, device: ttnn.Device, name: str) -> None:
        self.refused(name, tensor((32, 0), device), device, WIDTH[name])

    def test_empty(self, device: ttnn.Device, name: str) -> None:
        self.refused(name, tensor((2, 0, 64), device), device, "Input must not be empty, got shape [2, 0, 64]")

    def test_empty_array(self, device: ttnn.Device, name: str) -> None:
        vectors = [np.zeros(64, np.float32) for _ in OPERATIONS[name].inputs[1:]]
        with pytest.raises(OperationError, match="Input must not be empty"):
            OPERATIONS[name](np.zeros((0, 64), np.float32), *vectors, device=device)

    def test_core_grid(self, device: ttnn.Device, name: str) -> None:
        vectors = [tensor((64,), device) for _ in OPERATIONS[name].inputs[1:]]
        for grid, message in [((3, 1), "core_grid (3, 1) does not fit; allowed: 1x1 to 2x2"), (4, "must be a")]:
            with pytest.raises((OperationError, TypeError), match=re.escape(message)):
                OPERATIONS[name](tensor((32, 64), device), *vectors, core_grid=grid)

    def test_core_grid_of_numpy_integers(self, device: ttnn.Device, name: str) -> None:
        vectors = [tensor((64,), device) for _ in OPERATIONS[name].inputs[1:]]
        grid = (np.int64(2), np.uint8(1))
        result = OPERATIONS[name](tensor((32, 64), device), *vectors, core_grid=grid)
        assert result.shape[0] == 32

    def test_compute_kernel_config(self, device: ttnn.Device, name: str) -> None:
        vectors = [tensor((64,), device) for _ in OPERATIONS[name].inputs[1:]]
        with pytest.raises(TypeError, match="compute_kernel_config must be a"):
            OPERATIONS[name](tensor((32, 64), device), *vectors, compute_kernel_config="HiFi4")


@pytest.mark.parametrize(
    "epsilon", [0, -1e-5, float("nan"), float("inf"), 1e-45, 1e39, 10**400, np.ones(2), "1e-5", True, None]
)
def test_epsilon(device: ttnn.Device, epsilon: object) -> None:
    x, row = tensor((32, 64), device), tensor((64,), device)
    for refused in (
        lambda: ops.standardize_w_rm(x, epsilon),
        lambda: ops.layernorm_fused_rm(x, row, row, epsilon=epsilon),
    ):
        with pytest.raises(OperationError, match=re.escape(f"Epsilon must be positive, got {epsilon!r}")):
            refused()


class TestVectors:
    def refused(self, device: ttnn.Device, vector: ttnn.Tensor, message: str) -> None:
        x, row = tensor((32, 64), device), tensor((64,), device)
        for name, arguments in (("Gamma", (x, vector, row)), ("Beta", (x, row, vector))):
            with pytest.raises(OperationError, match=re.escape(f"{name} {message}")):
                ops.layernorm_fused_rm(*arguments)

    def test_width(self, device: ttnn.Device) -> None:
        self.refused(device, tensor((32,), device), "last dimension 32 must match input last dimension 64")

    def test_more_than_one_row(self, device: ttnn.Device) -> None:
        message = "shape must match input width, expected [64] or [1, ..., 1, 64] got [2, 64]"
        self.refused(device, tensor((2, 64), device), message)

    def test_layout(self, device: ttnn.Device) -> None:
        vector = tensor((1, 64), device, layout=ttnn.TILE_LAYOUT)
        self.refused(device, vector, "must be in ROW_MAJOR layout, got TILE")

    def test_dtype(self, device: ttnn.Device) -> None:
        vector = tensor((64,), device, dtype=ttnn.float32)
        self.refused(device, vector, "dtype must match input dtype, expected BFLOAT16 got FLOAT32")

    def test_on_device(self, device: ttnn.Device) -> None:
        self.refused(device, tensor((64,), None), "must be allocated on device, got a tensor on the host")

    def test_same_device(self, device: ttnn.Device, wormhole: ttnn.Device) -> None:
        self.refused(device, tensor((64,), wormhole), "must be on same device as input")

    def test_shapes_with_ones_are_rows(self, device: ttnn.Device) -> None:
        x, row = tensor((32, 64), device), tensor((1, 1, 64), device)
        assert ops.layernorm_fused_rm(x, row, row).shape == (32, 64)
