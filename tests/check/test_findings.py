# SPDX-License-Identifier: Apache-2.0
"""Text, merging, order and suppression of findings."""

from __future__ import annotations

import pytest

import tilewright
from tests.check.source_program import check_source, rules, scratch_tensor, source_program
from tilewright import ttnn
from tilewright._errors import DeadlockError
from tilewright._launch.observer import observed_launches
from tilewright.check._finding import Finding, merge_findings
from tilewright.check._observer import CheckObserver

STUCK = "void kernel_main() {\n  cb_wait_front(0, 1);ALLOW\n}"


def finding(rule: str, core: tuple[int, int] = (0, 0), line: int = 1, count: int = 1) -> Finding:
    return Finding(rule, "reader", "reader.cpp", line, None, (core,), "c_0", 0, "numbers", "cause", "cure", count)


def test_the_same_finding_on_many_cores_is_one(device: ttnn.Device) -> None:
    program = source_program({0: 1}, grid=(4, 2), writer=STUCK.replace("ALLOW", ""))
    (found,) = check_source(device, program).findings
    assert len(found.cores) == 8
    assert "on cores (0,0)-(3,1)" in found.text()


def test_findings_come_worst_first_and_counts_add_up() -> None:
    merged = merge_findings(
        [finding("arg-unread"), finding("cb-left-over", count=2), finding("hang-self"), finding("cb-left-over", (1, 0))]
    )
    assert [each.rule for each in merged] == ["hang-self", "cb-left-over", "arg-unread"]
    assert (merged[1].cores, merged[1].count) == (((0, 0), (1, 0)), 3)


def test_the_same_finding_in_several_orders_is_not_counted_again(device: ttnn.Device) -> None:
    reader = "void kernel_main() { cb_reserve_back(0, 1); for (int i = 0; i < 3; i++) { cb_push_back(0, 1); } }"
    writer = "void kernel_main() { cb_wait_front(0, 3); cb_pop_front(0, 3); }"
    program = source_program({0: 4}, reader=reader, writer=writer)
    for seeds in (0, 4):
        (found,) = check_source(device, program, seeds=seeds).findings
        assert (found.rule, found.count) == ("cb-push-unreserved", 2)


def test_lines_fit_the_terminal() -> None:
    wide = Finding(
        "hang-self", "reader", "reader.cpp", 3, None, ((0, 0),), "c_0", 0, "word " * 40, "c " * 90, "d " * 90
    )
    assert max(map(len, wide.text(80).splitlines())) <= 80


@pytest.mark.parametrize(
    "comment",
    [
        "  // tilewright: allow hang-missing-producer: the host fills it",
        "  /* tilewright: allow hang-missing-producer: x */",
    ],
)
def test_a_comment_with_a_reason_silences(device: ttnn.Device, comment: str) -> None:
    result = check_source(device, source_program({0: 1}, writer=STUCK.replace("ALLOW", comment)))
    assert rules(result) == []
    (silenced,) = result.silenced
    assert silenced.finding.rule == "hang-missing-producer"
    assert silenced.reason in ("the host fills it", "x")


def test_the_comment_may_stand_on_the_line_above(device: ttnn.Device) -> None:
    source = "void kernel_main() {\n  // tilewright: allow hang-missing-producer: later\n  cb_wait_front(0, 1);\n}"
    assert check_source(device, source_program({0: 1}, writer=source)).ok


@pytest.mark.parametrize(
    "comment", ["  // tilewright: allow hang-self: another rule", "  // allow hang-missing-producer: not ours"]
)
def test_other_comments_silence_nothing(device: ttnn.Device, comment: str) -> None:
    result = check_source(device, source_program({0: 1}, writer=STUCK.replace("ALLOW", comment)))
    assert rules(result) == ["hang-missing-producer"]


def test_a_comment_without_a_reason_does_not_count(device: ttnn.Device) -> None:
    comment = "  // tilewright: allow hang-missing-producer"
    (found,) = check_source(device, source_program({0: 1}, writer=STUCK.replace("ALLOW", comment))).findings
    assert "comment has no reason" in found.numbers


def test_a_comment_with_a_misspelt_rule_is_named(device: ttnn.Device) -> None:
    comment = "  // tilewright: allow hang-missing-producers: fed by another program"
    (found,) = check_source(device, source_program({0: 1}, writer=STUCK.replace("ALLOW", comment))).findings
    assert "comment names hang-missing-producers, which is no rule" in found.numbers


def test_checked_launch_raises_its_findings(device: ttnn.Device) -> None:
    program = source_program({0: 1}, writer=STUCK.replace("ALLOW", ""))
    with pytest.raises(tilewright.CheckError, match="hang-missing-producer") as caught:
        ttnn.generic_op([scratch_tensor(device)], program, check=True)
    assert rules(caught.value.result) == ["hang-missing-producer"]


def test_a_clean_launch_with_check_gives_its_output(device: ttnn.Device) -> None:
    output = scratch_tensor(device)
    assert ttnn.generic_op([output], source_program({}, writer="void kernel_main() {}"), check=True) is output


def test_every_launch_of_a_block_is_checked_and_errors_keep_their_type(device: ttnn.Device) -> None:
    good = source_program({}, writer="void kernel_main() {}")
    bad = source_program({0: 1}, writer=STUCK.replace("ALLOW", ""))
    with observed_launches(CheckObserver()) as results:
        ttnn.generic_op([scratch_tensor(device)], good)
        with pytest.raises(DeadlockError):
            ttnn.generic_op([scratch_tensor(device)], bad)
    assert [rules(result) for result in results] == [[], ["hang-missing-producer"]]
    ttnn.generic_op([scratch_tensor(device)], good)
    assert len(results) == 2


def test_a_program_that_cannot_run_is_a_finding(device: ttnn.Device) -> None:
    result = check_source(device, source_program({0: 1000, 40: 1}, writer="void kernel_main() {}"))
    assert sorted(rules(result)) == ["l1-budget", "program-invalid"]
    assert result.run is None
    assert result.sync_table.groups == ()


def test_a_negative_number_of_seeds_is_refused(device: ttnn.Device) -> None:
    with pytest.raises(ValueError, match="seeds must be a whole number from 0 to 100000, not -1"):
        check_source(device, source_program({}, writer="void kernel_main() {}"), seeds=-1)
