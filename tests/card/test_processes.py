# SPDX-License-Identifier: Apache-2.0
"""Processes and the card: shells, child processes, several at once, tests, and what is left behind."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tilewright._build.cache import cache_directory

SCRIPT = Path(__file__).with_name("cards_in_processes.py")
TEST = """
import ttnn

def test_the_real_ttnn_has_a_device(device):
    assert ttnn.__file__.endswith("site-packages/ttnn/__init__.py")
    ones = ttnn.ones((32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    assert ttnn.add(ones, ones).cpu().to(ttnn.ROW_MAJOR_LAYOUT).to_list()[3][4] == 2
"""


@pytest.fixture(scope="module")
def environment(card_environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """With a home of its own, and a cache elsewhere."""
    home = str(tmp_path_factory.mktemp("home"))
    own = {"HOME": home, "TILEWRIGHT_CACHE": str(cache_directory()), "PYTHONDONTWRITEBYTECODE": "1"}
    return {**card_environment, **own}


@pytest.fixture(scope="module")
def ran(
    real_ttnn: str, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> tuple[subprocess.CompletedProcess[str], Path]:
    """The script in a shell that was set up for the card, and the directory it ran in."""
    work = tmp_path_factory.mktemp("work")
    command = f'eval "$({real_ttnn} -m tilewright env --grid 2x2)" && exec {real_ttnn} {SCRIPT}'
    result = subprocess.run(
        ["sh", "-c", command], cwd=work, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result, work


def test_child_processes_have_cards_of_their_own_at_the_same_time(
    ran: tuple[subprocess.CompletedProcess[str], Path],
) -> None:
    places = re.findall(r"process (\d) at (\d+): right", ran[0].stdout)
    assert [number for number, _ in places] == ["1", "2", "0"]
    assert len({place for _, place in places}) == 1


def test_a_process_ends_while_a_trace_is_being_captured(ran: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    assert "a trace is being captured" in ran[0].stdout


def test_nothing_is_left_outside_the_cache(
    ran: tuple[subprocess.CompletedProcess[str], Path], environment: dict[str, str]
) -> None:
    assert [str(path) for path in files_below(ran[1])] == []
    assert [str(path) for path in files_below(Path(environment["HOME"]))] == []


def test_tests_find_the_card_and_site_packages_stay_as_they_are(
    real_ttnn: str, environment: dict[str, str], tmp_path: Path
) -> None:
    package = next(Path(real_ttnn).parent.parent.glob("lib/python3*/site-packages/ttnn"))
    before = {path: path.stat().st_mtime_ns for path in files_below(package)}
    (tmp_path / "test_device.py").write_text(TEST)
    command = [
        real_ttnn,
        "-m",
        "pytest",
        "-q",
        "-p",
        "tilewright.pytest_plugin",
        "-p",
        "no:cacheprovider",
        "--tilewright",
    ]
    result = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "1 passed" in result.stdout
    assert {path: path.stat().st_mtime_ns for path in files_below(package)} == before


HANG = """
import numpy as np
import ttnn

def test_hang(device):
    core = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])
    kernel = ttnn.KernelDescriptor(
        kernel_source="void kernel_main() { cb_wait_front(0, 1); }",
        source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=core,
        config=ttnn.ReaderConfigDescriptor(),
    )
    form = ttnn.CBFormatDescriptor(buffer_index=0, data_format=ttnn.bfloat16, page_size=2048)
    cb = ttnn.CBDescriptor(total_size=4096, core_ranges=core, format_descriptors=[form])
    tensor = ttnn.Tensor(np.ones((1, 1, 32, 32), np.float32), ttnn.bfloat16).to(ttnn.TILE_LAYOUT).to(device)
    ttnn.generic_op([tensor, tensor], ttnn.ProgramDescriptor(kernels=[kernel], semaphores=[], cbs=[cb]))
"""


def test_hang_in_a_test_is_the_verdict_of_exec(real_ttnn: str, environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "test_hang.py").write_text(HANG)
    pytest_command = [real_ttnn, "-m", "pytest", "-q", "-p", "tilewright.pytest_plugin", "--tilewright"]
    options = ["--exit-codes", "--diagnosis", "why.json"]
    result = subprocess.run(
        [real_ttnn, "-m", "tilewright", "exec", *options, "--", *pytest_command],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert result.returncode == 2, result.stdout + result.stderr
    told = json.loads((tmp_path / "why.json").read_text())
    assert [each["test"] for each in told["tests"]] == ["test_hang.py::test_hang"]
    ((finding,),) = [launch["findings"] for launch in told["launches"]]
    assert (finding["rule"], finding["cb"]) == ("hang-missing-producer", "c_0")


def files_below(directory: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(directory):
        yield from (Path(folder) / name for name in names)
