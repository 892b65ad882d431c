# SPDX-License-Identifier: Apache-2.0
"""Compilers: which one is taken, what each makes of a kernel, and when a kernel is compiled again."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.launch.test_os_threads import exp_program
from tilewright import ttnn
from tilewright._build import compiler as compilers
from tilewright._build import kernel_build
from tilewright._build.compiler import Compiler, available_compilers, find_compiler, major_version
from tilewright._build.translation_unit import KernelSource
from tilewright._errors import CompilerCrashError, CompilerNotFoundError, KernelCompileError, KernelFaultError
from tilewright._launch.chip import Chip
from tilewright._launch.run_options import RunOptions
from tilewright._program.kernel import KernelDescriptor
from tilewright._program.kernel_config import ReaderConfigDescriptor
from tilewright._program.program import ProgramDescriptor
from tilewright._tensor.cores import CoreCoord, CoreRange, CoreRangeSet

FAMILIES = ("gcc", "clang", "zig")


@pytest.fixture(params=FAMILIES)
def kernel_compiler(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Compiler:
    """Kernels are compiled with this one; the engine stays as it is, for the two share only a C interface."""
    found = next((each for each in available_compilers() if each.family == request.param), None)
    if found is None:
        pytest.skip(f"no usable {request.param} here")
    monkeypatch.setattr(kernel_build, "find_compiler", lambda: found)
    return found


def fake_compiler(path: Path, version: str, then: str = "exit 0") -> Path:
    path.write_text(f'#!/bin/sh\nif [ "$1" = --version ]; then echo "{version}"; else {then}; fi\n')
    path.chmod(0o755)
    return path


def file_program(path: Path) -> ProgramDescriptor:
    core = CoreRangeSet([CoreRange(CoreCoord(0, 0), CoreCoord(0, 0))])
    kernel = KernelDescriptor(str(path), core_ranges=core, config=ReaderConfigDescriptor())
    return ProgramDescriptor(kernels=[kernel])


def test_a_program_gives_the_same_with_every_compiler(kernel_compiler: Compiler) -> None:
    with ttnn.manage_device(0) as device:
        host = np.random.default_rng(0).standard_normal((64, 64), dtype=np.float32)
        x = ttnn.from_numpy(host, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
        y = ttnn.allocate_tensor_on_device(x.shape, ttnn.bfloat16, ttnn.TILE_LAYOUT, device)
        device.memory.launch(exp_program(x, y, (2, 2)), RunOptions(threads=2))  # type: ignore[attr-defined]
        # Only the result is rounded to bfloat16, which has 8 bits.
        expected = np.exp(ttnn.to_numpy(x).astype(np.float64))
        assert np.allclose(ttnn.to_numpy(y).astype(np.float64), expected, rtol=2**-8)


@pytest.mark.usefixtures("kernel_compiler")
def test_globals_are_fresh_with_every_compiler(chip: Chip, make_program) -> None:
    source = (
        "uint32_t n = 5, zeros[9]; void kernel_main() { n++; *(volatile uint32_t*)get_semaphore(0) = n + ++zeros[3]; }"
    )
    for _ in range(2):
        chip.launch(make_program(grid=(2, 1), semaphores=1, reader=source))
        assert [chip.read_semaphore((x, 0), 0) for x in range(2)] == [7, 7]


@pytest.mark.usefixtures("kernel_compiler")
@pytest.mark.parametrize(
    ("source", "line", "word"),
    [
        ("void kernel_main() {\n  cb_wait_frnt(0, 1);\n}", 2, "cb_wait_frnt"),
        ('#include "nowhere.h"\nvoid kernel_main() {}', 1, "nowhere.h"),
        ("template <class T> void f(T t) {\n  t.foo();\n}\nvoid kernel_main() { f(3); }", 2, "foo"),
        ("void kernel_main() {\n" + "".join(f"  missing{i}(1);\n" for i in range(9)) + "}", 2, "and 6 more errors"),
    ],
)
def test_compile_errors_are_cut_to_the_point(chip: Chip, make_program, source: str, line: int, word: str) -> None:
    with pytest.raises(KernelCompileError) as caught:
        chip.launch(make_program(reader=source))
    text = str(caught.value)
    assert text.startswith("kernel reader does not compile:\n")
    assert f"reader.cpp:{line}" in text
    assert word in text
    assert len(text.splitlines()) <= 14
    assert "generated" not in text
    assert "kernel_unit" not in text


@pytest.mark.usefixtures("kernel_compiler")
def test_a_function_of_the_other_kind_of_kernel_is_named_as_such(chip: Chip, make_program) -> None:
    mover = '#include "api/compute/tile_move_copy.h"\nvoid kernel_main() { copy_tile(0, 0, 0); }'
    with pytest.raises(KernelCompileError, match="and this is a data movement kernel"):
        chip.launch(make_program(reader=mover))
    compute = '#include "api/compute/common.h"\nvoid kernel_main() { noc_async_read_barrier(); }'
    with pytest.raises(KernelCompileError, match="and this is a compute kernel"):
        chip.launch(make_program(compute=compute))


@pytest.mark.parametrize("call", ["get_compile_time_arg_val(2)", 'get_named_compile_time_arg_val("gamma")'])
def test_an_error_in_our_headers_names_the_line_of_the_kernel(chip: Chip, make_program, call: str) -> None:
    source = f"void kernel_main() {{\n  constexpr uint32_t number = {call};\n}}"
    with pytest.raises(KernelCompileError, match=r"reader\.cpp:2:\d+: "):
        chip.launch(make_program(reader=source))


@pytest.mark.usefixtures("kernel_compiler")
def test_a_function_without_a_body_is_named(chip: Chip, make_program) -> None:
    source = "void helper(int);\nvoid kernel_main() { helper(1); }"
    with pytest.raises(KernelCompileError, match=r"it uses \S*helper\S*, which is declared but not defined"):
        chip.launch(make_program(reader=source))


@pytest.mark.usefixtures("kernel_compiler")
def test_a_fault_has_its_line_with_every_compiler(chip: Chip, make_program) -> None:
    helper = "void helper(uint32_t address) {\n  *(volatile int*)(uintptr_t)address = 1;\n}\n"
    source = helper + "void kernel_main() {\n  helper(8);\n}"
    with pytest.raises(KernelFaultError, match=r"at reader.cpp:2: touched memory at 0x8, a null pointer"):
        chip.launch(make_program(reader=source))


@pytest.mark.skipif("TILEWRIGHT_TEST_ENGINES" not in os.environ, reason="set TILEWRIGHT_TEST_ENGINES=1: takes minutes")
@pytest.mark.parametrize("family", FAMILIES)
def test_the_engine_builds_with_every_compiler(family: str) -> None:
    found = next((each for each in available_compilers() if each.family == family), None)
    if found is None:
        pytest.skip(f"no usable {family} here")
    environment = os.environ | {"TILEWRIGHT_CXX": " ".join(found.command)}
    command = [sys.executable, "-m", "tilewright", "doctor"]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert "right result" in result.stdout


def test_a_changed_kernel_is_compiled_again(chip: Chip, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = tmp_path / "my kernels #1"
    directory.mkdir()
    helper, kernel = directory / "helper $x.h", directory / "print me.cpp"

    def printed(helper_text: str, kernel_text: str) -> str:
        helper.write_text(helper_text)
        kernel.write_text(
            f'#include "helper $x.h"\nvoid kernel_main() {{ DPRINT << {kernel_text} << VALUE << ENDL(); }}\n'
        )
        chip.launch(file_program(kernel))
        return capsys.readouterr().out.partition(": ")[2]

    assert printed("#define VALUE 1", '"a"') == "a1\n"
    assert printed("#define VALUE 1", '"b"') == "b1\n"
    assert printed("#define VALUE 2", '"b"') == "b2\n"
    assert printed("#define VALUE 1", '"b"') == "b1\n"


def test_a_kernel_saved_while_it_is_compiled_is_compiled_again(
    chip: Chip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel = tmp_path / "edited.cpp"
    text = 'void kernel_main() {{ DPRINT << "{}" << ENDL(); }}\n'
    kernel.write_text(text.format("old"))
    run = Compiler.run

    def run_and_save(self: Compiler, arguments: list[str], cwd: Path | None = None) -> object:
        result = run(self, arguments, cwd)
        kernel.write_text(text.format("new"))
        return result

    with monkeypatch.context() as patch:
        patch.setattr(Compiler, "run", run_and_save)
        chip.launch(file_program(kernel))
    chip.launch(file_program(kernel))
    assert capsys.readouterr().out.splitlines()[-1] == "(0,0) edited: new"


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Kernels that were compiled since, by name."""
    compiled: list[str] = []
    compile_one = kernel_build._compile

    def counted(source: KernelSource, *arguments: Any) -> kernel_build.Libraries:
        compiled.append(source.name)
        return compile_one(source, *arguments)

    monkeypatch.setattr(kernel_build, "_compile", counted)
    return compiled


