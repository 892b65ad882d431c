# SPDX-License-Identifier: Apache-2.0
"""Fixtures that tests of several folders share: the published wheel, its headers, a Python with ttnn."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real_ttnn import RealTtnnUnavailableError, python_with_torch, python_with_ttnn
from tests.wheel_headers import WheelHeaders
from tilewright._build.compiler import available_compilers
from tilewright._build.progress import QUIET_VARIABLE
from tilewright._launch.open_devices import all_open_devices, close_device
from tools.ttnn_wheel import WheelUnavailableError, fetch_wheel

NO_BROWSER = "no Chromium"
_NO_TTNN = "the published ttnn cannot be installed here"

pytest_plugins = ["tests.small_programs", "tests.python_process"]


def pytest_configure() -> None:
    os.environ.setdefault(QUIET_VARIABLE, "1")  # a busy machine must not change what commands print
    # What a shell starts in the background ignores Ctrl-C, and so would every process of the tests that send it.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # Getting torch for the real ttnn takes minutes, the first time; what needs none runs before.
    items.sort(key=lambda item: "real_ttnn_with_torch" in getattr(item, "fixturenames", ()))


@pytest.fixture(scope="module", autouse=True)
def _first_device_closed() -> Iterator[None]:
    """An operation called with arrays opens device 0 and leaves it open; the next file may want another grid."""
    yield
    for device in all_open_devices():
        if device.id() == 0:
            close_device(device)


@pytest.fixture(autouse=True)
def _same_main_module() -> Iterator[None]:
    """A command that runs a script makes it this process's main module, and processes started later would run it."""
    main, arguments = sys.modules["__main__"], sys.argv
    yield
    sys.modules["__main__"], sys.argv = main, arguments


@pytest.fixture(scope="session")
def wheel() -> Path:
    """Root of the unpacked wheel: ``wheel / "ttnn/cpp/ttnn/operations"`` has the kernels."""
    try:
        return fetch_wheel()
    except WheelUnavailableError as error:
        pytest.skip(f"the ttnn wheel cannot be had here: {error}")


@pytest.fixture(scope="session")
def wheel_headers(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> WheelHeaders:
    """Checks C++ against the wheel's own headers."""
    compiler = next((each for each in available_compilers() if each.family == "gcc"), None)
    if compiler is None:
        pytest.skip("the wheel's headers are for g++, and there is none")
    return WheelHeaders(wheel, compiler, tmp_path_factory.mktemp("wheel_headers"))


@pytest.fixture(scope="session")
def real_ttnn() -> str:
    """Command of a Python that has the published ttnn installed."""
    try:
        return python_with_ttnn()
    except RealTtnnUnavailableError as error:
        pytest.skip(f"{_NO_TTNN}: {error}")


@pytest.fixture(scope="session")
def real_ttnn_with_torch(real_ttnn: str) -> str:
    """The same, with torch beside it."""
    try:
        return python_with_torch()
    except RealTtnnUnavailableError as error:
        pytest.skip(f"{_NO_TTNN}: {error}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A run without the real ttnn, or without a browser, must not look like one with it."""
    reasons = [str(report.longrepr[2]) for report in terminalreporter.stats.get("skipped", []) if report.longrepr]
    for title, words in (("the real ttnn", _NO_TTNN), ("the browser", NO_BROWSER)):
        missing = [reason for reason in reasons if words in reason]
        if missing:
            terminalreporter.section(title)
            terminalreporter.line(f"{len(missing)} tests did not run. {missing[0].removeprefix('Skipped: ')}")
