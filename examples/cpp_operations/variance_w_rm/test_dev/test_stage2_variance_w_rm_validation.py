# SPDX-License-Identifier: Apache-2.0
"""Stage 2: wrong inputs are refused, in the specification's words."""

import re

import numpy as np
import pytest
import ttnn
from inputs import inputs


def call(place, **changed):
    args, kwargs = inputs((64, 64), "bfloat16", 0)
    tensors = [place(each, **(changed if index == 0 else {})) for index, each in enumerate(args)]
    return ttnn.variance_w_rm(*tensors, **kwargs)


def test_tiles_are_refused(place):
    with pytest.raises(RuntimeError, match=re.escape("Input must be in ROW_MAJOR layout")):
        call(place, layout=ttnn.TILE_LAYOUT)


def test_host_tensor_is_refused(place):
    with pytest.raises(RuntimeError, match=re.escape("Input must be on device")):
        call(place, on=None)


def test_one_dimension_is_refused(place):
    args, kwargs = inputs((64, 64), "bfloat16", 0)
    with pytest.raises(RuntimeError, match=re.escape("Input must be at least 2D, got rank ")):
        ttnn.variance_w_rm(place(np.zeros(64, np.float32)), *map(place, args[1:]), **kwargs)


def test_integers_are_refused(place):
    args, kwargs = inputs((64, 64), "bfloat16", 0)
    with pytest.raises(RuntimeError, match=re.escape("Unsupported dtype ")):
        ttnn.variance_w_rm(place(np.zeros((64, 64), np.uint32), dtype=ttnn.uint32), *map(place, args[1:]), **kwargs)
