# SPDX-License-Identifier: Apache-2.0
"""Functions of our host headers have the mangled names that ttnn's libraries export, or are inline in tt-metal."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tilewright._build.compiler import find_compiler
from tools.host_symbols import PAGE, host_symbols, page


def test_no_function_differs_and_the_page_lists_those_not_compared(real_ttnn: str) -> None:
    if find_compiler().family != "gcc" or not all(map(shutil.which, ("nm", "c++filt"))):
        pytest.skip("g++ and binutils list symbols, and this machine lacks one of them")
    libraries = next(Path(real_ttnn).parent.parent.glob("lib/python3*/site-packages/ttnn/build/lib"))
    found = host_symbols(libraries)
    assert len(found.same) > 300
    assert found.different == {}
    assert page(found) == PAGE.read_text(), f"python -m tools.host_symbols {libraries} --write writes the page again"
