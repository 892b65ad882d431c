# SPDX-License-Identifier: Apache-2.0
"""A host that is killed during a launch: the card's server and the engine end, too."""

from __future__ import annotations

import uuid
from pathlib import Path

from tests.card.card_process import OnCard, processes_with

SCRIPT = Path(__file__).with_name("killed_host.py")


def test_no_process_stays_of_a_host_killed_during_a_launch(on_card: OnCard) -> None:
    mark = uuid.uuid4().hex
    # It has ended once its output is closed, which the server holds open as well.
    killed = on_card(str(SCRIPT), timeout=120, TILEWRIGHT_TEST_MARK=mark)
    assert killed.returncode in (-9, 137), killed.stdout + killed.stderr
    assert "Traceback" not in killed.stderr
    assert processes_with(mark) == []
