# SPDX-License-Identifier: Apache-2.0
"""Stage 6: kernels compile, the program ends, pages are balanced."""

from __future__ import annotations

from tilewright._tensor.device import Device
from tilewright._tensor.dtype import DataType
from tilewright._workshop.cases import OperationCase, case_tensors
from tilewright.ops import Operation, Strategy


def test_kernels_become_cpp(operation: Operation, strategy: Strategy) -> None:
    for kernel in operation.variants(operation.form(DataType.BFLOAT16))[strategy].kernels:
        assert "void kernel_main() {" in kernel.cpp_source()


def test_the_program_ends(operation: Operation, device: Device, case: OperationCase) -> None:
    tensors = case_tensors(operation, case, device)
    outcome = operation.launch(tensors, case.options)
    assert case.strategy in (None, outcome.plan.strategy)
    assert tuple(tuple(each.shape) for each in outcome.outputs) == operation.output_shapes(case.shape)
    if operation.has_whole_program:
        return  # what its buffers are for is its own business; the checker looks at them
    stores = outcome.plan.schedule.stores
    persistent = {each.buffer.index for each in outcome.plan.buffers if stores[each.buffer.name].persistent}
    for use in outcome.run.circular_buffers:
        allowed = (0, use.pushed) if use.index in persistent else (0,)
        assert use.left_over in allowed, outcome.run.cb_label(use.index)
        assert use.peak <= use.num_pages
