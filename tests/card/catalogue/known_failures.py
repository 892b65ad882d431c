# SPDX-License-Identifier: Apache-2.0
"""Cases that are not right, by chip, each with its reason. One that becomes right must leave this list."""

from __future__ import annotations

_BLACKHOLE_ONLY = "refused by ttnn: it is for Blackhole"
KNOWN_FAILURES: dict[str, dict[str, str]] = {
    "wormhole_b0": {"softcap": _BLACKHOLE_ONLY, "situ_glu": _BLACKHOLE_ONLY},
    "blackhole": {},
}
