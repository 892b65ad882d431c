# SPDX-License-Identifier: Apache-2.0
"""The inputs that test cases of a spec name."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.workshop.spec.model import TestCase


def input_of(case: TestCase, seed: int = 0) -> NDArray[Any]:
    """The input of a test case, as float32; always the same one.

    ``normal`` has mean 0 and deviation 1, ``offset`` the same around 10, ``constant`` 5 everywhere, ``alternating`` 1
    and -1 in turn, ``spike`` one 100 in each row of small numbers, ``arange`` counts, ``tiny`` is around 1e-4.
    """
    generator = np.random.default_rng(seed)
    shape = tuple(case.shape)
    normal = generator.standard_normal(shape, np.float32)
    match case.data:
        case "offset":
            return normal + np.float32(10)
        case "constant":
            return np.full(shape, 5, np.float32)
        case "alternating":
            return np.broadcast_to(np.where(np.arange(shape[-1]) % 2, -1, 1), shape).astype(np.float32)
        case "spike":
            spiked = normal * np.float32(0.01)
            spiked[..., shape[-1] // 2] = 100
            return spiked
        case "arange":
            return (np.arange(normal.size) % 256).reshape(shape).astype(np.float32)
        case "tiny":
            return normal * np.float32(1e-4)
    return normal


def vector_of(case: TestCase, position: int) -> NDArray[Any]:
    """Vector number ``position`` of a test case."""
    return np.random.default_rng(1 + position).standard_normal(case.shape[-1:], np.float32)
