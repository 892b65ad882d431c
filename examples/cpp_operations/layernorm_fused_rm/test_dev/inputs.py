# SPDX-License-Identifier: Apache-2.0
"""Arguments for calls of layernorm_fused_rm: arrays in the place of tensors."""

import numpy as np


def inputs(shape, dtype, seed):
    random = np.random.default_rng(seed)
    # Of a float32 the matrix unit takes 10 mantissa bits; numbers of bfloat16 it takes whole.
    def normal(sides):
        words = random.standard_normal(sides).astype(np.float32).view(np.uint32) & 0xFFFF0000
        return words.view(np.float32)

    return [normal(shape), normal(shape[-1:]), normal(shape[-1:])], {"epsilon": 1e-05 * (1 + seed)}


def rsqrt(x):
    return 1 / np.sqrt(x)


def reference(x, gamma, beta, epsilon):
    """In float64."""
    centred = (x - x.mean(-1, keepdims=True))
    variance = np.square(centred).mean(-1, keepdims=True)
    inv_std = rsqrt((variance + epsilon))
    return (((centred * inv_std) * gamma) + beta)


# Twice the largest bound of an error analysis, on such data, as a share of max(1, |result|), by width.
BOUNDS = {'bfloat16': {128: 0.0156, 1024: 0.0167, 4096: 0.0189}, 'float32': {128: 0.03, 1024: 0.0306, 4096: 0.0333}}


def tolerance(shape, dtype):
    """The bound of the next larger width; None where no bound was derived."""
    return next((bound for width, bound in BOUNDS.get(dtype, {}).items() if width >= shape[-1]), None)
