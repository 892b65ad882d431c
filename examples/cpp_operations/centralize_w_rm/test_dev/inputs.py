# SPDX-License-Identifier: Apache-2.0
"""Arguments for calls of centralize_w_rm: arrays in the place of tensors."""

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
    return centralized


# Twice the largest bound of an error analysis, on such data, as a share of max(1, |result|), by width.
BOUNDS = {'bfloat16': {128: 0.00834, 1024: 0.00808, 4096: 0.00832}, 'float32': {128: 0.00457, 1024: 0.0039, 4096: 0.00412}}


def tolerance(shape, dtype):
    """The bound of the next larger width; None where no bound was derived."""
    return next((bound for width, bound in BOUNDS.get(dtype, {}).items() if width >= shape[-1]), None)
