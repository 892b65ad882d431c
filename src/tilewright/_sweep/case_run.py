# SPDX-License-Identifier: Apache-2.0
"""Run one case of a sweep in a local process or on a cluster worker."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np

from tilewright._launch.observer import observed_launches
from tilewright._launch.open_devices import close_device, open_device
from tilewright._sweep.plan_file import SweepCase
from tilewright._tensor.device import Device
from tilewright._tensor.dtype import DataType
from tilewright._tensor.layout import Layout
from tilewright._tensor.tensor import Tensor
from tilewright.check._observer import CheckObserver
from tilewright.ops import OPERATIONS, Options, Strategy
from tilewright.ops._accuracy import held, judge
from tilewright.timing._observer import TimeObserver

Result = dict[str, Any]
_DTYPES = {"bfloat16": DataType.BFLOAT16, "float32": DataType.FLOAT32}
# A worker of a cluster may have several threads, but a process has one device 0.
_ONE_AT_A_TIME = threading.Lock()
# Columns of a result, in the order files have them.
COLUMNS = (
    "case", "operation", "shape", "dtype", "chip", "grid", "plan", "status", "error", "share_of_error_bound",
    "findings", "microseconds", "cores", "dram_bytes", "seconds",
)  # fmt: skip


def run_case(case: SweepCase) -> Result:
    """Result of a case; an error of the case is a result, not an end of the sweep."""
    with _ONE_AT_A_TIME:
        return _run_case(case)


def _run_case(case: SweepCase) -> Result:
    begin = time.perf_counter()
    result: Result = dict.fromkeys(COLUMNS)
    result.update(
        case=case.key,
        operation=case.operation,
        shape="x".join(map(str, case.shape)),
        dtype=case.dtype,
        chip=case.chip,
        grid="x".join(map(str, case.grid)) if case.grid else "",
        plan=case.plan or "",
    )
    try:
        device = open_device(0, case.chip, grid=case.grid)
        try:
            _run_steps(case, device, result)
        finally:
            close_device(device)
    except Exception as error:  # whatever it is, the other cases go on
        first = (str(error).splitlines() or [""])[0]
        result.update(status="failed", error=f"{type(error).__name__}: {first}")
    result["seconds"] = time.perf_counter() - begin
    return result


def _run_steps(case: SweepCase, device: Device, result: Result) -> None:
    operation, dtype = OPERATIONS[case.operation], _DTYPES[case.dtype]
    generator = np.random.default_rng(0)
    sizes = operation.input_shapes(case.shape)
    tensors = {
        name: Tensor(generator.standard_normal(size, np.float32), dtype, device, Layout.ROW_MAJOR)
        for name, size in sizes.items()
    }
    options = Options(strategy=Strategy(case.plan) if case.plan else None)
    good = True
    if "run" in case.steps:
        outcome = operation.launch(tensors, options)
        wanted = operation.outcome_bounds(outcome, held(tensors))
        accuracy = judge([each.to_numpy() for each in outcome.outputs], wanted)
        result["share_of_error_bound"] = accuracy.share_of_bound
        good &= accuracy.is_within_bound
    if "check" in case.steps:
        with observed_launches(CheckObserver()) as checked:
            operation.launch(tensors, options)
        result["findings"] = sum(len(each.findings) for each in checked)
        good &= result["findings"] == 0
    if "time" in case.steps:
        with observed_launches(TimeObserver()) as timed:
            operation.launch(tensors, options)
        result["microseconds"] = sum(each.time.microseconds for each in timed)
        result["cores"] = max(each.time.num_cores for each in timed)
        result["dram_bytes"] = sum(each.time.dram_read_bytes + each.time.dram_write_bytes for each in timed)
    result["status"] = "ok" if good else "wrong"
