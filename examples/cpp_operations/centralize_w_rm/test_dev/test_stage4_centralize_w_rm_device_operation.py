# SPDX-License-Identifier: Apache-2.0
"""Stage 4: the device operation gives the output's shape, dtype and place."""

import pytest
import ttnn
from inputs import inputs, reference


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_output_is_as_specified(place, dtype):
    args, kwargs = inputs((2, 64, 96), dtype, 0)
    tensors = [place(each, dtype=getattr(ttnn, dtype)) for each in args]
    output = ttnn.centralize_w_rm(*tensors, **kwargs, memory_config=ttnn.L1_MEMORY_CONFIG)
    assert list(output.shape) == list(reference(*args, **kwargs).shape)
    assert output.dtype == getattr(ttnn, dtype)
    assert output.layout == ttnn.ROW_MAJOR_LAYOUT
    assert output.memory_config().buffer_type == ttnn.BufferType.L1
