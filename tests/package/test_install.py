# SPDX-License-Identifier: Apache-2.0
"""Cost of importing and installing the package."""

from __future__ import annotations

from pathlib import Path

import pytest

import tilewright
from tests.ttnn_script import Run

# Processor time: other work on the machine must not fail this.
_MEASURE = """
import sys, time
begin = time.process_time()
import {module}
print(time.process_time() - begin)
heavy = ("torch", "scipy", "elftools", "tilewright._launch.engine")
print([name for name in heavy if name in sys.modules])
"""


@pytest.mark.parametrize("module", ["tilewright", "tilewright.ttnn"])
def test_importing_is_quick_and_brings_nothing_heavy(python: Run, module: str) -> None:
    seconds, heavy = python("-c", _MEASURE.format(module=module)).stdout.splitlines()
    assert float(seconds) < 0.3
    assert heavy == "[]"


def test_the_package_is_small() -> None:
    package = Path(tilewright.__file__).parent
    assert sum(path.stat().st_size for path in package.rglob("*") if path.is_file()) < 20e6
