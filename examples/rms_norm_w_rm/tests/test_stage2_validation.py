# SPDX-License-Identifier: Apache-2.0
"""Stage 2: what the spec does not allow is refused, in the spec's words."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tilewright import ttnn
from tilewright.ops import OperationError
from tilewright.workshop.spec import read_spec

from rms_norm_w_rm.op import rms_norm_w_rm

SPEC = read_spec(Path(__file__).parents[1] / "spec.toml")


def tensor(shape: tuple[int, ...], device: ttnn.Device | None, **options: object) -> ttnn.Tensor:
    return ttnn.zeros(shape, device=device, **options)


def sharded() -> ttnn.Tensor:
    cores = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (0, 0))])
    shards = ttnn.ShardSpec(cores, [32, 64], ttnn.ShardOrientation.ROW_MAJOR)
    config = ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, shards)
    return ttnn.from_numpy(np.zeros((32, 64)), ttnn.bfloat16, memory_config=config)


# For each property of a [[requirement]], a tensor that does not have it and what stands for {} in the error text.
WRONG = {
    "rank": (lambda device: tensor((64,), device), "1"),
    "layout": (lambda device: tensor((32, 64), device, layout=ttnn.TILE_LAYOUT), ""),
    "interleaved": (lambda device: sharded(), ""),
    "on_device": (lambda device: tensor((32, 64), None), ""),
    "dtype": (lambda device: tensor((32, 64), device, dtype=ttnn.int32), "INT32"),
    "width": (lambda device: tensor((32, 0), device), "0"),
}


@pytest.mark.parametrize("row", SPEC.requirements, ids=lambda row: row.property)
def test_each_requirement(device: ttnn.Device, row) -> None:
    make, value = WRONG[row.property]
    vectors = [tensor((64,), device) for _ in SPEC.vectors]
    with pytest.raises(OperationError, match=re.escape(row.error.replace("{}", value))):
        rms_norm_w_rm(make(device), *vectors)


@pytest.mark.parametrize("vector", [each.name for each in SPEC.vectors])
def test_a_vector_is_one_row_of_the_inputs_width(device: ttnn.Device, vector: str) -> None:
    vectors = {each.name: tensor((64,), device) for each in SPEC.vectors}
    for shape, text in [((32,), "last dimension 32 must match"), ((2, 64), "shape must match input width")]:
        with pytest.raises(OperationError, match=f"{vector.capitalize()} {text}"):
            rms_norm_w_rm(tensor((32, 64), device), **{**vectors, vector: tensor(shape, device)})


@pytest.mark.skipif(not SPEC.has_epsilon, reason="the operation takes no epsilon")
@pytest.mark.parametrize("epsilon", [0.0, -1e-5, float("nan")])
def test_epsilon_is_positive(device: ttnn.Device, epsilon: float) -> None:
    vectors = [tensor((64,), device) for _ in SPEC.vectors]
    with pytest.raises(OperationError, match="Epsilon must be positive"):
        rms_norm_w_rm(tensor((32, 64), device), *vectors, epsilon=epsilon)
