# SPDX-License-Identifier: Apache-2.0
"""The process that the fixture ``on_card`` gives."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

OnCard = Callable[..., subprocess.CompletedProcess[str]]
