# SPDX-License-Identifier: Apache-2.0
"""Stage 6: kernels compile, the program ends, pages are balanced."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright import ttnn
from tilewright.ops import Options
from tilewright.workshop.cases import case_tensors
from tilewright.workshop.spec import read_spec

from rms_norm_w_rm.op import rms_norm_w_rm

SPEC = read_spec(Path(__file__).parents[1] / "spec.toml")
KERNELS = {kernel.name: kernel for kernels in rms_norm_w_rm.kernels.values() for kernel in kernels}


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_kernel_becomes_cpp(kernel: str) -> None:
    assert "void kernel_main() {" in KERNELS[kernel].cpp_source()


@pytest.mark.parametrize("case", SPEC.tests, ids=lambda case: case.name)
def test_the_program_ends(device: ttnn.Device, case) -> None:
    tensors = case_tensors(rms_norm_w_rm, case, device)
    outcome = rms_norm_w_rm.launch(tensors, Options(), epsilon=SPEC.epsilon)
    assert tuple(outcome.output.shape) == rms_norm_w_rm.output_shape(case.shape)
    assert outcome.output.dtype is tensors["input_tensor"].dtype
    persistent = {each.index for each in SPEC.buffers if each.lifetime == "persistent"}
    for use in outcome.run.circular_buffers:
        allowed = (0, use.pushed) if use.index in persistent else (0,)
        assert use.left_over in allowed, outcome.run.cb_label(use.index)
        assert use.peak <= use.num_pages
