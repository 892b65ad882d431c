# SPDX-License-Identifier: Apache-2.0
"""Every registered single-chip operation of ttnn on the simulated card, at least once: ``make catalogue``."""

from __future__ import annotations

import importlib
from collections.abc import Iterator

import pytest

torch = pytest.importorskip("torch")
ttnn = pytest.importorskip("ttnn")

from operation_case import Bench, Case, check  # noqa: E402

GROUPS = ("unary", "binary", "backward", "reduction", "layout", "matmul", "pool", "moreh", "heads")


def _cases() -> Iterator[Case]:
    for group in GROUPS:
        yield from importlib.import_module(f"{group}_cases").CASES


@pytest.fixture(scope="module")
def card() -> Iterator[object]:
    device = ttnn.open_device(device_id=0, l1_small_size=32768)  # convolutions keep their tables there
    yield device
    ttnn.close_device(device)


@pytest.mark.parametrize("case", list(_cases()), ids=lambda case: case.name)
def test_operation(card: object, case: Case) -> None:
    check(case, Bench(card))
