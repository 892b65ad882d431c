# SPDX-License-Identifier: Apache-2.0
"""Stock readers, writers and multicasts break no rule of the NoC or of semaphores, in any order tried."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.conformance import (
    layernorm_program,
    test_binary,
    test_matmul,
    test_softmax,
    test_tilize_untilize,
    test_unary,
)
from tests.conformance.binary_program import ADD
from tests.conformance.sfpu_functions import BY_NAME
from tilewright import ttnn
from tilewright._launch.chip import Chip
from tilewright._launch.run_options import RunOptions
from tilewright._record.run import Run, RunNote

SHAPE = (96, 160)
Operation = Callable[[Path, ttnn.Device], object]

OPERATIONS: dict[str, Operation] = {
    "unary": lambda operations, device: test_unary.test_every_bfloat16(BY_NAME["relu"], operations, device),
    "binary": lambda operations, device: test_binary.test_binary_ng(ADD, ttnn.bfloat16, operations, device),
    "tilize": lambda operations, device: test_tilize_untilize.tilize_on_all_cores(
        np.ones(SHAPE, np.float32), ttnn.bfloat16, operations, device
    ),
    "untilize": lambda operations, device: test_tilize_untilize.untilize_on_all_cores(
        np.ones(SHAPE, np.float32), ttnn.bfloat16, operations, device
    ),
    "matmul": lambda operations, device: test_matmul.test_one_core(
        (128, 192, 192), test_matmul.LOFI, "bfloat16", operations, device
    ),
    "multicast matmul": lambda operations, device: test_matmul.test_blocks_of_whole_numbers(
        "multicast", ttnn.bfloat16, operations, device
    ),
    "softmax": lambda operations, device: test_softmax.check(
        test_softmax.Case(test_softmax.SMALL),
        SHAPE,
        device,
        operations / "normalization/softmax/device/kernels/attention",
    ),
    "layernorm": lambda operations, device: layernorm_program.check(
        layernorm_program.Case(), SHAPE, device, operations
    ),
}


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> list[RunNote]:
    """Every launch is a checked one, in the order of the test's seed; what it noted is collected."""
    notes: list[RunNote] = []
    launch = Chip.launch

    def checked(
        chip: Chip, program: ttnn.ProgramDescriptor, options: RunOptions, io_tensors: Sequence[object] = ()
    ) -> Run:
        run = launch(chip, program, dataclasses.replace(options, checked=True, seed=request.param), io_tensors)
        notes.extend(run.notes)
        return run

    monkeypatch.setattr(Chip, "launch", checked)
    return notes


@pytest.mark.parametrize("noted", [0, 1, 2], indirect=True, ids="seed {}".format)
@pytest.mark.parametrize("name", OPERATIONS)
def test_stock_kernels_break_no_rule(name: str, noted: list[RunNote], operations: Path, device: ttnn.Device) -> None:
    OPERATIONS[name](operations, device)
    assert [note for note in noted if note.rule.startswith(("noc-", "semaphore-"))] == []
