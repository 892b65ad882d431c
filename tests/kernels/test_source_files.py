# SPDX-License-Identifier: Apache-2.0
"""A kernel's text is the one its file had when it was imported, or an error says that it cannot be."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from types import ModuleType

import pytest

from tilewright.kernels import Kernel, reader_kernel
from tilewright.kernels._errors import KernelLanguageError

FIRST = """
from tilewright.kernels import *
from tilewright.kernels.api import *

@kernel_function
def pages(n: uint32) -> uint32:
    return n + 1  # one more

@reader_kernel
def reader(n: RuntimeArg) -> None:
    cb_reserve_back(CB(0), pages(n))
"""


def load(path: Path, text: str) -> ModuleType:
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_module_imported_again_has_its_new_text(tmp_path: Path) -> None:
    path = tmp_path / "again.py"
    old = load(path, FIRST)
    assert "return n + 1;  // one more" in old.reader.cpp_source()
    new = load(path, FIRST.replace("n + 1  # one more", "n * 3  # thrice"))
    os.utime(path, ns=(1, 1))  # whatever the clock's steps, another date
    assert "return n * 3;  // thrice" in new.reader.cpp_source()
    assert "return n + 1;  // one more" in old.reader.cpp_source()


@pytest.mark.parametrize(
    ("edited", "message"),
    [
        ("\n\n\n" + FIRST, "its file is not the one that was imported"),
        (FIRST.replace("def reader(", "def other("), "its file is not the one that was imported"),
        (FIRST.replace("def reader(n: RuntimeArg)", "def reader(n: RuntimeArg"), "is not Python"),
        ("", "write kernels in a file"),
    ],
    ids=["moved", "renamed", "broken", "empty"],
)
def test_a_file_edited_since_it_was_imported(tmp_path: Path, edited: str, message: str) -> None:
    path = tmp_path / "edited.py"
    module = load(path, FIRST)
    path.write_text(edited, encoding="utf-8")
    with pytest.raises(KernelLanguageError, match=message) as caught:
        module.reader.cpp_source()
    assert caught.value.path == str(path)


def test_kernels_anywhere_in_a_file(tmp_path: Path) -> None:
    places = """
class Kernels:
    @staticmethod
    def unrelated(): pass

    @reader_kernel
    def in_a_class(n: RuntimeArg) -> None:
        cb_push_back(CB(0), 0x10)

def make(count):
    try:
        if count:
            @reader_kernel
            def nested(n: RuntimeArg) -> None:
                cb_push_back(CB(0), 0b101)  # of the try
            return nested
    finally:
        pass

    with open(__file__):
        @(lambda function: reader_kernel(function))
        def nested(n: RuntimeArg) -> None:
            # above
            cb_push_back(CB(0), 0x77)
        return nested
"""
    module = load(tmp_path / "places.py", FIRST + places)
    assert "cb_push_back(0, 0x10);" in module.Kernels.in_a_class.cpp_source()
    assert "// of the try" in module.make(1).cpp_source()
    below = module.make(0).cpp_source()
    assert "// above\n    cb_push_back(0, 0x77);" in below


def test_lambda_or_async_function_is_refused(tmp_path: Path) -> None:
    kernels = "\nshort = reader_kernel(lambda: None)\n\n@reader_kernel\nasync def later() -> None:\n    pass\n"
    module = load(tmp_path / "kinds.py", FIRST + kernels)
    for kernel in (module.short, module.later):
        with pytest.raises(KernelLanguageError, match="a kernel is a plain def; lambdas and async functions cannot"):
            kernel.cpp_source()


def test_text_that_is_in_no_file() -> None:
    names: dict[str, object] = {"reader_kernel": reader_kernel}
    exec("@reader_kernel\ndef typed() -> None:\n    pass\n", names)
    kernel = names["typed"]
    assert isinstance(kernel, Kernel)
    with pytest.raises(KernelLanguageError, match="the source of typed cannot be read: write kernels in a file"):
        kernel.cpp_source()
