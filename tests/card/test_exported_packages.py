# SPDX-License-Identifier: Apache-2.0
"""Packages of ``tilewright export`` run their own test with the real ttnn: host code, kernels, comparison with torch.

Every shipped operation and every example is exported, and one operation for each part that an author may write.
"""

from __future__ import annotations

import importlib
import os
import re
from pathlib import Path

import pytest

from tests import custom_operations
from tests.card.card_process import OnCard
from tilewright import ops
from tilewright.ops._export import export_operation
from tilewright.ops._operation import Operation

EXAMPLES = Path(__file__).parents[2] / "examples" / "operations"
MODULES = [
    custom_operations,
    *(importlib.import_module(f"examples.operations.{each.stem}") for each in EXAMPLES.glob("*_rm.py")),
]
# By name, with a shape for its test beside those it has anyway.
PACKAGES: dict[str, tuple[Operation, tuple[int, ...]]] = {
    "centralize_w_rm": (ops.centralize_w_rm, (2, 3, 64, 128)),
    "variance_w_rm": (ops.variance_w_rm, (5, 7, 100)),
    "standardize_w_rm": (ops.standardize_w_rm, (32, 4096)),
    "layernorm_fused_rm": (ops.layernorm_fused_rm, (2100, 50)),
    **{
        each.name: (each, (64, 96))
        for module in MODULES
        for each in vars(module).values()
        if isinstance(each, Operation)
    },
}


@pytest.fixture(scope="session")
def said(on_card: OnCard, real_ttnn_with_torch: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """pytest's output for all packages; one process for all, because importing ttnn takes seconds."""
    root = tmp_path_factory.mktemp("exported")
    for name, (operation, shape) in PACKAGES.items():
        export_operation(operation, root / name, shape=shape)
    tests = [str(root / name / f"test_{name}.py") for name in PACKAGES]
    result = on_card("--", real_ttnn_with_torch, "-m", "pytest", "-rA", "-p", "no:cacheprovider", *tests)
    return result.stdout + result.stderr


@pytest.mark.parametrize("name", sorted(PACKAGES))
def test_a_packages_own_test_passes_with_the_real_ttnn(said: str, name: str) -> None:
    ended = re.findall(rf"^(PASSED|FAILED|ERROR) .*test_{name}\.py::test_{name}\b", said, re.MULTILINE)
    assert set(ended) == {"PASSED"}, said[-4000:]


def test_an_exported_operation_runs_on_every_chip_of_a_mesh(
    on_card: OnCard, real_ttnn_with_torch: str, card_environment: dict[str, str], tmp_path: Path
) -> None:
    export_operation(ops.variance_w_rm, tmp_path / "package", shape=(64, 128))
    path = os.pathsep.join((str(tmp_path / "package"), card_environment["PYTHONPATH"]))
    script = Path(__file__).with_name("exported_on_mesh.py")
    result = on_card("--system", "n300", str(script), python=real_ttnn_with_torch, PYTHONPATH=path)
    assert result.stdout.endswith("every chip: right\n"), result.stdout + result.stderr
