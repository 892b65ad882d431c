# SPDX-License-Identifier: Apache-2.0
"""Observers of launches: which one gets a launch, results in files, places that change at a stop."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import tilewright
from tests.check.source_program import scratch_tensor, source_program
from tilewright import Go, Stop, ttnn
from tilewright._errors import KernelCompileError
from tilewright._launch import observer as observers
from tilewright._launch.observer import (
    OBSERVER_VARIABLE,
    RECORDS_VARIABLE,
    Launch,
    Observer,
    ObserverRequest,
    observed_launches,
    requested_observers,
    results_of_card,
)
from tilewright._launch.run_options import RunOptions
from tilewright._launch.show_observer import ShowObserver
from tilewright._record.run import Run
from tilewright.check._observer import CheckObserver
from tilewright.check._report import Report

WORKS = source_program({}, writer="void kernel_main() {}")


@pytest.fixture(scope="module")
def device() -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=0, grid=(2, 1))
    yield device
    ttnn.close_device(device)


class Counting(Observer[int]):
    """Counts launches, and launches one more program."""

    def observe(self, launch: Launch) -> Run:
        self.take(len(self.results) + 1)
        tilewright.run_program([scratch_tensor(launch.tensors[0].device())], WORKS)
        return launch.run()


def test_last_observer_gets_a_launch_and_earlier_ones_its_launches(device: ttnn.Device) -> None:
    tensor = scratch_tensor(device)
    with observed_launches(CheckObserver()) as outer, observed_launches(Counting()) as inner:
        ttnn.generic_op([tensor], WORKS)
    assert (len(outer), inner) == (1, [1])
    ttnn.generic_op([tensor], WORKS)
    assert (len(outer), inner, observers.installed) == (1, [1], [])


def test_a_launch_with_options_of_its_own_is_not_observed(device: ttnn.Device) -> None:
    with observed_launches(Counting()) as seen:
        tilewright.run_program([scratch_tensor(device)], WORKS, RunOptions(checked=True))
    assert seen == []


def test_programs_are_shown_and_passed_on(device: ttnn.Device, capsys: pytest.CaptureFixture[str]) -> None:
    with observed_launches(CheckObserver()) as checked, observed_launches(ShowObserver()):
        ttnn.generic_op([scratch_tensor(device)], WORKS)
    assert len(checked) == 1
    assert capsys.readouterr().out.startswith("launch 1 on 1 core\n  writer (RISCV_0, ")


def test_a_kernel_that_does_not_compile_counts_as_not_run(device: ttnn.Device) -> None:
    broken = source_program({}, writer="void kernel_main() { none(); }")
    with observed_launches(CheckObserver()) as results, pytest.raises(KernelCompileError):
        ttnn.generic_op([scratch_tensor(device)], broken)
    assert Report.of(results).summary == "0 launches checked, 1 could not be run: nothing found"


def test_an_observer_of_the_environment_writes_its_results(
    device: ttnn.Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = ObserverRequest("check", {"seeds": 0, "footprint": True}, str(tmp_path))
    monkeypatch.setenv(OBSERVER_VARIABLE, request.text())
    with requested_observers():
        ttnn.generic_op([scratch_tensor(device)], source_program({0: 2}, writer="void kernel_main() {}"))
    (result,) = results_of_card()
    assert result.ok
    assert [row.cb for row in result.footprint.groups[0].rows] == ["c_0"]
    assert results_of_card() == []


def test_calls_are_recorded_where_the_environment_names_a_directory(
    device: ttnn.Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(RECORDS_VARIABLE, str(tmp_path))
    with requested_observers():
        ttnn.generic_op([scratch_tensor(device)], WORKS)
    assert [path.suffix for path in tmp_path.iterdir()] == [".npz"]


def test_a_place_deleted_or_added_at_a_stop_stays_so_in_later_launches(device: ttnn.Device) -> None:
    push = "void kernel_main() { cb_reserve_back(0, 1); cb_push_back(0, 1); }"
    pop = "void kernel_main() { cb_wait_front(0, 1); cb_pop_front(0, 1); }"
    program = source_program({0: 1}, reader=push, writer=pop)
    stops: list[str] = []

    def look(stop: Stop) -> Go:
        stops.append(stop.kernel)
        stop.breakpoints = stop.breakpoints[1:]
        if len(stops) == 1:
            stop.break_at("writer")
        return Go.ON

    with tilewright.debugged_launches(["reader", "hang"], look):
        for _ in range(3):
            ttnn.generic_op([scratch_tensor(device)], program)
    assert stops == ["reader", "writer", "writer"]
