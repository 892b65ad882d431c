# SPDX-License-Identifier: Apache-2.0
"""A sample of ttnn's operations on both chips; ``make catalogue`` runs all of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.card.card_process import OnCard

SAMPLE = Path(__file__).with_name("sample_operations.py")
ON_WORMHOLE = (
    "add", "exp", "softmax", "matmul", "sum", "concat", "to_layout", "add in L1", "exp sharded", "add again",
)  # fmt: skip
ON_BLACKHOLE = ("add", "matmul", "add in L1")
ON_ONE_CORE = ("exp", "softmax", "matmul", "sum", "concat")


def results_of(result: Any) -> Any:
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout.splitlines()[-1])


@pytest.fixture(scope="session")
def wormhole(on_card: OnCard) -> Any:
    return results_of(on_card(str(SAMPLE)))


@pytest.fixture(scope="session")
def blackhole(on_card: OnCard) -> Any:
    return results_of(on_card("--arch", "blackhole", "--grid", "4x2", str(SAMPLE), *ON_BLACKHOLE))


@pytest.fixture(scope="session")
def one_core(on_card: OnCard) -> Any:
    return results_of(on_card("--grid", "1x1", str(SAMPLE), *ON_ONE_CORE))


@pytest.mark.parametrize("name", ON_WORMHOLE)
def test_operation_on_wormhole(wormhole: Any, name: str) -> None:
    assert wormhole["results"][name] <= 1


@pytest.mark.parametrize("name", ON_BLACKHOLE)
def test_operation_on_blackhole(blackhole: Any, name: str) -> None:
    assert blackhole["results"][name] <= 1


@pytest.mark.parametrize("name", ON_ONE_CORE)
def test_operation_on_one_core(one_core: Any, name: str) -> None:
    assert one_core["results"][name] <= 1


def test_card_has_the_requested_grid(wormhole: Any, blackhole: Any, one_core: Any) -> None:
    assert (wormhole["grid"], blackhole["grid"], one_core["grid"]) == ([8, 8], [4, 2], [1, 1])


def test_time_of_a_process_is_split_into_parts(blackhole: Any) -> None:
    spent = blackhole["spent"]
    assert spent["launches"] >= len(ON_BLACKHOLE)
    assert 0 < spent["running"] < spent["launching"]
    assert spent["bytes_written"] > 5 * 64 * 128 * 2  # operands; what configures cores comes on top
    assert spent["bytes_read"] > 2 * 64 * 128 * 2
    assert spent["writing"] > 0
    assert spent["reading"] > 0
