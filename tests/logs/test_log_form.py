# SPDX-License-Identifier: Apache-2.0
"""What is written in our own form is read back unchanged, whatever the texts are."""

from __future__ import annotations

import dataclasses

import pytest

from tests.logs.random_logs import RandomLog
from tilewright._logs.markdown import escape, plain, split_row
from tilewright._logs.model import Buffer, ExecutionLog, stage_numbers
from tilewright._logs.reading import parse_log
from tilewright._logs.rendering import render_log


@pytest.mark.parametrize("seed", range(300))
def test_reading_gives_back_what_was_written(seed: int) -> None:
    log = RandomLog(seed).log()
    read = parse_log(render_log(log))
    for entry in dataclasses.fields(ExecutionLog):
        if entry.compare:
            assert getattr(read, entry.name) == getattr(log, entry.name), entry.name
    assert read == log


def test_escaping_is_undone_by_reading() -> None:
    random_log = RandomLog(1)
    for _ in range(3000):
        text = random_log.text()
        assert plain(escape(text)) == text
        assert [plain(cell) for cell in split_row(f"| {escape(text)} | x |")] == [text, "x"]
        assert "\n" not in escape(text)


def test_every_fact_has_the_line_it_stands_on() -> None:
    log = RandomLog(7).log()
    lines = render_log(log).split("\n")
    read = parse_log(render_log(log))
    for table in read.buffer_tables:
        for row in table.rows:
            assert row.index in lines[row.line - 1]
    for stage in read.stages:
        assert lines[stage.line - 1].startswith(f"### Stage {stage.number}:")
        for attempt in stage.attempts:
            assert lines[attempt.line - 1].startswith(f"#### Attempt {attempt.number}")


def test_lines_take_no_part_in_comparisons() -> None:
    assert Buffer("c_0", line=3) == Buffer("c_0", line=9)
    assert Buffer("c_0") != Buffer("c_1")


@pytest.mark.parametrize("text", ["", "\n\n", "| a |", "|---|---|", "# ", "```", "no markdown at all", "**x**:"])
def test_anything_can_be_read(text: str) -> None:
    assert parse_log(text).stages == ()


def test_stage_numbers_are_lists_or_ranges() -> None:
    assert stage_numbers("4-6") == (4, 5, 6)
    assert stage_numbers("4, 5, 7") == (4, 5, 7)
    assert stage_numbers("Stages 1\u20133") == (1, 2, 3)
