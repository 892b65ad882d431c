# SPDX-License-Identifier: Apache-2.0
"""pytest plugin: ``pytest --tilewright`` runs tests that say ``import ttnn`` on the simulated card.

They get the ttnn that is installed, or where there is none, tilewright's own module; ``--tilewright-ttnn`` chooses. A
fixture ``device`` gives an open device, as tt-metal's own tests have it; a ``conftest.py`` with a fixture of that name
goes before.

``pytest --tilewright-check`` runs every launch of every test under the checker's rules, and a test with findings fails.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tilewright._launch.failure_files import FAILURES_VARIABLE, TEST_SUFFIX

if TYPE_CHECKING:
    from tilewright.check._report import Report


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tilewright")
    group.addoption(
        "--tilewright",
        action="store_true",
        help="run tests that import ttnn on tilewright's simulated card",
    )
    group.addoption(
        "--tilewright-ttnn",
        choices=("real", "built-in"),
        help="with --tilewright: the installed ttnn, or tilewright's own module; real where it is installed",
    )
    group.addoption(
        "--tilewright-arch",
        choices=("wormhole_b0", "blackhole"),
        help="with --tilewright: chip of the card, and of the fixture `device` (default wormhole_b0)",
    )
    group.addoption(
        "--tilewright-system",
        metavar="SYSTEM",
        help="with --tilewright and the installed ttnn: several chips, as `tilewright exec --system` takes them",
    )
    group.addoption(
        "--tilewright-link",
        action="store_true",
        help="with --tilewright: link folders of C++ operations against the installed ttnn",
    )
    group.addoption(
        "--tilewright-check",
        action="store_true",
        help="check every launch of a program; a test with findings fails",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--tilewright-check"):
        config.pluginmanager.register(_Checks(), "tilewright-checks")
    if directory := os.environ.get(FAILURES_VARIABLE):
        config.pluginmanager.register(_Failures(Path(directory)), "tilewright-failures")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Before any ``conftest.py`` is read: it may import ttnn too."""
    options = early_config.known_args_namespace
    if options.tilewright:
        # Imported here: without the option this plugin must cost nothing.
        from tilewright._card.package import installed_ttnn
        from tilewright._errors import TilewrightError

        is_real = options.tilewright_ttnn == "real" or (options.tilewright_ttnn is None and bool(installed_ttnn()))
        try:
            if is_real:
                _use_card(options.tilewright_arch, options.tilewright_system)
            else:
                _use_built_in()
        except (RuntimeError, TilewrightError) as error:
            raise pytest.UsageError(f"--tilewright: {error}") from None
        fixtures = _Fixtures(None if is_real else options.tilewright_arch)
        early_config.pluginmanager.register(fixtures, "tilewright-fixtures")
        early_config.pluginmanager.register(_CppOperations(options.tilewright_link), "tilewright-cpp-operations")
    if options.tilewright_check and "TT_METAL_SIMULATOR" in os.environ:
        _check_on_card()


def _use_card(arch: str | None, system: str | None) -> None:
    """From now on the installed ttnn, which must not be imported yet, finds the card."""
    from tilewright._card.environment import card_environment
    from tilewright._card.package import require_ttnn
    from tilewright._card.products import choose_card

    if "TT_METAL_SIMULATOR" in os.environ:  # the user has chosen a card
        if arch is not None or system is not None:
            option = "--tilewright-arch" if arch is not None else "--tilewright-system"
            raise RuntimeError(f"{option}: the environment has a card already (TT_METAL_SIMULATOR)")
    else:
        os.environ.update(card_environment(require_ttnn(), choose_card(arch, system=system)))


def _check_on_card() -> None:
    """From now on the server of a card checks every launch."""
    from tilewright._card.launches.unset_arguments import showing_unset_arguments
    from tilewright._launch.observer import OBSERVER_VARIABLE, ObserverRequest

    os.environ.update(showing_unset_arguments())
    directory = tempfile.mkdtemp(prefix="tilewright-check-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    os.environ[OBSERVER_VARIABLE] = ObserverRequest("check", directory=directory).text()


def _use_built_in() -> None:
    from tilewright._drop_in import install_as_ttnn

    install_as_ttnn()


class _Checks:
    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """A test that passes fails when one of its launches has findings; one that fails shows them too."""
        from tilewright._launch.observer import observed_launches, results_of_card
        from tilewright.check._observer import CheckObserver
        from tilewright.check._report import Report

        results_of_card()  # of launches before this test, such as a fixture's
        with observed_launches(CheckObserver()) as results:
            try:
                yield
            except BaseException:
                _add_section(item, Report.of([*results, *results_of_card()]))
                raise
        report = Report.of([*results, *results_of_card()])
        if report.findings:
            pytest.fail(f"tilewright: {report.summary}\n{report.text(width=100)}", pytrace=False)
        _add_section(item, report)


def _add_section(item: pytest.Item, report: Report) -> None:
    """The checker's findings, besides the test's own failure."""
    if report.findings or report.notes:
        item.add_report_section("call", "tilewright check", report.text(width=100))


class _Failures:
    """Writes failed tests, and launches of this process that do not end well, into a directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._observers = contextlib.ExitStack()

    def pytest_sessionstart(self) -> None:
        from tilewright._launch.observer import requested_observers

        if "TT_METAL_SIMULATOR" not in os.environ:  # with a card, its server has the launches
            self._observers.enter_context(requested_observers())

    def pytest_sessionfinish(self) -> None:
        self._observers.close()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._write(report.nodeid, report.when or "call", report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._write(report.nodeid, "collect", report)

    def _write(self, test: str, phase: str, report: pytest.TestReport | pytest.CollectReport) -> None:
        crash = getattr(report.longrepr, "reprcrash", None)
        message = report.longreprtext if crash is None else crash.message
        failure = {"test": test, "phase": phase, "message": message}
        name = f"{time.time_ns():020}-{os.getpid()}{TEST_SUFFIX}"
        (self._directory / name).write_text(json.dumps(failure), encoding="utf-8")


class _CppOperations:
    """Tests that lie in the folder of a C++ operation get it as ``ttnn.NAME``."""

    def __init__(self, link: bool) -> None:
        self._link = link
        self._built: set[Path] = set()

    def pytest_pycollect_makemodule(self, module_path: Path) -> None:
        """Before the module is imported: builds the folder above it, once."""
        from tilewright._cpp_ops.build import build
        from tilewright._cpp_ops.errors import CppOperationError
        from tilewright._cpp_ops.targets import is_operation_folder

        folder = next((each for each in module_path.parents[:3] if is_operation_folder(each)), None)
        if folder is None or folder in self._built:
            return
        import ttnn  # noqa: F401 (whichever it is, the operation belongs to it)

        self._built.add(folder)
        try:
            build(folder, self._link)
        except CppOperationError as error:
            raise pytest.UsageError(str(error)) from None


class _Fixtures:
    """Fixtures of tt-metal's own tests.

    Args:
        arch: chip that devices are opened with; None where the card has it.
    """

    def __init__(self, arch: str | None) -> None:
        self._arch = {} if arch is None else {"arch": arch}

    @pytest.fixture
    def device_params(self, request: pytest.FixtureRequest) -> dict[str, Any]:
        """Arguments of ``open_device`` for the ``device`` fixture, given by indirect parametrization."""
        return dict(getattr(request, "param", {}))

    @pytest.fixture
    def device(self, device_params: dict[str, Any]) -> Iterator[object]:
        """An open device of its own for every test."""
        import ttnn  # whichever it is

        device = ttnn.open_device(**{"device_id": 0, **self._arch, **device_params})
        yield device
        ttnn.close_device(device)
