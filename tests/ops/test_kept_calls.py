# SPDX-License-Identifier: Apache-2.0
"""A call on tensors of kinds seen before is neither checked nor planned again; what else counts still does."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tilewright import ops, ttnn
from tilewright._launch.observer import Launch, Observer, observed_launches
from tilewright._record.run import Run
from tilewright.ops import _operation as operation_module
from tilewright.ops._kept_calls import exactly

ROWS = (40, 96)


@pytest.fixture
def fresh() -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=8, grid=(2, 1))
    yield device
    ttnn.close_device(device)


def rows(device: ttnn.Device, seed: int, shape: tuple[int, ...] = ROWS, **how: object) -> ttnn.Tensor:
    values = np.random.default_rng(seed).standard_normal(shape)
    return ttnn.from_numpy(values, ttnn.bfloat16, device=device, **how)


def centred(x: ttnn.Tensor) -> np.ndarray:
    values = x.to_numpy().astype(np.float64)
    return values - values.mean(axis=-1, keepdims=True)


def assert_is_centred(y: ttnn.Tensor, x: ttnn.Tensor) -> None:
    # A mean and a difference rounded to bfloat16, of values below 8.
    np.testing.assert_allclose(y.to_numpy().astype(np.float64), centred(x), atol=2.0**-5, rtol=2.0**-7)


def test_the_same_kinds_are_checked_once(fresh: ttnn.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    checked = []
    monkeypatch.setattr(operation_module, "check_call", lambda *call: checked.append(call))
    kept = []
    for seed in range(3):
        x = rows(fresh, seed)
        kept.append(ops.centralize_w_rm(x))  # each result lies elsewhere
        assert_is_centred(kept[-1], x)
    assert len(checked) == 1
    for other in (rows(fresh, 0, (41, 96)), rows(fresh, 0, memory_config=ttnn.L1_MEMORY_CONFIG)):
        assert_is_centred(ops.centralize_w_rm(other), other)
    assert len(checked) == 3
    fresh.clear_program_cache()
    ops.centralize_w_rm(rows(fresh, 0))
    assert len(checked) == 4


def test_a_tensor_that_is_gone_is_refused(fresh: ttnn.Device) -> None:
    x = rows(fresh, 0)
    ops.centralize_w_rm(x)
    x.deallocate()
    with pytest.raises(ops.OperationError, match="got a tensor that has been deallocated"):
        ops.centralize_w_rm(x)
    with pytest.raises(ops.OperationError, match="got a tensor on the host"):
        ops.centralize_w_rm(ttnn.from_numpy(np.ones(ROWS), ttnn.bfloat16))


def test_operands_are_held_to_the_same_device(fresh: ttnn.Device, device: ttnn.Device) -> None:
    x, gamma, beta = (rows(fresh, seed, shape) for seed, shape in enumerate((ROWS, ROWS[1:], ROWS[1:])))
    ops.layernorm_fused_rm(x, gamma, beta)
    with pytest.raises(ops.OperationError, match="Beta must be on same device as input"):
        ops.layernorm_fused_rm(x, gamma, rows(device, 2, ROWS[1:]))


def test_the_order_of_names_does_not_count(fresh: ttnn.Device) -> None:
    x = rows(fresh, 0)
    first, second = (rows(fresh, seed, ROWS[1:]) for seed in (1, 2))
    expected = ops.layernorm_fused_rm(x, second, first).to_numpy().view(np.uint16)
    for _ in range(2):
        ops.layernorm_fused_rm(x, first, second).deallocate()
        y = ops.layernorm_fused_rm.launch({"beta": first, "gamma": second, "x": x}).output
        np.testing.assert_array_equal(y.to_numpy().view(np.uint16), expected)
        y.deallocate()


def test_numbers_count_in_every_call(fresh: ttnn.Device) -> None:
    x = rows(fresh, 0)
    values = x.to_numpy().astype(np.float64)
    variance = values.var(axis=-1, keepdims=True)
    for epsilon in (1e-5, 4.0, 1e-5, np.float32(4.0), 4):
        y = ops.standardize_w_rm(x, epsilon=epsilon).to_numpy().astype(np.float64)
        expected = centred(x) / np.sqrt(variance + float(epsilon))
        np.testing.assert_allclose(y, expected, atol=2.0**-5, rtol=2.0**-6)  # twice the roundings of a difference
    with pytest.raises(ops.OperationError, match=r"Epsilon must be positive, got -1\.0"):
        ops.standardize_w_rm(x, epsilon=-1.0)


def test_numbers_that_only_seem_equal_are_not() -> None:
    assert exactly({"a": 0.0}) == exactly({"a": 0.0}) != exactly({"a": -0.0})
    assert exactly({"a": float("nan")}) == exactly({"a": float("nan")})
    assert exactly({"a": True}) is None
    assert exactly({"a": 1}) is None


def test_room_in_l1_counts_in_every_call(fresh: ttnn.Device) -> None:
    x = rows(fresh, 0)
    first = ops.centralize_w_rm.launch({"x": x}).plan
    kept = rows(fresh, 1, memory_config=ttnn.L1_MEMORY_CONFIG)
    second = ops.centralize_w_rm.launch({"x": x}).plan
    assert second.l1_budget == kept.buffer_address() - fresh.description.l1_unreserved_base < first.l1_budget


def test_observer_may_change_arguments_of_a_launch(fresh: ttnn.Device) -> None:
    """The launch does what the program says then, and the next call what it is asked."""
    x, other = rows(fresh, 0), rows(fresh, 1)
    kept = [ops.centralize_w_rm(x)]
    kept[0].deallocate()
    ops.centralize_w_rm(x).deallocate()  # the same addresses: the arguments are known

    class Changing(Observer[None]):
        def observe(self, launch: Launch) -> Run:
            for words in launch.program.kernels[0].runtime_args.words:
                words[words.index(x.buffer_address())] = other.buffer_address()
            return launch.run()

    with observed_launches(Changing()):
        y = ops.centralize_w_rm(x)
    assert_is_centred(y, other)
    y.deallocate()
    assert_is_centred(ops.centralize_w_rm(x), x)
