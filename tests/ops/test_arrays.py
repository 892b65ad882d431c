# SPDX-License-Identifier: Apache-2.0
"""NumPy arrays and torch tensors: what comes in as one kind goes out as that kind."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

import ml_dtypes
import numpy as np
import pytest

from tests.ops.running import documents_bound
from tilewright import ops, ttnn
from tilewright.ops import OPERATIONS, OperationError
from tilewright.ops._accuracy import compare


@pytest.fixture
def no_open_device() -> Iterator[None]:
    """Ends with device 0 closed, which arrays open where no device is."""
    yield
    ttnn.close_device(ttnn.open_device(0))


def call(name: str, x: object, row: object, **options: object) -> np.ndarray:
    vectors = [row for _ in OPERATIONS[name].inputs[1:]]
    return OPERATIONS[name](x, *vectors, **options)


def assert_near(name: str, y: np.ndarray, x: np.ndarray, row: np.ndarray) -> None:
    operation = OPERATIONS[name]
    assert y.shape == operation.output_shapes(x.shape)[0]
    operands = {each.name: row for each in operation.inputs} | {"x": x}
    exact = operation.reference(operands)[0]
    assert compare(y, exact, documents_bound(exact, operands.get("beta"))).share_of_bound <= 1


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16, np.float64, np.float16], ids=lambda d: d.__name__)
def test_numpy(device: ttnn.Device, generator: np.random.Generator, name: str, dtype: type) -> None:
    x, row = generator.standard_normal((40, 100)).astype(dtype), generator.standard_normal(100).astype(dtype)
    y = call(name, x, row, device=device)
    assert isinstance(y, np.ndarray)
    assert y.dtype == dtype
    assert_near(name, y, x.astype(np.float64), row.astype(np.float64))


def test_float32_array_runs_as_float32_by_default(device: ttnn.Device, generator: np.random.Generator) -> None:
    x = generator.standard_normal((32, 64)).astype(np.float32)
    fine = ops.centralize_w_rm(x, device=device)
    coarse = ops.centralize_w_rm(x, device=device, dtype=ttnn.bfloat16)
    exact = x - x.mean(-1, keepdims=True, dtype=np.float64)
    assert coarse.dtype == np.float32
    assert np.abs(fine - exact).max() < np.abs(coarse - exact).max() / 2
    np.testing.assert_array_equal(coarse, coarse.astype(ml_dtypes.bfloat16).astype(np.float32))


def test_arrays_go_to_the_open_device(
    wormhole: ttnn.Device, device: ttnn.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tilewright._launch.open_devices._open_devices", {7: wormhole, 4: device})
    device.clear_program_cache()
    ops.variance_w_rm(np.ones((3, 7), np.float32))
    assert device.num_program_cache_entries() == 1


def test_arrays_open_a_device_where_none_is(no_open_device: None, monkeypatch: pytest.MonkeyPatch) -> None:
    from tilewright._launch import open_devices

    monkeypatch.setattr(open_devices, "_open_devices", {})
    y = ops.variance_w_rm(np.arange(32, dtype=np.float32)[None])
    assert y.shape == (1, 1)
    assert y[0, 0] == 85.25  # every number on the way has 11 bits or fewer
    assert open_devices.default_device().id() == 0
    ttnn.close_device(open_devices.default_device())


def test_kinds_are_not_mixed(device: ttnn.Device) -> None:
    x, row = np.zeros((2, 32), np.float32), ttnn.zeros([32], device=device)
    with pytest.raises(TypeError, match=r"gamma must be a numpy.ndarray like x, not a ttnn.Tensor"):
        ops.layernorm_fused_rm(x, row, row)
    with pytest.raises(TypeError, match=r"x must be a ttnn.Tensor, a numpy.ndarray or a torch.Tensor"):
        ops.centralize_w_rm([[1.0, 2.0]])
    with pytest.raises(TypeError, match="dtype is for NumPy arrays and torch tensors"):
        ops.centralize_w_rm(ttnn.zeros([2, 32], device=device), dtype=ttnn.float32)


def test_arrays_must_be_of_floats(device: ttnn.Device) -> None:
    with pytest.raises(OperationError, match="Unsupported dtype int64 of x"):
        ops.centralize_w_rm(np.zeros((2, 32), np.int64), device=device)
    with pytest.raises(OperationError, match=r"Unsupported dtype .* of x"):
        ops.centralize_w_rm(np.zeros((2, 32), [("x", "f4")]), device=device)


def test_a_mask_is_not_ignored(device: ttnn.Device) -> None:
    with pytest.raises(OperationError, match="x is a masked array"):
        ops.centralize_w_rm(np.ma.masked_invalid([[1.0, np.nan]]), device=device)


def test_dtype_and_device_of_arrays_are_checked(device: ttnn.Device) -> None:
    x = np.zeros((2, 32), np.float32)
    with pytest.raises(OperationError, match=r"dtype must be ttnn.bfloat16 or ttnn.float32, got .*BFLOAT8_B"):
        ops.centralize_w_rm(x, device=device, dtype=ttnn.bfloat8_b)
    with pytest.raises(TypeError, match=r"device must be a device from ttnn.open_device, not 0"):
        ops.centralize_w_rm(x, device=0)  # type: ignore[arg-type]


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16", "float64"])
def test_torch(device: ttnn.Device, name: str, dtype: str) -> None:
    import torch

    torch.manual_seed(0)
    x, row = torch.randn(40, 100).to(getattr(torch, dtype)), torch.randn(100).to(getattr(torch, dtype))
    y = call(name, x, row, device=device)
    assert isinstance(y, torch.Tensor)
    assert y.dtype == x.dtype
    assert_near(name, y.double().numpy(), x.double().numpy(), row.double().numpy())
