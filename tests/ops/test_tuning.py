# SPDX-License-Identifier: Apache-2.0
"""Tuning tries plans by running them, and gives the best one it found."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tilewright.device.open_devices import close_device, open_device
from tilewright.ops import centralize_w_rm
from tilewright.ops.tuning import Trial, Tuned, Tuner
from tilewright.program.kernel import MathFidelity
from tilewright.tensor.device import Device
from tilewright.tensor.dtype import DataType

SHAPE = (128, 32)  # a row of one tile: few different kernels to compile


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    opened = open_device(0, grid=(2, 2))
    yield opened
    close_device(opened)


@pytest.fixture(scope="module")
def shown() -> list[Trial]:
    return []


@pytest.fixture(scope="module")
def tuned(device: Device, shown: list[Trial]) -> Tuned:
    return Tuner(centralize_w_rm, SHAPE, DataType.BFLOAT16, device, on_trial=shown.append).tune()


def test_the_best_is_the_fastest_that_was_tried_but_for_a_hair(tuned: Tuned) -> None:
    fastest = min(trial.time.cycles for trial in tuned.trials)
    assert tuned.best.time.cycles <= fastest / 0.99
    assert tuned.saving == 1 - tuned.best.time.cycles / tuned.first.time.cycles >= 0


def test_both_plans_fewer_cores_and_every_fidelity_were_tried(tuned: Tuned, shown: list[Trial]) -> None:
    assert tuple(shown) == tuned.trials
    words = [trial.choice.words for trial in tuned.trials]
    assert words[:3] == ["as planned", "resident, blocks of 1 tiles", "streaming, blocks of 1 tiles"]
    assert {trial.time.num_cores for trial in tuned.trials} == {4, 2}
    assert {trial.choice.fidelity for trial in tuned.trials} == set(MathFidelity) - {MathFidelity.Invalid}


def test_the_best_plan_is_right_and_clean_under_the_checker(tuned: Tuned) -> None:
    assert tuned.best.accuracy.is_within_bound
    assert tuned.findings == ()


def test_nothing_less_exact_than_asked_for_is_taken(device: Device, tuned: Tuned) -> None:
    strict = Tuner(centralize_w_rm, SHAPE, DataType.BFLOAT16, device, allowed=1e-6).tune()
    assert strict.best is strict.first


def test_a_bound_that_is_none_is_refused(device: Device) -> None:
    with pytest.raises(ValueError, match="allowed must be a positive share"):
        Tuner(centralize_w_rm, SHAPE, DataType.BFLOAT16, device, allowed=0)
