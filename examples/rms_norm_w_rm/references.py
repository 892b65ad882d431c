# SPDX-License-Identifier: Apache-2.0
"""What each phase of rms_norm_w_rm leaves behind, in float64."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]

# The circular buffer that each phase leaves its result in.
OUTPUTS = {
    "tilize_gamma": "gamma_tiled",
    "tilize_row": "in_tiled",
    "square_row": "squared",
    "mean_square": "mean_square",
    "inv_rms": "inv_rms",
    "normalize": "normalized",
    "scale": "scaled",
    "untilize_row": "out_rm",
}


def references(x: Float64, gamma: Float64, epsilon: float = 1e-06) -> dict[str, Float64]:
    """Results by phase, in order; a row is the last dimension, as wide as the input or 1."""
    gamma = gamma.reshape(-1)
    tilize_gamma = gamma
    tilize_row = x
    square_row = x**2
    mean_square = square_row.mean(-1, keepdims=True)
    inv_rms = 1 / np.sqrt(mean_square + epsilon)
    normalize = x * inv_rms
    scale = normalize * gamma
    untilize_row = scale
    return {
        "tilize_gamma": np.asarray(tilize_gamma),
        "tilize_row": np.asarray(tilize_row),
        "square_row": np.asarray(square_row),
        "mean_square": np.asarray(mean_square),
        "inv_rms": np.asarray(inv_rms),
        "normalize": np.asarray(normalize),
        "scale": np.asarray(scale),
        "untilize_row": np.asarray(untilize_row),
    }
