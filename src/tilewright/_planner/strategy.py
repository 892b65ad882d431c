# SPDX-License-Identifier: Apache-2.0
"""Strategies: resident, streaming, blocked."""

from __future__ import annotations

import enum


class Strategy(str, enum.Enum):
    """How much of a tile-row is in L1 at a time.

    ``RESIDENT``: it is read once and stays until it is done. ``STREAMING``: it is read once per pass, block by block.
    ``BLOCKED``: there is one pass, and nothing needs to stay.
    """

    RESIDENT = "resident"
    STREAMING = "streaming"
    BLOCKED = "blocked"
