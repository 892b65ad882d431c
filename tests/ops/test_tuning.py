# SPDX-License-Identifier: Apache-2.0
"""Tuning tries plans by running them, and gives the best one it found."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tilewright._launch.open_devices import close_device, open_device
from tilewright._program.kernel_config import MathFidelity
from tilewright._tensor.device import Device
from tilewright._tensor.dtype import DataType
from tilewright._tensor.layout import Layout
from tilewright._tensor.tensor import Tensor
from tilewright.formula._validation import OperationError
from tilewright.ops import centralize_w_rm
from tilewright.ops._tuned_plan import TunedFor, tuned_options, tuned_text
from tilewright.ops._tuning import Trial, Tuned, Tuner

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


def test_tuning_keeps_the_error_bound(device: Device, tuned: Tuned) -> None:
    strict = Tuner(centralize_w_rm, SHAPE, DataType.BFLOAT16, device, allowed=1e-6).tune()
    assert strict.best is strict.first


def test_a_bound_that_is_none_is_refused(device: Device) -> None:
    with pytest.raises(ValueError, match="allowed must be a positive share"):
        Tuner(centralize_w_rm, SHAPE, DataType.BFLOAT16, device, allowed=0)


def test_planner_uses_the_tuned_plan_on_request(device: Device, tuned: Tuned, tmp_path: Path) -> None:
    deeper = dataclasses.replace(tuned.best.choice, deeper=frozenset({16}), fidelity=MathFidelity.HiFi2, rows=1)
    tuned_for = TunedFor.of(centralize_w_rm, SHAPE, DataType.BFLOAT16, device)
    kept = tmp_path / "best.json"
    kept.write_text(tuned_text(deeper, tuned_for))
    options = tuned_options(kept, tuned_for, device)
    assert options.compute_kernel_config is not None
    assert options.compute_kernel_config.math_fidelity is MathFidelity.HiFi2
    values = Tensor(np.ones(SHAPE, np.float32), DataType.BFLOAT16, device, Layout.ROW_MAJOR)
    plan = centralize_w_rm.launch({"x": values}, options).plan
    pages = {each.buffer.index: each.pages for each in plan.buffers}
    usual = {each.buffer.index: each.pages for each in centralize_w_rm.plan(SHAPE, DataType.BFLOAT16, device).buffers}
    assert pages == {**usual, 16: 2 * usual[16]}
    assert len(plan.split.work) == 2


def test_tuning_of_another_operation_or_shape_is_refused(device: Device, tuned: Tuned, tmp_path: Path) -> None:
    kept = tmp_path / "best.json"
    kept.write_text(tuned_text(tuned.best.choice, TunedFor.of(centralize_w_rm, SHAPE, DataType.BFLOAT16, device)))
    other = TunedFor.of(centralize_w_rm, (64, 32), DataType.BFLOAT16, device)
    with pytest.raises(OperationError, match="was tuned for shape 128x32, this is 64x32; tune it again"):
        tuned_options(kept, other, device)
    kept.write_text("{}")
    with pytest.raises(OperationError, match="was not written by tilewright tune"):
        tuned_options(kept, other, device)
    with pytest.raises(OperationError, match="cannot be read"):
        tuned_options(tmp_path / "none.json", other, device)


def test_a_buffer_the_plan_has_not_cannot_be_deeper(device: Device) -> None:
    with pytest.raises(OperationError, match="the plan has no c_9 to make deeper"):
        centralize_w_rm.plan(SHAPE, DataType.BFLOAT16, device, deeper=frozenset({9}))
