# SPDX-License-Identifier: Apache-2.0
"""Stage 4: there is a plan for every test case, and it fits L1."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.ops import Strategy
from tilewright.tensor.paper_device import paper_device
from tilewright.workshop.cases import DTYPES
from tilewright.workshop.spec import read_spec

from rms_norm_w_rm.op import rms_norm_w_rm

SPEC = read_spec(Path(__file__).parents[1] / "spec.toml")


@pytest.mark.parametrize("arch", ["wormhole_b0", "blackhole"])
@pytest.mark.parametrize("case", SPEC.tests, ids=lambda case: case.name)
def test_a_plan_fits(case, arch: str) -> None:
    plan = rms_norm_w_rm.plan(case.shape, DTYPES[case.dtype], paper_device(arch))
    assert plan.l1_bytes <= plan.l1_budget
    assert plan.strategy in rms_norm_w_rm.kernels
    assert plan.block_tiles * plan.num_blocks >= plan.rows.width_tiles


def test_rows_stream_if_the_spec_says_so() -> None:
    assert (Strategy.STREAMING in rms_norm_w_rm.kernels) == (SPEC.work.passes > 0)
    if SPEC.work.passes:
        kernels = rms_norm_w_rm.kernels[Strategy.STREAMING]
        assert kernels.num_passes == SPEC.work.passes
