# SPDX-License-Identifier: Apache-2.0
"""The published ttnn's own headers accept every kernel of every operation."""

from __future__ import annotations

import pytest

from tests.wheel_headers import WheelHeaders
from tilewright import ttnn
from tilewright._tensor.paper_device import paper_device
from tilewright.ops import OPERATIONS, Strategy


@pytest.mark.parametrize(
    ("strategy", "arch"),
    [(Strategy.RESIDENT, "wormhole_b0"), (Strategy.STREAMING, "blackhole")],
    ids=["resident", "streaming"],
)
@pytest.mark.parametrize("name", OPERATIONS)
def test_kernels_are_accepted(wheel_headers: WheelHeaders, name: str, strategy: Strategy, arch: str) -> None:
    operation, device = OPERATIONS[name], paper_device(arch)
    plan = operation.plan((64, 1000), ttnn.bfloat16, device, strategy=strategy, block_tiles=4)
    tensors = operation.allocate(plan, device)
    for kernel in operation.program(plan, tensors).kernels:
        errors = wheel_headers.check_descriptor(kernel, arch)
        assert not errors, errors
