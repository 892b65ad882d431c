# SPDX-License-Identifier: Apache-2.0
"""Operations on sharded tensors: the results of interleaved ones, bit for bit, at the place asked for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tilewright import Matrix, Row, Rows, operation, ttnn
from tilewright.check import check_program
from tilewright.formula import Value, max, mean, sigmoid, softmax, sum, transpose
from tilewright.formula._validation import OperationError
from tilewright.ops import OPERATIONS, Operation, Options

HEIGHT, WIDTH, BLOCK = (
    ttnn.TensorMemoryLayout.HEIGHT_SHARDED,
    ttnn.TensorMemoryLayout.WIDTH_SHARDED,
    ttnn.TensorMemoryLayout.BLOCK_SHARDED,
)
TILES, ROWS = ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT
L1, DRAM = ttnn.BufferType.L1, ttnn.BufferType.DRAM


@operation
def gated(x: Rows, y: Rows, gamma: Row) -> Value:
    """Softmax of rows, gated by others."""
    return softmax(x) * sigmoid(y) + gamma


@operation
def product(x: Rows, w: Matrix) -> Value:
    """Rows times a matrix."""
    return x @ w


@operation
def attention(x: Rows, y: Rows, z: Rows) -> Value:
    """Rows that others are weighted with."""
    return softmax(x @ transpose(y)) @ z


@operation
def of_columns(x: Rows) -> Value:
    """Columns less their mean."""
    return x - mean(x, dim=-2)


@operation
def crossed(x: Rows, y: Rows) -> tuple[Value, Value]:
    """Two results; the program of one of them makes a statistic for the other."""
    return y - sum(y + mean(x, dim=-2)), x - max(x + max(y), dim=-2)


@operation
def of_both(x: Rows) -> Value:
    """A number for each row, of both directions."""
    return sum(x - max(x, dim=-2))


@operation
def row_means(x: Rows) -> Value:
    """The mean of each row."""
    return mean(x)


def sharded(kind, x, y, shard, by_columns=False, memory=L1) -> ttnn.MemoryConfig:
    """On the first x by y cores, or in the first DRAM banks."""
    orientation = ttnn.ShardOrientation.COL_MAJOR if by_columns else ttnn.ShardOrientation.ROW_MAJOR
    cores = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (x - 1, y - 1))])
    return ttnn.MemoryConfig(kind, memory, ttnn.ShardSpec(cores, shard, orientation))


OF_ROWS = sharded(HEIGHT, 2, 2, [32, 96])
CASES = [
    (gated, (2, 40, 96), TILES, {"x": OF_ROWS, "y": sharded(BLOCK, 2, 3, [96, 32], True)}, None),
    (gated, (2, 40, 96), TILES, {"x": ttnn.L1_MEMORY_CONFIG, "y": sharded(WIDTH, 3, 1, [128, 32])}, OF_ROWS),
    (gated, (70, 50), ROWS, {"x": sharded(HEIGHT, 3, 1, [25, 50]), "y": sharded(HEIGHT, 1, 2, [35, 50])}, None),
    (product, (64, 64), TILES, {"x": sharded(BLOCK, 2, 2, [32, 32]), "w": sharded(WIDTH, 3, 1, [64, 32], False, DRAM)},
     sharded(WIDTH, 3, 1, [64, 32])),
    (attention, (64, 64), TILES, {"x": sharded(HEIGHT, 2, 1, [32, 64]), "y": sharded(BLOCK, 2, 2, [32, 32])}, None),
    (of_columns, (96, 64), TILES, {"x": sharded(HEIGHT, 2, 1, [64, 64])}, ttnn.DRAM_MEMORY_CONFIG),
]  # fmt: skip


@pytest.fixture(scope="module", params=["wormhole_b0", "blackhole"])
def device(request: pytest.FixtureRequest) -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=0, arch=request.param)
    yield device
    ttnn.close_device(device)


def operands(operation: Operation, shape, layout, device) -> dict[str, ttnn.Tensor]:
    generator = np.random.default_rng(4)
    sizes = {"x": shape, "y": shape, "z": shape, "gamma": shape[-1:], "w": (shape[-1], 96)}
    return {
        each.name: ttnn.from_numpy(
            generator.standard_normal(sizes[each.name]), ttnn.bfloat16, layout=layout, device=device
        )
        for each in operation.inputs
    }


@pytest.mark.parametrize(("operation", "shape", "layout", "places", "place"), CASES)
def test_results_are_those_of_interleaved_tensors(device, operation, shape, layout, places, place) -> None:
    plain = operands(operation, shape, layout, device)
    expected = operation(*plain.values())
    given = {name: ttnn.to_memory_config(each, places.get(name, each.memory_config())) for name, each in plain.items()}
    outcome = operation.launch(given, Options(memory_config=place))
    assert outcome.output.memory_config() == (place or places["x"])
    assert np.array_equal(outcome.output.to_numpy(), expected.to_numpy())
    result = operation.launch(given, Options(memory_config=place))  # as unwritten as a result can be
    assert check_program([*given.values(), result.output], result.program).findings == []


def test_results_of_several_programs_lie_as_the_first_tensor_does_and_intermediates_in_dram(device) -> None:
    plain = operands(crossed, (64, 96), TILES, device)
    given = {**plain, "x": ttnn.to_memory_config(plain["x"], sharded(HEIGHT, 2, 1, [32, 96]))}
    outcome = crossed.launch(given)
    for made, expected in zip(outcome.outputs, crossed(*plain.values()), strict=True):
        assert made.memory_config() == given["x"].memory_config()
        assert np.array_equal(made.to_numpy(), expected.to_numpy())
    between = [
        made
        for each in outcome.parts
        for name, made in zip(each.operation.makes, each.outputs, strict=True)
        if name not in crossed.output_names
    ]
    assert {each.memory_config() for each in between} == {ttnn.DRAM_MEMORY_CONFIG}


def test_chain_of_operations_stays_in_l1(device) -> None:
    plain = operands(gated, (64, 96), TILES, device)
    x, y = (ttnn.to_memory_config(plain[name], sharded(HEIGHT, 2, 1, [32, 96])) for name in "xy")
    once = gated(x, y, plain["gamma"])
    twice = gated(once, y, plain["gamma"])
    assert twice.memory_config() == x.memory_config()
    interleaved = gated(gated(*plain.values()), plain["y"], plain["gamma"])
    assert np.array_equal(twice.to_numpy(), interleaved.to_numpy())


def test_refusals_name_tensor_and_placement(device) -> None:
    rows = operands(gated, (64, 96), ROWS, device)
    cut = ttnn.to_memory_config(rows["x"], sharded(WIDTH, 3, 1, [64, 32]))
    text = "must be HEIGHT_SHARDED or INTERLEAVED in ROW_MAJOR layout, got WIDTH_SHARDED; in TILE layout it may be"
    with pytest.raises(OperationError, match=f"x {text}"):
        gated(cut, rows["y"], rows["gamma"])
    with pytest.raises(OperationError, match=f"Y {text}"):
        gated(rows["x"], cut, rows["gamma"])
    with pytest.raises(OperationError, match=f"The result {text}"):
        gated(*rows.values(), memory_config=sharded(WIDTH, 3, 1, [64, 32]))
    others = operands(attention, (64, 96), ROWS, device)
    with pytest.raises(OperationError, match=f"Y {text}"):
        attention(others["x"], cut, others["z"])
    with pytest.raises(OperationError, match=f"The result {text}"):
        attention(*others.values(), memory_config=sharded(WIDTH, 3, 1, [64, 32]))
    tall = ttnn.to_memory_config(operands(gated, (64, 96), TILES, device)["x"], sharded(HEIGHT, 2, 1, [32, 96]))
    with pytest.raises(OperationError, match=r"of shape \[64, 1\] does not fit the shards of x, so memory_config must"):
        row_means(tall)
    with pytest.raises(OperationError, match=r"of shape \[64, 1\] does not fit the shards of x, so memory_config must"):
        of_both(tall)
    assert row_means(tall, memory_config=ttnn.L1_MEMORY_CONFIG).shape == [64, 1]
    with pytest.raises(OperationError, match="Input must be interleaved, got HEIGHT_SHARDED"):
        OPERATIONS["centralize_w_rm"](ttnn.to_memory_config(rows["x"], sharded(HEIGHT, 2, 1, [32, 96])))
