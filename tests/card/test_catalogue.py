# SPDX-License-Identifier: Apache-2.0
"""Every operation that ttnn registers is called by a case of the catalogue, or listed with the reason why not."""

from __future__ import annotations

from tests.card.card_process import OnCard
from tests.card.catalogue.uncalled import UNCALLED, unexplained


def test_every_registered_operation_is_called_or_listed_with_its_reason(
    on_card: OnCard, real_ttnn_with_torch: str
) -> None:
    result = on_card("--", real_ttnn_with_torch, "-m", "tests.card.catalogue.operations_page", "--check")
    assert (result.returncode, result.stdout) == (0, ""), result.stdout + result.stderr


def test_uncalled_and_wrongly_listed_operations_are_named() -> None:
    listed = set().union(*UNCALLED.values())
    registered = {"add", "new", "experimental.quasar.add", *listed} - {"point_to_point"}
    assert unexplained(registered, {"add", "broadcast"}) == (["new"], ["broadcast", "point_to_point"])
