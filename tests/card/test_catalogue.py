# SPDX-License-Identifier: Apache-2.0
"""Every operation that ttnn registers is called by a case of the catalogue, or listed with the reason why not."""

from __future__ import annotations

import runpy
from pathlib import Path

from card_process import OnCard

PAGE = Path(__file__).parent / "catalogue" / "operations_page.py"


def test_every_registered_operation_is_called_or_listed_with_its_reason(on_card: OnCard) -> None:
    result = on_card(str(PAGE), "--check")
    assert (result.returncode, result.stdout) == (0, ""), result.stdout + result.stderr


def test_what_is_missing_and_what_is_listed_wrongly_is_named() -> None:
    uncalled = runpy.run_path(str(PAGE.with_name("uncalled.py")))
    listed = set().union(*uncalled["UNCALLED"].values())
    registered = {"add", "new", "experimental.quasar.add", *listed} - {"point_to_point"}
    assert uncalled["unexplained"](registered, {"add", "broadcast"}) == (["new"], ["broadcast", "point_to_point"])
