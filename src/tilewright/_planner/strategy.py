# SPDX-License-Identifier: Apache-2.0
"""Strategies: resident, partly resident, streaming, blocked."""

from __future__ import annotations

import enum


class Strategy(str, enum.Enum):
    """How much of a tile-row is in L1 at a time.

    ``RESIDENT``: it is read once and stays until it is done; rows that serve all tile-rows, such as gamma, stay for
    ever. ``PARTLY_RESIDENT``: it stays, too, but such rows are read block by block for each tile-row. ``STREAMING``: it
    is read once per pass, block by block. ``BLOCKED``: there is one pass, and nothing needs to stay.
    """

    RESIDENT = "resident"
    PARTLY_RESIDENT = "partly_resident"
    STREAMING = "streaming"
    BLOCKED = "blocked"

    @property
    def keeps_lines(self) -> bool:
        """Whether a tile-row that several passes read is in L1 as a whole."""
        return self in (Strategy.RESIDENT, Strategy.PARTLY_RESIDENT)
