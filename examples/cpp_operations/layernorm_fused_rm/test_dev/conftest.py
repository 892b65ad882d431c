# SPDX-License-Identifier: Apache-2.0
"""Tensors for the stage tests, with torch on a card's machine and without it elsewhere."""

import sys
from pathlib import Path

import numpy as np
import pytest
import ttnn

HERE = str(Path(__file__).parent)


def pytest_collectstart():
    """Tests of this folder import its inputs.py, also where another operation's was imported before."""
    sys.path[:] = [HERE, *(each for each in sys.path if each != HERE)]
    sys.modules.pop("inputs", None)


@pytest.fixture
def place(device):
    """Puts an array on the device, row-major."""

    def put(values, dtype=ttnn.bfloat16, layout=ttnn.ROW_MAJOR_LAYOUT, on=device):
        if not isinstance(values, np.ndarray):
            return values
        if hasattr(ttnn, "from_numpy"):
            return ttnn.from_numpy(values, dtype=dtype, layout=layout, device=on)
        import torch

        return ttnn.from_torch(torch.from_numpy(values), dtype=dtype, layout=layout, device=on)

    return put


@pytest.fixture
def read():
    """The values of a tensor as float64."""

    def get(tensor):
        if hasattr(ttnn, "to_numpy"):
            return ttnn.to_numpy(tensor).astype(np.float64)
        return ttnn.to_torch(tensor).double().numpy()

    return get
