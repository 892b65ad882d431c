# SPDX-License-Identifier: Apache-2.0
"""A phase of one's own in a formula: in every plan, beside what else reads its operands, judged by what it means."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tilewright import Rows, operation, ttnn
from tilewright.check._check_program import check_program
from tilewright.formula import FormulaError, Value, max, mean, own_phase
from tilewright.kernels import CB, uint32
from tilewright.kernels.api import (
    add_binary_tile,
    add_binary_tile_init,
    cb_push_back,
    cb_reserve_back,
    cb_wait_front,
    copy_init,
    copy_tile,
    pack_reconfig_data_format,
    pack_tile,
    reconfig_data_format_srca,
    square_tile,
    square_tile_init,
    tile_regs_acquire,
    tile_regs_commit,
    tile_regs_release,
    tile_regs_wait,
)
from tilewright.kernels.phases import Region, phase
from tilewright.ops import Options
from tilewright.ops._accuracy import held, judge
from tilewright.ops._export import export_operation


@phase(
    waits={"cb_a": "num_tiles", "cb_b": "num_tiles"},
    pops={"cb_a": "0", "cb_b": "0"},
    pushes={"cb_out": "num_tiles"},
    needs={"cb_a": Region.TILE, "cb_b": Region.TILE},
    gives={"cb_out": Region.TILE},
)
def square_plus(cb_a: CB, cb_b: CB, cb_out: CB, num_tiles: uint32) -> None:
    """out = a * a + b."""
    cb_wait_front(cb_a, num_tiles)
    cb_wait_front(cb_b, num_tiles)
    cb_reserve_back(cb_out, num_tiles)
    pack_reconfig_data_format(cb_out)
    for tile in range(num_tiles):
        tile_regs_acquire()
        reconfig_data_format_srca(cb_a)
        copy_init(cb_a)
        copy_tile(cb_a, tile, 0)
        square_tile_init()
        square_tile(0)
        reconfig_data_format_srca(cb_b)
        copy_init(cb_b)
        copy_tile(cb_b, tile, 1)
        add_binary_tile_init()
        add_binary_tile(0, 1, 0)
        tile_regs_commit()
        tile_regs_wait()
        pack_tile(0, cb_out)
        tile_regs_release()
    cb_push_back(cb_out, num_tiles)


@operation
def centred_squares(x: Rows, y: Rows) -> Value:
    """The phase's result minus its mean, plus x: three passes read something of it."""
    squares = own_phase(square_plus, x, y * 0.5, means=lambda a, b: a * a + b)
    return squares - mean(squares) + x * max(squares)


@operation
def of_columns(x: Rows, y: Rows) -> Value:
    """The same beside reductions over columns."""
    return mean(own_phase(square_plus, x, y, means=lambda a, b: a * a + b), dim=-2)


@operation
def wrong_meaning(x: Rows, y: Rows) -> Value:
    """A meaning that is not the phase's."""
    return own_phase(square_plus, x, y, means=lambda a, b: a * a - b) * 1.0


def judged(made, device: ttnn.Device, layout: ttnn.Layout):
    generator = np.random.default_rng(5)
    tensors = {
        name: ttnn.from_numpy(generator.standard_normal((40, 150)), ttnn.bfloat16, layout=layout, device=device)
        for name in ("x", "y")
    }
    for strategy in made.variants(made.form(ttnn.bfloat16, layout)):
        outcome = made.launch(tensors, Options(strategy=strategy, block_tiles=1))
        yield judge([outcome.output.to_numpy()], made.bounds(outcome.plan, held(tensors)))
    program = made.program(outcome.plan, {**tensors, "output": outcome.output})
    assert check_program([*tensors.values(), outcome.output], program).findings == []


@pytest.mark.parametrize("layout", [ttnn.ROW_MAJOR_LAYOUT, ttnn.TILE_LAYOUT], ids=["rows", "tiles"])
def test_own_phase_runs_in_every_plan(device: ttnn.Device, layout: ttnn.Layout) -> None:
    for accuracy in judged(centred_squares, device, layout):
        assert accuracy.is_within_bound, accuracy.text


def test_own_phase_runs_beside_reductions_over_columns(device: ttnn.Device) -> None:
    assert all(each.is_within_bound for each in judged(of_columns, device, ttnn.ROW_MAJOR_LAYOUT))


def test_own_phase_is_judged_by_its_reference(device: ttnn.Device) -> None:
    assert not any(each.is_within_bound for each in judged(wrong_meaning, device, ttnn.ROW_MAJOR_LAYOUT))


def test_own_phase_is_exported_with_its_reference(tmp_path: Path) -> None:
    export_operation(centred_squares, tmp_path, shape=(64, 64))
    kernels = tmp_path / "centred_squares" / "kernels" / "bfloat16_streaming"
    assert "square_plus(" in (kernels / "compute_centred_squares.cpp").read_text()
    test = (tmp_path / "test_centred_squares.py").read_text()
    assert "squares = (torch.square(x.to(torch.float32).double()) + (y * 0.5).to(torch.float32).double())" in test


def test_function_that_is_no_phase_is_refused() -> None:
    def refused(function) -> str:
        with pytest.raises(FormulaError) as caught:
            operation(function)
        return str(caught.value)

    def one_operand(x: Rows) -> Value:
        """Too few operands."""
        return own_phase(square_plus, x, means=lambda a: a)

    def a_column(x: Rows) -> Value:
        """One number a row."""
        return own_phase(square_plus, x, mean(x), means=lambda a, b: a + b)

    assert "square_plus must take 2 circular buffers, for its operands and its result" in refused(one_operand)
    assert "takes what has a number for every element" in refused(a_column)