def test_a_source_dated_in_the_future_is_compiled_once(
    chip: Chip, tmp_path: Path, compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = tmp_path / "tomorrow.cpp"
    kernel.write_text(f"void kernel_main() {{}}  // {uuid.uuid4()}: in no cache yet\n")
    os.utime(kernel, (time.time() + 86400,) * 2)
    for _ in range(3):
        monkeypatch.setattr(kernel_build, "_used", {})  # as another process meets it
        chip.launch(file_program(kernel))
    assert compilations == ["tomorrow"]


def test_a_header_that_appears_earlier_in_the_search_is_seen(
    chip: Chip, tmp_path: Path, compilations: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    kernel = tmp_path / "kernels" / "search.cpp"
    first, second = tmp_path / "first", tmp_path / "second"
    for directory in (kernel.parent, first, second):
        directory.mkdir()
    (second / "value.h").write_text("#define VALUE 2")
    kernel.write_text('#include "value.h"\nvoid kernel_main() { DPRINT << VALUE << ENDL(); }\n')
    program = file_program(kernel)
    program.kernels[0].compiler_include_paths = [str(first), str(second)]

    def printed() -> str:
        chip.launch(program)
        return capsys.readouterr().out.partition(": ")[2]

    assert [printed(), printed()] == ["2\n"] * 2
    assert len(compilations) == 1
    (first / "value.h").write_text("#define VALUE 1")
    assert [printed(), printed()] == ["1\n"] * 2
    (kernel.parent / "value.h").write_text("#define VALUE 0")
    assert printed() == "0\n"


@pytest.mark.parametrize(
    ("version", "major"),
    [
        ("g++ (Debian 12.2.0-14+deb12u1) 12.2.0", 12),
        ("g++ (Ubuntu 9.4.0-1ubuntu1~20.04.2) 9.4.0", 9),
        ("g++-11 (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0", 11),
        ("g++ (GCC) 14.2.1 20250110 (Red Hat 14.2.1-7)", 14),
        ("Debian clang version 14.0.6", 14),
        ("Ubuntu clang version 18.1.3 (1ubuntu1)", 18),
        ("clang version 20.1.2 (https://github.com/ziglang/zig-bootstrap 7ef74e6)", 20),
        ("no number", 0),
    ],
)
def test_versions_are_read(version: str, major: int) -> None:
    assert major_version(version) == major


def test_a_compiler_that_is_too_old_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = fake_compiler(tmp_path / "g++", "g++ (GCC) 9.4.0")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("TILEWRIGHT_CXX", raising=False)
    monkeypatch.setattr(compilers, "_zig_command", lambda: None)
    with pytest.raises(CompilerNotFoundError) as caught:
        find_compiler()
    assert "apt install g++" in str(caught.value)
    assert f"({old} is too old: g++ (GCC) 9.4.0; g++ must be 11 or newer)" in str(caught.value)


def test_a_newer_one_beside_an_old_one_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_compiler(tmp_path / "g++", "g++ (GCC) 9.4.0")
    fake_compiler(tmp_path / "g++-13", "g++-13 (GCC) 13.1.0")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("TILEWRIGHT_CXX", raising=False)
    assert find_compiler().command == (str(tmp_path / "g++-13"),)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("/nowhere/g++", "/nowhere/g++ cannot be started (No such file or directory)"),
        ("/bin/true", "/bin/true --version ended with status 0 instead of a version"),
        ("echo hello", "echo hello is neither g++ nor clang++ (it says 'hello --version')"),
    ],
)
def test_a_wrong_choice_is_named(monkeypatch: pytest.MonkeyPatch, command: str, words: str) -> None:
    monkeypatch.setenv("TILEWRIGHT_CXX", command)
    with pytest.raises(CompilerNotFoundError) as caught:
        find_compiler()
    if "true" not in command:  # what `true --version` says depends on the system
        assert words in str(caught.value)
    assert f"TILEWRIGHT_CXX is {command!r}" in str(caught.value)
    assert "correct or unset it" in str(caught.value)


