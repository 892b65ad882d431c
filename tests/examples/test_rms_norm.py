# SPDX-License-Identifier: Apache-2.0
"""The worked example of the workshop: its spec makes sense, its code is what the spec becomes, its stages pass."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from rms_norm_w_rm.op import rms_norm_w_rm

from tilewright import ttnn
from tilewright.ops import Options, Strategy
from tilewright.workshop.scaffold import create_operation
from tilewright.workshop.spec import check_spec, read_spec

EXAMPLE = Path(__file__).parents[2] / "examples" / "rms_norm_w_rm"


@pytest.fixture(scope="module")
def device() -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=32, grid=(2, 2))
    yield device
    ttnn.close_device(device)


def test_its_spec_makes_sense() -> None:
    assert check_spec(read_spec(EXAMPLE)) == []


def test_it_is_what_its_spec_becomes(tmp_path: Path) -> None:
    created = create_operation(read_spec(EXAMPLE), tmp_path, stubs=False)
    for path in created.files:
        shipped = EXAMPLE / path.relative_to(created.directory)
        assert shipped.read_text() == path.read_text(), shipped


def test_its_stages_pass() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(EXAMPLE)]
    paths = os.pathsep.join(each for each in sys.path if each)
    result = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": paths}, check=False
    )
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("strategy", Strategy, ids=lambda strategy: strategy.value)
@pytest.mark.parametrize("dtype", [ttnn.bfloat16, ttnn.float32], ids=["bfloat16", "float32"])
@pytest.mark.parametrize("width", [1, 31, 32, 33, 100, 1000])
def test_every_element_is_near_float64(device: ttnn.Device, strategy: Strategy, dtype: object, width: int) -> None:
    """2^-7 of max(1, |y|), as the other operations: two roundings to bfloat16, or 10 mantissa bits of five operands."""
    generator = np.random.default_rng(width)
    x = generator.standard_normal((70, width)) * np.where(np.arange(70) % 3 == 0, 20, 1)[:, None]
    x[40] = 0
    gamma = generator.standard_normal(width)
    tensors = {
        name: ttnn.from_numpy(array, dtype, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
        for name, array in {"input_tensor": x, "gamma": gamma}.items()
    }
    blocks = 1 if width <= 32 else 2
    options = Options(strategy=strategy, block_tiles=None if strategy is Strategy.RESIDENT else blocks)
    outcome = rms_norm_w_rm.launch(tensors, options, epsilon=1e-6)
    given = outcome.output.to_numpy().astype(np.float64)
    operands = [tensor.to_numpy().astype(np.float64) for tensor in tensors.values()]
    exact = rms_norm_w_rm.reference(*operands, epsilon=1e-6)
    assert (np.abs(given - exact) <= 2.0**-7 * np.maximum(1, np.abs(exact))).all()
    np.testing.assert_array_equal(given[40], 0)
