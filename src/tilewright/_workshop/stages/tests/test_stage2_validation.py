# SPDX-License-Identifier: Apache-2.0
"""Stage 2: what the declaration does not allow is refused, in its words. Every requirement is proved by breaking it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from tilewright._tensor.cores import CoreRange, CoreRangeSet
from tilewright._tensor.creation import from_numpy, zeros
from tilewright._tensor.device import Device
from tilewright._tensor.dtype import DataType
from tilewright._tensor.layout import Layout
from tilewright._tensor.memory_config import BufferType, MemoryConfig, ShardOrientation, ShardSpec, TensorMemoryLayout
from tilewright._tensor.tensor import Tensor
from tilewright._workshop.case_shapes import breaking_shape, broken_requirements, satisfying_shape
from tilewright.formula._graph import Extent
from tilewright.formula._inputs import Input
from tilewright.formula._requirements import Requirement
from tilewright.ops import Operation, OperationError

SHAPE = (32, 64)


def tensor(shape: tuple[int, ...], device: Device | None, **options: Any) -> Tensor:
    return zeros(shape, device=device, **options)


def base_shape(operation: Operation) -> tuple[int, ...]:
    """A shape that satisfies the operation's requirements, so that each test breaks one thing alone."""
    return satisfying_shape(operation, SHAPE) or SHAPE


def operands(operation: Operation, device: Device, **others: Tensor) -> dict[str, Tensor]:
    shape = base_shape(operation)
    return {
        name: others[name] if name in others else tensor(size, device)
        for name, size in operation.input_shapes(shape).items()
    }


def sharded() -> Tensor:
    cores = CoreRangeSet([CoreRange((0, 0), (0, 0))])
    shards = ShardSpec(cores, SHAPE, ShardOrientation.ROW_MAJOR)
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
            return tensor(SHAPE, device, dtype=DataType.UINT32), "UINT32"
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
    base = base_shape(operation)
    height, width = base[-2:]
    shape = {
        Extent.ROW: (width + 32,),
        Extent.COLUMN: base,
        Extent.SCALAR: (2, 2),
        Extent.FULL: (*base[:-2], height + 32, width),
    }[operand.extent]
    if operand.name == operation.right:
        shape = (*(() if operand.is_matrix else base[:-2]), height + 31, width + 32)
    right = operation.input_shapes(base)[operand.name]
    wrong = [tensor(shape, device), tensor(right, device, dtype=DataType.UINT32)]
    if operation.wording.operand_dtype:
        wrong.append(tensor(right, device, dtype=DataType.FLOAT32))
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


def test_each_condition(operation: Operation, device: Device, condition: Requirement) -> None:
    """A call that breaks this requirement and no other is refused in its words."""
    call = condition.broken or breaking_call(operation, condition)
    if call is None:
        always = [each.condition for each in operation.requirements if each is not condition]
        if any(condition in broken_requirements(operation, each) for each in SHAPES):
            pytest.skip(f"not judged: what breaks it breaks {' or '.join(map(repr, always))} too")
    refusal = None if call is None else refused(operation, condition, device, call)
    assert refusal is not None, (
        f"nothing breaks `{condition.condition}`: name a call that does, Requirement(..., broken={{'x': (32, 40)}})"
    )
    message, text = refusal
    assert message == text


SHAPES = ((32, 64), (32, 40), (1, 1), (31, 64), (2, 3, 32, 64), (5, 7), (32, 4096), (4096, 32))
NUMBERS = (-1.0, 0.5, 3.0, 1e6)


def breaking_call(operation: Operation, condition: Requirement) -> dict[str, Any] | None:
    """A shape or a number that breaks one requirement alone; None if none was found."""
    base = base_shape(operation)
    for number in NUMBERS:
        numbers = dict.fromkeys(operation.parameters, number)
        if broken_requirements(operation, base, numbers=numbers) == (condition,):
            return {"": base, "number": number}
    for each in (*SHAPES, breaking_shape(operation, condition, base)):
        if each is not None and broken_requirements(operation, each) == (condition,):
            return {"": each}
    return None


def refused(
    operation: Operation, condition: Requirement, device: Device, call: Mapping[str, Any]
) -> tuple[str, str] | None:
    """The error of a call that breaks a requirement, and the expected one; None if it does not break it."""
    main = operation.main_input
    shape = call.get(main.name, call.get("", base_shape(operation)))
    sizes = operation.input_shapes(shape)
    tensors = {name: tensor(call.get(name, size), device) for name, size in sizes.items()}
    numbers = {name: call.get(name, call.get("number", each.default)) for name, each in operation.parameters.items()}
    try:
        condition.check({**tensors, **numbers})
    except OperationError as error:
        wanted = str(error)
    else:
        return None
    with pytest.raises(OperationError) as caught:
        operation(*tensors.values(), **numbers)
    return str(caught.value), wanted
