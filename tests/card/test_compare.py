# SPDX-License-Identifier: Apache-2.0
"""``tilewright exec --compare``: each operation beside its golden function."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.card.card_process import OnCard
from tilewright._card.golden.accumulation import accumulated_products
from tilewright._card.golden.drift import ALLOWED_UNITS, Comparisons, measure_drift
from tilewright._card.golden.precision import LaunchPrecision

SCRIPT = Path(__file__).with_name("compared_operations.py")


@pytest.fixture(scope="session")
def said(on_card: OnCard, real_ttnn_with_torch: str) -> str:
    result = on_card("--compare", str(SCRIPT), python=real_ttnn_with_torch)
    assert result.returncode == 0, result.stderr
    assert result.stdout.endswith("\nthe script's own number 0\n")  # before it ttnn's log of the failed call
    return result.stderr


def line_of(text: str) -> int:
    return SCRIPT.read_text().splitlines().index(text) + 1


def test_first_drifting_operation_is_named_with_line_and_element(said: str) -> None:
    assert f"first: ttnn.exp at {SCRIPT}:{line_of('ttnn.exp(x)')}\n" in said
    assert "    1 of 2048 elements are off. The worst, at (0, 0, 5, 7), is " in said
    assert "units of bfloat16, 12 are allowed" in said


def test_every_operation_has_a_line(said: str) -> None:
    rows = {words[0]: words[1:] for line in said.splitlines() if len(words := line.split()) == 5}
    assert rows["ttnn.exp"][:2] == ["2", "2"]
    assert rows["ttnn.add"] == ["1", "0", "0", "(0%)"]
    assert rows["ttnn.permute"] == ["1", "0", "0", "(0%)"]
    calls, drifting, worst, _ = rows["ttnn.sum"]
    assert (calls, drifting) == ("1", "0")
    assert 0 < float(worst) <= ALLOWED_UNITS
    assert rows["ttnn.conv1d"][:2] == ["1", "0"]
    assert rows["ttnn.conv2d"][:2] == ["1", "0"]


def test_calls_captured_in_a_trace_are_not_compared(said: str) -> None:
    assert "not compared: ttnn.permute: tensors cannot be read while a trace is captured\n" in said


def test_attention_may_be_off_by_what_its_logits_are(said: str) -> None:
    rows = {words[0]: words[1:] for line in said.splitlines() if len(words := line.split()) == 5}
    calls, drifting, _, share = rows["ttnn.transformer.scaled_dot_product_attention"]
    assert (calls, drifting) == ("1", "0")
    assert float(share.strip("(%)")) > 5  # of what its logits explain: a bound far above it would explain anything


@pytest.mark.parametrize(
    "operation", ["ttnn.experimental.nlp_create_qkv_heads", "ttnn.experimental.nlp_concat_heads", "ttnn.reshape"]
)
def test_heads_are_moved_exactly(said: str, operation: str) -> None:
    rows = {words[0]: words[1:] for line in said.splitlines() if len(words := line.split()) == 5}
    assert rows[operation] == ["1", "0", "0", "(0%)"]


def test_elements_of_block_floats_share_the_unit_of_the_largest_of_sixteen() -> None:
    wanted = np.full((1, 32), 0.01)
    wanted[0, 3] = 8.0
    got = wanted.copy()
    got[0, 5] += 8.0 * 2.0**-6
    assert measure_drift(got, wanted, "BFLOAT8_B").is_allowed
    got[0, 20] += 8.0 * 2.0**-6 * ALLOWED_UNITS
    drift = measure_drift(got, wanted, "BFLOAT8_B")
    assert (drift.elements, drift.at) == (1, (0, 20))


def test_a_product_of_low_fidelity_is_allowed_its_error(said: str) -> None:
    rows = {words[0]: words[1:] for line in said.splitlines() if len(words := line.split()) == 5}
    calls, drifting, worst, share = rows["ttnn.linear"]
    assert (calls, drifting) == ("1", "0")
    assert float(worst) > ALLOWED_UNITS  # of the format alone
    assert 10 < float(share.strip("(%)")) < 100


def test_operations_that_were_not_compared_are_listed(said: str) -> None:
    assert "not compared: ttnn.empty_like: it has no golden function" in said
    assert "ttnn.deallocate" not in said  # it gives no tensor
    assert "not compared: ttnn.add: an input was deallocated before the call" in said
    assert "not compared: ttnn.tanh: its golden function raised NotImplementedError: no meaning is known" in said


def test_a_report_shows_where_a_result_is_off(
    real_ttnn_with_torch: str, card_environment: dict[str, str], tmp_path: Path
) -> None:
    page = tmp_path / "run.html"
    command = [real_ttnn_with_torch, "-m", "tilewright", "report", "--compare", str(SCRIPT), "-o", str(page)]
    result = subprocess.run(command, capture_output=True, text=True, env=card_environment, timeout=600, check=False)
    assert result.returncode == 0, result.stderr
    assert f", 2 with wrong elements; {page} shows it\n" in result.stdout
    found = re.search(r'type="application/json">\n(.*)\n</script>', page.read_text())
    assert found is not None
    launches = json.loads(found[1])["launches"]
    exp = next(launch for launch in launches if launch["operation"] == "ttnn.exp")
    assert [each["at"] for each in exp["difference"]["elements"]] == [[0, 0, 5, 7]]
    assert exp["difference"]["cells"][5][7] > 1
    # Two tiles of bfloat16 come from DRAM and go back.
    assert sum(row["dramRead"] for row in exp["noc"]["kernels"]) == 2 * 2048
    assert sum(row["dramWrite"] for row in exp["noc"]["kernels"]) == 2 * 2048
    assert exp["timeline"]["tracks"]
    assert exp["phases"]


def test_an_element_is_allowed_units_of_its_own_size_or_of_the_typical() -> None:
    wanted = np.array([100.0, 1.0, 0.0])
    typical = np.sqrt(np.square(wanted).mean())
    unit = 2.0**-8
    within = wanted + 0.999 * ALLOWED_UNITS * unit * np.array([100.0, typical, -typical])
    assert measure_drift(within, wanted, "BFLOAT16").is_allowed
    for element in range(3):
        beyond = within + 0.01 * (within - wanted) * (np.arange(3) == element)
        drift = measure_drift(beyond, wanted, "BFLOAT16")
        assert (drift.elements, drift.at) == (1, (element,))


def test_errors_of_sums_grow_with_fewer_phases_and_a_narrow_dst() -> None:
    errors = [LaunchPrecision(phases, wide).error(1024) for wide in (True, False) for phases in (4, 3, 2, 1)]
    assert errors[:4] == sorted(errors[:4])
    assert min(errors[4:]) > 2.0**-8
    assert LaunchPrecision(1, False).error(0) == 0.0
    worst = LaunchPrecision.worst(
        [LaunchPrecision(4, True), LaunchPrecision(2, True, frozenset({"Bfp8_b"})), LaunchPrecision(4, False)]
    )
    assert worst == LaunchPrecision(2, False, frozenset({"Bfp8_b"}))


@pytest.mark.parametrize(
    ("operation", "shapes", "named", "products"),
    [
        ("ttnn.linear", [(2, 64, 256), (256, 32)], {}, 256),
        ("ttnn.conv2d", [], {"in_channels": 64, "kernel_size": (3, 3), "groups": 2}, 288),
        ("ttnn.conv1d", [], {"in_channels": 8, "kernel_size": 5}, 40),
        ("ttnn.transformer.scaled_dot_product_attention", [(1, 8, 32, 64), (1, 8, 512, 64)], {}, 512),
        ("ttnn.layer_norm", [(32, 768)], {}, 768),
        ("ttnn.sum", [(4, 32, 64)], {"dim": (-1, -2)}, 2048),
        ("ttnn.mean", [(32, 64)], {}, 2048),
        ("ttnn.multiply", [(32, 64), (32, 64)], {}, 1),
        ("ttnn.exp", [(32, 64)], {}, 0),
        ("ttnn.from_torch", [], {}, 0),
    ],
)
def test_products_of_an_operation(operation: str, shapes: list, named: dict, products: int) -> None:
    assert accumulated_products(operation, [np.empty(shape) for shape in shapes], named) == products


def test_integers_are_equal_or_wrong() -> None:
    wanted = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert measure_drift(wanted, wanted, "UINT32").is_allowed
    drift = measure_drift(wanted + np.array([[0, 0], [1, 0]]), wanted, "UINT32")
    assert (drift.elements, drift.at, drift.units) == (1, (1, 0), 1.0)


@pytest.mark.parametrize(
    ("got", "wanted", "is_right"),
    [
        (np.nan, np.nan, True),
        (np.inf, np.inf, True),
        (-np.inf, np.inf, False),
        (np.nan, 1.0, False),
        (1.0, np.nan, False),
        (np.inf, 1.0, False),
        (np.inf, 3.4e38, True),  # what does not fit the format is infinite
        (-np.inf, 3.4e38, False),
    ],
)
def test_numbers_that_are_none(got: float, wanted: float, is_right: bool) -> None:
    drift = measure_drift(np.array([2.0, got]), np.array([2.0, wanted]), "BFLOAT16")
    assert drift.is_allowed is is_right
    assert is_right or drift.units == np.inf


def test_elements_without_a_meaning_do_not_count() -> None:
    counts = np.array([True, False])
    assert measure_drift(np.array([1.0, 7.0]), np.array([1.0, 2.0]), "BFLOAT16", counts).is_allowed


def test_an_empty_result_drifts_nowhere() -> None:
    assert measure_drift(np.zeros((0, 4)), np.zeros((0, 4)), "BFLOAT16").is_allowed


def test_a_table_without_calls() -> None:
    assert Comparisons().text() == "tilewright compare: 0 calls beside their golden functions, 0 drift\n"
