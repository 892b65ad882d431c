# SPDX-License-Identifier: Apache-2.0
"""The published ttnn's own headers accept every phase."""

from __future__ import annotations

import pytest

from tests.kernels.phases import phase_kernels
from tests.wheel_headers import WheelHeaders
from tilewright.kernels import Kernel
from tilewright.kernels._language import KernelRole

KERNELS = [each for name, each in vars(phase_kernels).items() if isinstance(each, Kernel) and name.startswith("run_")]


@pytest.mark.parametrize("kernel", KERNELS, ids=[each.name for each in KERNELS])
def test_phases_are_accepted(wheel_headers: WheelHeaders, kernel: Kernel) -> None:
    scalars = [4] * len(kernel.arguments.scalars)
    interleaved_in_dram = (2, 2048)
    errors = wheel_headers.check(
        kernel.cpp_source(),
        is_compute=kernel.role is KernelRole.COMPUTE,
        compile_time_args=[*scalars, *interleaved_in_dram * len(kernel.arguments.tensors)],
    )
    assert not errors, errors
