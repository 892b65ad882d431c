# SPDX-License-Identifier: Apache-2.0
"""What ``tilewright export`` writes runs its own test with the real ttnn: host code, kernels, comparison with torch."""

from __future__ import annotations

import importlib
import os
import re
from pathlib import Path

import pytest
from card_process import OnCard
from operations.linear_rm import gated_linear_rm
from operations.rms_norm_w_rm import rms_norm_w_rm
from operations.softmax_rm import softmax_rm

from tilewright import ops
from tilewright.ops.export import export_operation
from tilewright.ops.operation import Operation

# The shipped operations, and some of the examples, each with a shape for its test beside those it has anyway.
PACKAGES: dict[str, tuple[Operation, tuple[int, ...]]] = {
    each[0].name: each
    for each in (
        (ops.centralize_w_rm, (2, 3, 64, 128)),
        (ops.variance_w_rm, (5, 7, 100)),
        (ops.standardize_w_rm, (32, 4096)),
        (ops.layernorm_fused_rm, (2100, 50)),
        (rms_norm_w_rm, (64, 96)),
        (softmax_rm, (33, 65)),
        (gated_linear_rm, (40, 70)),
    )
}

EXAMPLES = Path(__file__).parents[2] / "examples" / "operations"
if os.environ.get("TILEWRIGHT_ALL_PACKAGES"):  # `make packages`: minutes
    for path in sorted(EXAMPLES.glob("*_rm.py")):
        declared = vars(importlib.import_module(f"operations.{path.stem}")).values()
        PACKAGES |= {each.name: (each, (64, 96)) for each in declared if isinstance(each, Operation)}


@pytest.fixture(scope="session")
def said(on_card: OnCard, real_ttnn_with_torch: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What pytest says about all packages; one process for all, because importing ttnn takes seconds."""
    root = tmp_path_factory.mktemp("exported")
    for name, (operation, shape) in PACKAGES.items():
        export_operation(operation, root / name, shape=shape)
    tests = [str(root / name / f"test_{name}.py") for name in PACKAGES]
    command = ["--", real_ttnn_with_torch, "-m", "pytest", "-rA", "-p", "no:cacheprovider", *tests]
    result = on_card(*command, timeout=60.0 * len(PACKAGES))
    return result.stdout + result.stderr


@pytest.mark.parametrize("name", PACKAGES)
def test_a_packages_own_test_passes_with_the_real_ttnn(said: str, name: str) -> None:
    ended = re.findall(rf"^(PASSED|FAILED|ERROR) .*test_{name}\.py::test_{name}\b", said, re.MULTILINE)
    assert set(ended) == {"PASSED"}, said[-4000:]
