# SPDX-License-Identifier: Apache-2.0
"""Runs when the package is built or installed for development: writes the stub of the kernel API for editors."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class StubHook(BuildHookInterface):  # type: ignore[misc]
    """Puts ``kernels/api.pyi`` into the package."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        del version
        subprocess.run([sys.executable, "tools/write_api_stub.py"], cwd=self.root, check=True)
        build_data["artifacts"].append("src/tilewright/kernels/api.pyi")
