# SPDX-License-Identifier: Apache-2.0
"""Stage 6: the kernels compile and end, on one core and on many."""

import pytest
import ttnn
from inputs import inputs


@pytest.mark.parametrize("shape", [(32, 32), (2, 3, 64, 128), (3, 47, 100)])
@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_kernels_end(place, shape, dtype):
    args, kwargs = inputs(shape, dtype, 0)
    ttnn.centralize_w_rm(*[place(each, dtype=getattr(ttnn, dtype)) for each in args], **kwargs)
