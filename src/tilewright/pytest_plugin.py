# SPDX-License-Identifier: Apache-2.0
"""pytest plugin: ``pytest --tilewright`` runs tests that say ``import ttnn`` on the simulated chip.

With the option, a fixture ``device`` gives an open device, as tt-metal's own tests have it; a ``conftest.py``
with a fixture of that name goes before.

``pytest --tilewright-check`` runs every launch of every test under the checker's rules, and a test with findings fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tilewright.check.report import Report


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tilewright")
    group.addoption(
        "--tilewright",
        action="store_true",
        help="run tests that import ttnn on tilewright's simulated chip",
    )
    group.addoption(
        "--tilewright-check",
        action="store_true",
        help="check every launch of a program; a test with findings fails",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--tilewright-check"):
        config.pluginmanager.register(_Checks(), "tilewright-checks")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Before any ``conftest.py`` is read: it may import ttnn too."""
    if early_config.known_args_namespace.tilewright:
        # Imported here: without the option this plugin must cost nothing.
        from tilewright.drop_in import install_as_ttnn

        try:
            install_as_ttnn()
        except RuntimeError as error:
            raise pytest.UsageError(f"--tilewright: {error}") from None
        early_config.pluginmanager.register(_Fixtures(), "tilewright-fixtures")


class _Checks:
    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """A test that passes fails when one of its launches has findings; one that fails shows them too."""
        from tilewright.check.every_launch import every_launch_checked
        from tilewright.check.report import Report

        with every_launch_checked() as results:
            try:
                yield
            except BaseException:
                _add_section(item, Report.of(results))
                raise
        report = Report.of(results)
        if report.findings:
            pytest.fail(f"tilewright: {report.summary}\n{report.text(width=100)}", pytrace=False)
        _add_section(item, report)


def _add_section(item: pytest.Item, report: Report) -> None:
    """What was found, beside what the test says itself."""
    if report.findings or report.notes:
        item.add_report_section("call", "tilewright check", report.text(width=100))


class _Fixtures:
    @pytest.fixture
    def device_params(self, request: pytest.FixtureRequest) -> dict[str, Any]:
        """Arguments of ``open_device`` for the ``device`` fixture, given by indirect parametrization."""
        return dict(getattr(request, "param", {}))

    @pytest.fixture
    def device(self, device_params: dict[str, Any]) -> Iterator[object]:
        """An open device of its own for every test."""
        from tilewright import ttnn

        device = ttnn.open_device(**{"device_id": 0, **device_params})
        yield device
        ttnn.close_device(device)
