# SPDX-License-Identifier: Apache-2.0
"""Arguments for calls of variance_w_rm: arrays in the place of tensors."""

import numpy as np


def inputs(shape, dtype, seed):
    random = np.random.default_rng(seed)
    # Of a float32 the matrix unit takes 10 mantissa bits; numbers of bfloat16 it takes whole.
    def normal(sides):
        words = random.standard_normal(sides).astype(np.float32).view(np.uint32) & 0xFFFF0000
        return words.view(np.float32)

    return [normal(shape)], {}


def reference(x):
    """In float64."""
    centralized = (x - x.mean(-1, keepdims=True))
    squared = np.square(centralized)
    variance = squared.mean(-1, keepdims=True)
    return variance
