# SPDX-License-Identifier: Apache-2.0
"""The demo does what it says."""

from __future__ import annotations

import re
from pathlib import Path

from tests.ttnn_script import Run

ROOT = Path(__file__).parent.parent.parent


def test_demo_shows_results_and_an_explained_hang(python: Run) -> None:
    shown = python(str(ROOT / "examples" / "demo.py"), timeout=300).stdout
    relative = float(re.search(r"largest relative error against float64: ([\d.]+)", shown).group(1))
    # exp, reciprocal and product are each rounded to bfloat16 (2^-8 at most between neighbours).
    assert relative <= 3 * 2**-8
    errors = dict(re.findall(r"(\w+_rm) +largest error against float64 ([\d.e-]+)", shown))
    assert sorted(errors) == ["centralize_w_rm", "layernorm_fused_rm", "variance_w_rm"]
    # The matrix unit reads 10 mantissa bits of a float32: 2^-10 of values up to 12, in a mean and a product.
    assert max(map(float, errors.values())) <= 2 * 12 * 2**-10
    assert "3 kernels on 64 cores" in shown
    reserve_line = 1 + (ROOT / "examples/softmax/compute.cpp").read_text().splitlines().index(
        "    cb_reserve_back(cb_max, 1);"
    )
    assert f"compute.cpp:{reserve_line}  cb_reserve_back(c_3 max, 1)  0 of 1 pages free" in shown
    assert "c_3 max is full and was never popped" in shown
    assert max(map(len, shown.splitlines())) <= 100
