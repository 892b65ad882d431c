# SPDX-License-Identifier: Apache-2.0
"""Makes the repository's examples importable by tests."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))
