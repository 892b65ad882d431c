# SPDX-License-Identifier: Apache-2.0
"""Names that kernels have without an include, and the places of included files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright._build.compiler import find_compiler
from tilewright._build.kernel_build import check_kernel
from tilewright._build.kernel_sources import kernel_source
from tilewright._errors import KernelCompileError
from tilewright._launch.chip import Chip

USES = {
    "exp_tile(0);": "api/compute/eltwise_unary/exp.h",
    "matmul_tiles(0, 1, 0, 0, 0);": "api/compute/matmul.h",
    "copy_tile(0, 0, 0);": "api/compute/tile_move_copy.h",
    "reduce_uninit();": "api/compute/reduce.h",
}


def _check(chip: Chip, make_program, text: str) -> None:
    program = make_program(cbs={0: 1, 1: 1, 16: 1}, compute=text)
    check_kernel(kernel_source(program, program.kernels[0], chip.arch, chip.grid), find_compiler())


def test_a_call_needs_its_header(chip: Chip, make_program) -> None:
    for call, header in USES.items():
        body = f"void kernel_main() {{ {call} }}\n"
        with pytest.raises(KernelCompileError, match="not declared"):
            _check(chip, make_program, body)
        _check(chip, make_program, f'#include "{header}"\n{body}')


def test_a_kernel_given_as_text_finds_the_library(
    chip: Chip, make_program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tmp_path / "ttnn" / "cpp" / "ttnn" / "kernel_lib"
    library.mkdir(parents=True)
    (library / "answer.hpp").write_text("constexpr int answer = 42;\n")
    monkeypatch.setenv("TT_METAL_HOME", str(tmp_path))
    text = '#include "ttnn/cpp/ttnn/kernel_lib/answer.hpp"\nvoid kernel_main() { static_assert(answer == 42); }\n'
    _check(chip, make_program, text)
