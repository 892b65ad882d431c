# SPDX-License-Identifier: Apache-2.0
"""Stage 5: the program factory makes the program of the design: its circular buffers and kernels."""

import pytest
import ttnn
from inputs import inputs

# Circular buffers of a call on 2x3x64x128 bfloat16: index, pages, bytes of a page.
CIRCULAR_BUFFERS = {0: (8, 2048), 1: (4, 2048), 2: (1, 2048), 3: (1, 4096), 4: (4, 4096), 5: (4, 4096), 6: (1, 4096), 16: (2, 2048)}
KERNELS = ['read.cpp', 'compute_variance_w_rm.cpp', 'write.cpp']


def test_program_is_as_designed(place, monkeypatch):
    programs = []
    run = ttnn.generic_op

    def record(tensors, program, **kwargs):
        programs.append(program)
        return run(tensors, program, **kwargs)

    monkeypatch.setattr(ttnn, "generic_op", record)
    args, kwargs = inputs((2, 3, 64, 128), "bfloat16", 0)
    ttnn.variance_w_rm(*map(place, args), **kwargs)
    if not programs:
        pytest.skip("a build of tt-metal runs the program itself, and shows it to no test")
    (program,) = programs
    found = {}
    for cb in program.cbs:
        (form,) = cb.format_descriptors
        found[form.buffer_index] = (cb.total_size // form.page_size, form.page_size)
    assert found == CIRCULAR_BUFFERS
    assert [kernel.kernel_source.rpartition("/")[2] for kernel in program.kernels] == KERNELS
