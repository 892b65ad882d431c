# SPDX-License-Identifier: Apache-2.0
"""Waits of the packer for DST: only its release takes a commit, as in kernels of ttnn's sharded norms."""

from __future__ import annotations

import pytest

from tests.timing.pipelines import Pipeline
from tilewright._launch.open_devices import close_device, open_device


@pytest.mark.parametrize("arch", ["wormhole_b0", "blackhole"])
def test_second_wait_for_the_same_commit_costs_only_its_call(arch: str) -> None:
    device = open_device(0, arch)
    once, twice = (Pipeline(dst_waits=waits).timed(device).time for waits in (1, 2))
    assert (once.forced, twice.forced) == (0, 0)
    assert twice.cycles == pytest.approx(once.cycles, rel=0.02)
    close_device(device)
