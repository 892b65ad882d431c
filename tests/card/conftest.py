# SPDX-License-Identifier: Apache-2.0
"""Scripts with the real ttnn run in a Python of their own, which has ttnn and this tilewright."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import tilewright
from tests.card.card_process import OnCard


@pytest.fixture(scope="session")
def card_environment() -> dict[str, str]:
    """The environment of a process that finds this tilewright and these tests, and no card yet."""
    places = (Path(tilewright.__file__).parents[1], Path(__file__).parents[2])
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TT_")}
    return {**kept, "PYTHONPATH": os.pathsep.join(map(str, places)), "LOGURU_LEVEL": "ERROR"}


@pytest.fixture(scope="session")
def on_card(real_ttnn: str, card_environment: dict[str, str]) -> OnCard:
    """Runs ``tilewright exec`` with the real ttnn, in a Python without torch unless one is given."""

    def run(
        *arguments: str, python: str = real_ttnn, timeout: float = 600, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [python, "-m", "tilewright", "exec", *arguments],
            capture_output=True,
            text=True,
            timeout=timeout,
            env={**card_environment, **variables},
            check=False,
        )

    return run
