# SPDX-License-Identifier: Apache-2.0
"""Operations on the model's clock: what the parts of a core do to each other, and what the advice says."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tilewright._launch.observer import observed_launches
from tilewright._launch.open_devices import close_device, open_device
from tilewright._program.compute_kernel_config import WormholeComputeKernelConfig
from tilewright._program.kernel_config import MathFidelity
from tilewright._tensor.device import Device
from tilewright._tensor.dtype import DataType
from tilewright._tensor.layout import Layout
from tilewright._tensor.tensor import Tensor
from tilewright.ops import Options, centralize_w_rm
from tilewright.ops._accuracy import held, judge
from tilewright.timing import Change, Processor, WaitFor, replay
from tilewright.timing._advice import Advice, Effect, advise
from tilewright.timing._observer import TimeObserver
from tilewright.timing._text import time_json, time_lines
from tilewright.timing._timed_launch import TimedLaunch


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    opened = open_device(0, grid=(2, 2))
    yield opened
    close_device(opened)


def _timed(device: Device, rows: int = 256, options: Options | None = None) -> TimedLaunch:
    values = np.random.default_rng(0).standard_normal((rows, 64), np.float32)
    tensors = {"x": Tensor(values, DataType.BFLOAT16, device, Layout.ROW_MAJOR)}
    with observed_launches(TimeObserver()) as launches:
        outcome = centralize_w_rm.launch(tensors, options or Options())
    if options is None or options.compute_kernel_config is None:  # bounds are those of HiFi4
        accuracy = judge([outcome.output.to_numpy()], centralize_w_rm.bounds(outcome.plan, held(tensors)))
        assert accuracy.is_within_bound, accuracy.text
    (launch,) = launches
    return launch


def test_every_processor_is_there_and_its_time_adds_up(device: Device) -> None:
    time = _timed(device).time
    assert list(time.by_processor) == list(Processor)
    assert {len(lanes) for lanes in time.by_processor.values()} == {4}
    for lane in time.processors:
        waits = sum(wait.cycles for wait in lane.waits)
        assert lane.busy + waits == pytest.approx(lane.end - lane.begin)
        assert lane.end <= time.cycles


def test_the_writer_waits_for_pages_of_the_output(device: Device) -> None:
    writers = _timed(device).time.by_processor[Processor.BRISC]
    for writer in writers:
        assert writer.waits[0].kind is WaitFor.PAGES_FRONT
        assert writer.waits[0].buffer == "c_16 out_rm"


def test_twice_the_rows_take_longer_but_not_twice_as_long(device: Device) -> None:
    few, many = _timed(device, rows=512).time, _timed(device, rows=1024).time
    assert 1.3 * few.cycles < many.cycles < 2 * few.cycles


def test_a_faster_machine_is_never_slower(device: Device) -> None:
    launch = _timed(device)
    for change in (Change(dram_factor=0.5), Change(math_factor=0.5), Change(deeper_buffer=0), Change(most_phases=1)):
        assert replay(launch.record, change).cycles <= launch.time.cycles


def test_lower_fidelity_saves_the_predicted_time(device: Device) -> None:
    """Two ways to the same figure: replaying with fewer phases, and a run that asks for them."""
    best = _timed(device)
    config = WormholeComputeKernelConfig(math_fidelity=MathFidelity.HiFi2, fp32_dest_acc_en=True)
    low = _timed(device, options=Options(compute_kernel_config=config))
    assert replay(best.record, Change(most_phases=2)).cycles == low.time.cycles


def test_advice_is_about_the_recorded_run(device: Device) -> None:
    launch = _timed(device)
    advice = advise(launch.record, launch.time)
    assert {"c_0 in_rm twice as deep", "HiFi2 instead of HiFi4"} <= {effect.words for effect in advice.helps}
    savings = [effect.saving for effect in advice.bounds]
    assert savings == sorted(savings, reverse=True)
    assert advice.sentence.startswith("By the model it is bound by ")


def test_savings_below_the_error_of_the_model_are_not_listed() -> None:
    little = Advice((Effect("maths", 0.4),), (Effect("c_0 twice as deep", 0.15),))
    assert little.sentence == (
        "By the model it is bound by maths; nothing that was tried saves more than the model can tell (20 %)."
    )


def test_the_text_and_the_json_say_the_same(device: Device) -> None:
    launch = _timed(device)
    lines = time_lines(launch.time)
    found = time_json(launch.time)
    assert lines[0] == f"time {found['microseconds']:.1f} us on 4 cores of wormhole_b0, by the model"
    assert any(line.startswith("NCRISC") for line in lines)
    assert len(found["processors"]) == 20
