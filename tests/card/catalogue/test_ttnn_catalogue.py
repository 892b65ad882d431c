# SPDX-License-Identifier: Apache-2.0
"""ttnn's operations on the simulated card: ``make catalogue``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch")
ttnn = pytest.importorskip("ttnn")

from tests.card.catalogue.families import FAMILIES  # noqa: E402
from tests.card.catalogue.known_failures import KNOWN_FAILURES  # noqa: E402
from tests.card.catalogue.operation_case import Bench, Case, check  # noqa: E402
from tests.card.catalogue.operations_page import CHIPS, GROUPS, PAGE, cases_of, page  # noqa: E402

CHIP = ttnn.get_arch_name()


def _parameters() -> Iterator[Any]:
    for case in (case for group in GROUPS for case in cases_of(group)):
        reason = KNOWN_FAILURES[CHIP].get(case.name)
        marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
        if case.name in FAMILIES:
            marks.append(pytest.mark.family)
        yield pytest.param(case, id=case.name, marks=marks)


@pytest.fixture(scope="module")
def card() -> Iterator[object]:
    device = ttnn.open_device(device_id=0, l1_small_size=32768)  # convolutions keep their tables there
    yield device
    ttnn.close_device(device)


@pytest.mark.parametrize("case", list(_parameters()))
def test_operation(card: object, case: Case) -> None:
    check(case, Bench(card))


def test_page_lists_the_catalogue() -> None:
    assert PAGE.read_text() == page()


def test_every_known_failure_and_every_family_is_a_case() -> None:
    names = [case.name for group in GROUPS for case in cases_of(group)]
    assert set(names) >= FAMILIES
    assert set(KNOWN_FAILURES) == set(CHIPS)
    assert all(set(failures) <= set(names) for failures in KNOWN_FAILURES.values())
