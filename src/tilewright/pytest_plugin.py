# SPDX-License-Identifier: Apache-2.0
"""pytest plugin: ``pytest --tilewright`` runs tests that say ``import ttnn`` on the simulated chip."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tilewright")
    group.addoption(
        "--tilewright",
        action="store_true",
        help="run tests that import ttnn on tilewright's simulated chip",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--tilewright"):
        # Imported here: without the option this plugin must cost nothing.
        from tilewright.drop_in import install_as_ttnn

        install_as_ttnn()
