# SPDX-License-Identifier: Apache-2.0
"""``python -m tracy`` where the card is simulated."""

from __future__ import annotations

import sys

from tilewright._cli.tracy_main import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
