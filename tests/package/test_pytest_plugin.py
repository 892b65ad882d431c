# SPDX-License-Identifier: Apache-2.0
"""``pytest --tilewright``: tests written for ttnn run unchanged."""

from __future__ import annotations

from pathlib import Path

from tests.ttnn_script import Run
from tilewright._tensor.ttnn_names import TTNN_RELEASE

CONFTEST = "import ttnn\n\ndef pytest_report_header():\n    return 'ttnn is ' + ttnn.__name__\n"
TEST = """
import faulthandler
import signal
import numpy
import pytest
import ttnn

def test_a_tensor_goes_to_the_device_and_back(device):
    x = numpy.ones((32, 32), dtype=numpy.float32)
    tensor = ttnn.from_numpy(x, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    assert (ttnn.to_numpy(tensor) == x).all()

@pytest.mark.parametrize("device_params", [{"arch": "blackhole"}], indirect=True)
def test_the_device_can_be_another(device):
    assert device.arch() == ttnn.Arch.BLACKHOLE

def test_importorskip_finds_ttnn():
    assert pytest.importorskip("ttnn") is ttnn

def test_something_missing():
    ttnn.softmax

def test_a_fault_in_a_kernel_leaves_pytests_fault_handler_alone(device):
    assert faulthandler.is_enabled()
    before = signal.getsignal(signal.SIGINT)
    core = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])
    kernel = ttnn.KernelDescriptor(
        kernel_source="void kernel_main() { *(volatile int*)8 = 1; }",
        source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=core,
        config=ttnn.ReaderConfigDescriptor(),
    )
    x = ttnn.from_numpy(numpy.zeros((1, 32)), dtype=ttnn.float32, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
    with pytest.raises(Exception, match="null pointer"):
        ttnn.generic_op([x, x], ttnn.ProgramDescriptor(kernels=[kernel]))
    assert faulthandler.is_enabled() and signal.getsignal(signal.SIGINT) is before
"""


def test_tests_for_ttnn_run(python: Run, tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_for_ttnn.py").write_text(TEST)
    result = python("-m", "pytest", "-p", "no:cacheprovider", "--tilewright")
    assert "ttnn is tilewright.ttnn" in result.stdout
    assert f"ttnn.softmax exists in ttnn {TTNN_RELEASE} but tilewright does not simulate it" in result.stdout
    assert "Fatal Python error" not in result.stderr
    assert "1 failed, 4 passed" in result.stdout


def test_without_the_option_nothing_changes(python: Run, tmp_path: Path) -> None:
    text = "import sys\ndef test_it():\n    assert not {'tilewright.ttnn', 'numpy', 'ttnn'} & set(sys.modules)\n"
    (tmp_path / "test_plain.py").write_text(text)
    result = python("-m", "pytest", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-q")
    assert "1 passed" in result.stdout


def test_the_real_ttnn_already_imported_is_an_error_not_a_mixture(python: Run, tmp_path: Path) -> None:
    (tmp_path / "ttnn.py").write_text("")
    (tmp_path / "early.py").write_text("import ttnn\n")
    result = python("-m", "pytest", "-p", "early", "--tilewright", PYTHONPATH=str(tmp_path))
    assert result.returncode == 4
    assert "ERROR: --tilewright: the real ttnn is already imported" in result.stderr
