# SPDX-License-Identifier: Apache-2.0
"""Contracts: what they answer, what the decorator refuses, and that the document lists them."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

from tests.kernels.phases import phase_kernels as kernels
from tilewright.kernels import CB, Kernel, phases, uint32
from tilewright.kernels.phases import Phase, Region, Traffic, phase
from tools.list_phases import every_phase, table

DOCUMENTS = Path(__file__).resolve().parents[3] / "docs"


EVERY_PHASE = every_phase()


def test_the_document_has_the_table() -> None:
    text = (DOCUMENTS / "phases.md").read_text(encoding="utf-8")
    assert table() in text, "put the output of `python -m tools.list_phases` into docs/phases.md"


@pytest.mark.parametrize("each", EVERY_PHASE, ids=lambda each: each.name)
def test_every_phase_has_a_kernel_that_runs_it_alone(each: Phase) -> None:
    kernel = getattr(kernels, f"run_{each.name}")
    assert isinstance(kernel, Kernel)
    assert f"{each.name}(" in inspect.getsource(kernel.function)


def test_evaluate() -> None:
    contract = phases.sub_bcast_cols.contract
    assert contract.evaluate(num_tiles=4, keep_a=True) == Traffic(
        waits={"cb_a": 4, "cb_b": 1}, pops={"cb_a": 0, "cb_b": 1}, pushes={"cb_out": 4}
    )
    assert contract.arguments == {"num_tiles", "keep_a", "keep_b"}
    with pytest.raises(TypeError, match="sub_bcast_cols: num_tiles missing; the contract depends on keep_a, keep_b"):
        contract.evaluate(keep_a=True)


def test_regions() -> None:
    contract = phases.add.contract
    assert contract.regions(cb_a=Region.TILE, cb_b=Region.COLUMN_0) == {"cb_out": Region.COLUMN_0}
    assert contract.regions(cb_a=Region.ROW_0, cb_b=Region.COLUMN_0) == {"cb_out": Region.ELEMENT}
    assert phases.mul_bcast_rows.contract.regions(cb_a=Region.TILE, cb_b=Region.ROW_0) == {"cb_out": Region.TILE}
    with pytest.raises(ValueError, match="reduce_row_sum needs data in whole tile of cb_in, which has it in column 0"):
        phases.reduce_row_sum.contract.regions(cb_in=Region.COLUMN_0, cb_scaler=Region.SCALER)
    with pytest.raises(TypeError, match="copy reads cb_in, given cb_a"):
        phases.copy.contract.regions(cb_a=Region.TILE)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"waits": {"cb": "1"}}, "step: waits names cb, but its CB parameters are cb_in, cb_out"),
    ({"pushes": {"cb_out": "tiles"}, "gives": {"cb_out": Region.TILE}}, "the contract names tiles, which is no"),
    ({"pushes": {"cb_out": "cb_in"}, "gives": {"cb_out": Region.TILE}}, "the contract names cb_in, which is no"),
    ({"pushes": {"cb_out": "1"}}, "`gives` each of `pushes`"),
    ({"waits": {"cb_in": "1"}, "needs": {"cb_in": Region.ANY}}, "`pops` says how much"),
    ({"pushes": {"cb_out": "num_tiles // 2"}, "gives": {"cb_out": Region.TILE}}, "a contract is made of numbers"),
]


@pytest.mark.parametrize(("contract", "message"), WRONG)
def test_a_wrong_contract_is_refused(contract: dict[str, Any], message: str) -> None:
    def step(cb_in: CB, cb_out: CB, num_tiles: uint32) -> None:
        """Does nothing."""

    with pytest.raises(TypeError, match=message):
        phase(**contract)(step)
