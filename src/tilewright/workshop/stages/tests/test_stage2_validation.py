# SPDX-License-Identifier: Apache-2.0
"""Stage 2: what the declaration does not allow is refused, in its words. Every requirement is proved by breaking it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from tilewright.formula.graph import Extent
from tilewright.ops import Operation, OperationError
from tilewright.ops.operation import Input
from tilewright.tensor.cores import CoreRange, CoreRangeSet
from tilewright.tensor.creation import from_numpy, zeros
from tilewright.tensor.device import Device
from tilewright.tensor.dtype import DataType
from tilewright.tensor.layout import Layout
from tilewright.tensor.memory_config import BufferType, MemoryConfig, ShardOrientation, ShardSpec, TensorMemoryLayout
from tilewright.tensor.tensor import Tensor

SHAPE = (32, 64)


def tensor(shape: tuple[int, ...], device: Device | None, **options: Any) -> Tensor:
    return zeros(shape, device=device, **options)


def operands(operation: Operation, device: Device, **others: Tensor) -> dict[str, Tensor]:
    return {
        each.name: others[each.name] if each.name in others else tensor(each.shape_of(SHAPE), device)
        for each in operation.inputs
    }


def sharded() -> Tensor:
    cores = CoreRangeSet([CoreRange((0, 0), (0, 0))])
    shards = ShardSpec(cores, [32, 64], ShardOrientation.ROW_MAJOR)
    config = MemoryConfig(TensorMemoryLayout.HEIGHT_SHARDED, BufferType.L1, shards)
    return from_numpy(np.zeros(SHAPE), DataType.BFLOAT16, memory_config=config)


def broken(property_: str, device: Device) -> tuple[Tensor, str]:
    """A tensor that does not have a property, and what the refusal says was given."""
    match property_:
        case "rank":
            return tensor((64,), device), "1"
        case "row_major":
            return tensor(SHAPE, device, layout=Layout.TILE), "TILE"
        case "interleaved":
            return sharded(), "HEIGHT_SHARDED"
        case "on_device":
            return tensor(SHAPE, None), "a tensor on the host"
        case "dtype":
            return tensor(SHAPE, device, dtype=DataType.INT32), "INT32"
        case "width":
            return tensor((32, 0), device), "0"
    raise AssertionError(property_)


def test_each_requirement(operation: Operation, device: Device, requirement: tuple[str, str]) -> None:
    property_, text = requirement
    wrong, given = broken(property_, device)
    tensors = operands(operation, device, **{operation.main_input.name: wrong})
    with pytest.raises(OperationError, match=re.escape(text.replace("{}", given))):
        operation(*tensors.values())


def test_each_operand_fits_the_first(operation: Operation, device: Device, operand: Input) -> None:
    shape = {Extent.ROW: (32,), Extent.COLUMN: (32, 64), Extent.SCALAR: (2, 2), Extent.FULL: (64, 64)}[operand.extent]
    wrong = [tensor(shape, device), tensor(operand.shape_of(SHAPE), device, dtype=DataType.FLOAT32)]
    for each in wrong:
        with pytest.raises(OperationError, match=operand.name.capitalize()):
            operation(*operands(operation, device, **{operand.name: each}).values())


def test_each_number_is_checked(operation: Operation, device: Device, parameter: str) -> None:
    wrong: list[Any] = [float("nan"), float("inf"), "a text"]
    if operation.parameters[parameter].is_positive:
        wrong += [0.0, -1e-5]
    for each in wrong:
        with pytest.raises(OperationError, match=re.escape(operation.parameters[parameter].rule)):
            operation(*operands(operation, device).values(), **{parameter: each})
