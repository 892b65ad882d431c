# SPDX-License-Identifier: Apache-2.0
"""``tilewright time`` as people use it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tilewright._cli.main import main
from tilewright._launch.observer import observed_launches
from tilewright._launch.open_devices import close_device, open_device
from tilewright._record.call_record import CallRecord, RecordedKernel
from tilewright._tensor.dtype import DataType
from tilewright._tensor.layout import Layout
from tilewright._tensor.tensor import Tensor
from tilewright.ops import centralize_w_rm
from tilewright.timing._observer import TimeObserver

_OPERATION = ["time", "centralize_w_rm", "--shape", "64x64", "--grid", "2x1"]


def test_an_operation_is_timed_in_lines_that_fit(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*_OPERATION, "--cores"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("time ")
    assert "us on 2 cores of wormhole_b0, by the model" in shown
    assert "1,0 NCRISC" in shown
    assert "By the model " in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_json_has_the_same_facts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*_OPERATION, "--json"]) == 0
    (launch,) = json.loads(capsys.readouterr().out)["launches"]
    assert launch["cores"] == 2
    assert launch["microseconds"] > 0
    assert launch["advice"]["sentence"].startswith("By the model ")


def test_records_that_were_kept_are_timed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    device = open_device(0, grid=(2, 1))
    values = Tensor(np.zeros((64, 64), np.float32), DataType.BFLOAT16, device, Layout.ROW_MAJOR)
    with observed_launches(TimeObserver()) as launches:
        centralize_w_rm.launch({"x": values})
    close_device(device)
    launches[0].record.save(tmp_path / "1-000001.npz")
    launches[0].record.save(tmp_path / "1-000002.npz")
    assert main(["time", str(tmp_path), "--csv", str(tmp_path / "ops.csv"), "--launches"]) == 0
    shown = capsys.readouterr().out
    assert shown.count(f"time {launches[0].time.microseconds:.1f} us on 2 cores") == 2
    assert "launch 2: " in shown
    assert main(["time", str(tmp_path), "--launch", "2"]) == 0
    assert capsys.readouterr().out.startswith("\nlaunch 2: ")
    assert main(["time", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert f"time {2 * launches[0].time.microseconds:.1f} us in 2 launches on wormhole_b0" in shown
    assert "100%         2 " in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert len((tmp_path / "ops.csv").read_text().splitlines()) == 3


def test_file_that_is_no_record_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def said(status: int = 1) -> str:
        assert main(["time", str(tmp_path)]) == status
        return capsys.readouterr().err

    assert f"{tmp_path} holds no records of launches" in said(2)
    kept = tmp_path / "1.npz"
    promises_five = np.array([5 << 32, 1], np.uint64)
    kernel = RecordedKernel("reader", 0, 0, 4, False, False, False)
    CallRecord("wormhole_b0", (1, 1), (kernel,), (), (), promises_five).save(kept)
    assert f"{kept} is not the record of a launch, or not all of one" in said()
    kept.write_text("something else")
    assert f"{kept} is not the record of a launch, or not all of one" in said()
    np.savez_compressed(kept, facts=np.frombuffer(b'{"version": 1}', np.uint8), words=promises_five)
    assert f"{kept} was recorded by another version of tilewright: record the launch again" in said()
