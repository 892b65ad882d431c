# SPDX-License-Identifier: Apache-2.0
"""What the fixture ``on_card`` gives."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

OnCard = Callable[..., subprocess.CompletedProcess[str]]