def test_a_compiler_that_crashes_is_not_blamed_on_the_kernel(
    chip: Chip, make_program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crash = """case "$*" in
    *kernel_unit*) echo 'x.cpp:1: internal compiler error: Segmentation fault' >&2; exit 1;;
    *) for last; do :; done; : > "$last";;
    esac"""
    path = fake_compiler(tmp_path / "g++", "g++ (GCC) 12.9.9", crash)
    crashing = Compiler((str(path),), "gcc", "g++ (GCC) 12.9.9")
    working = find_compiler()
    monkeypatch.setattr(kernel_build, "find_compiler", lambda: crashing)
    monkeypatch.setattr(kernel_build, "available_compilers", lambda: (crashing,))
    program = make_program(reader="void kernel_main() { uint32_t unseen_before = 1; }")
    with pytest.raises(CompilerCrashError, match=r"12.9.9 crashed on kernel reader .*pip install"):
        chip.launch(program)
    monkeypatch.setattr(kernel_build, "available_compilers", lambda: (crashing, working))
    chip.launch(program)
    kernel_build._used.clear()
    path.write_text("#!/bin/sh\nexit 2\n")  # it is not asked again
    chip.launch(program)


def test_a_stock_kernel_that_is_refused_goes_to_the_other_compiler(
    chip: Chip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = tmp_path / "ttnn" / "cpp" / "ttnn" / "operations" / "kernel.cpp"
    kernel.parent.mkdir(parents=True)
    kernel.write_text("void kernel_main() { uint32_t not_seen_before = 2; }")
    refuse = """case "$*" in
    *kernel_unit*) echo 'x.cpp:1: error: sorry, unimplemented' >&2; exit 1;;
    *) for last; do :; done; : > "$last";;
    esac"""
    path = fake_compiler(tmp_path / "g++", "g++ (GCC) 12.9.8", refuse)
    refusing = Compiler((str(path),), "gcc", "g++ (GCC) 12.9.8")
    working = find_compiler()
    monkeypatch.setattr(kernel_build, "find_compiler", lambda: refusing)
    monkeypatch.setattr(kernel_build, "available_compilers", lambda: (refusing, working))
    chip.launch(file_program(kernel))
