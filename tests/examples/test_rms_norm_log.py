# SPDX-License-Identifier: Apache-2.0
"""The worked example's execution log: it is what its breadcrumbs say, and the example is still what they saw."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from rms_norm_w_rm.op import rms_norm_w_rm

from tilewright import ttnn
from tilewright.check.check_program import check_program
from tilewright.cli.main import main
from tilewright.logs.breadcrumbs import Breadcrumbs, Crumb
from tilewright.logs.reading import parse_log
from tilewright.logs.rendering import render_log
from tilewright.workshop.cases import DTYPES, case_tensors
from tilewright.workshop.home import Home, find_operation
from tilewright.workshop.operation_log import operation_log
from tilewright.workshop.spec.planned import smallest_case
from tilewright.workshop.stages.facts import compliance_facts, plan_facts, run_facts

EXAMPLE = Path(__file__).parents[2] / "examples" / "rms_norm_w_rm"
LOG = EXAMPLE / "execution_log.md"


@pytest.fixture(scope="module")
def device() -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=33, grid=(2, 2))
    yield device
    ttnn.close_device(device)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """The example where no git is: its log was made before its first commit."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(EXAMPLE, tmp_path / EXAMPLE.name, ignore=ignored)
    return find_operation(str(tmp_path / EXAMPLE.name))


def crumbs() -> tuple[Crumb, ...]:
    trail = Breadcrumbs(find_operation(str(EXAMPLE)).breadcrumbs).read()
    assert trail.problems == ()
    return trail.crumbs


def test_the_log_is_what_its_breadcrumbs_and_files_say(home: Home) -> None:
    assert LOG.read_text() == render_log(operation_log(home)).rstrip() + "\n"


@pytest.mark.parametrize("spec", [[], ["--spec", str(EXAMPLE / "spec.toml")]], ids=["alone", "against its spec"])
def test_the_audit_finds_nothing(spec: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(LOG), *spec]) == 0
    assert capsys.readouterr().out == f"{LOG}: nothing found\n"


def test_it_went_from_red_to_green() -> None:
    log = parse_log(LOG.read_text())
    assert log.metadata.status is not None
    assert log.metadata.status.text == "SUCCESS"
    assert [stage.number for stage in log.stages] == [1, 2, 3, 4, 5, 6, 7]
    results = [crumb for crumb in crumbs() if crumb.event == "result" and crumb.text("step") == "execution"]
    statuses = {stage: [each.text("status") for each in results if each.number("stage") == stage] for stage in (6, 7)}
    assert statuses == {6: ["PASS", "HANG", "PASS"], 7: ["FAIL", "FAIL", "PASS"]}
    assert {crumb.event for crumb in crumbs()} >= {"hypothesis", "evidence", "recovery", "note", "handoff"}


def last_told(event: str, key: str) -> dict[str, dict[str, object]]:
    """What the last run told about each thing."""
    return {crumb.text(key): dict(crumb.fields) for crumb in crumbs() if crumb.event == event}


def test_its_tables_are_what_the_tool_computes_today(device: ttnn.Device, home: Home) -> None:
    spec = home.spec()
    case = smallest_case(spec)
    plan = rms_norm_w_rm.plan(case.shape, DTYPES[case.dtype], device)
    tensors = rms_norm_w_rm.allocate(plan, device) | case_tensors(rms_norm_w_rm, case, device)
    result = check_program([*tensors.values()], rms_norm_w_rm.program(plan, tensors, epsilon=spec.epsilon))
    assert result.findings == []
    assert result.run is not None
    facts = [
        *plan_facts(rms_norm_w_rm, spec, home),
        *run_facts(rms_norm_w_rm, plan, result.run, find_operation(str(EXAMPLE))),
        *compliance_facts(rms_norm_w_rm, spec, plan),
    ]
    for event, key in (
        ("cb_requirement", "index"),
        ("cb_config", "index"),
        ("cb_sync_check", "index"),
        ("work_distribution", "parameter"),
        ("kernel_implemented", "kernel"),
        ("design_compliance", "phase"),
    ):
        now = {str(fields[key]): fields for name, fields in facts if name == event}
        assert now, event
        assert last_told(event, key) == now


def test_nothing_in_it_is_of_one_machine() -> None:
    for path in (LOG, EXAMPLE / ".workshop" / "breadcrumbs.jsonl"):
        assert re.search(r"(?<![\w.*])/(home|root|tmp|usr|work)/", path.read_text()) is None
