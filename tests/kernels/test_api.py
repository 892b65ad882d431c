# SPDX-License-Identifier: Apache-2.0
"""Every function of the table exists in our headers, with the arguments the table says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kernels.api_kernels import every_call, kernel_text
from tilewright import ttnn
from tilewright._cpp_declarations import cpp_declarations
from tilewright.kernels import api
from tilewright.kernels._api_table import FUNCTIONS
from tilewright.kernels._signatures import python_signature


@pytest.mark.parametrize("is_compute", [True, False], ids=["compute", "dataflow"])
def test_every_function_compiles(written, device: ttnn.Device, is_compute: bool) -> None:
    kernel = written(kernel_text(is_compute)).kernel
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])
    tensor = ttnn.empty([32, 32], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    descriptor = kernel.descriptor(cores, runtime_args={"n": 0}, tensors={} if is_compute else {"x": tensor})
    buffer = ttnn.CBDescriptor(
        total_size=2048, core_ranges=cores, format_descriptors=[ttnn.CBFormatDescriptor(0, ttnn.bfloat16, 2048)]
    )
    semaphore = ttnn.SemaphoreDescriptor(id=0, core_ranges=cores, initial_value=0)
    program = ttnn.ProgramDescriptor(kernels=[descriptor], cbs=[buffer], semaphores=[semaphore])
    ttnn.generic_op([tensor], program)
    assert len(every_call(is_compute)) > 100


def test_declaration_gives_the_python_signature() -> None:
    text = """
template <PoolType pool, bool is_fp32_dest_acc_en = false>
ALWI void f(const std::uint32_t icb, uint32_t idst = 0, uint32_t call_line = __builtin_LINE()) {}
ALWI void g(const Shape& shape) {}
inline void h() {}
"""
    found = [python_signature(each, ["PoolType"]) for each in cpp_declarations(text)]
    assert [each and each.text for each in found] == ["f[pool](icb, idst)", None]
    assert [each.kind for each in (found[0].arguments if found[0] else ())] == ["cb", "uint32"]


def test_functions_of_macros_are_in_the_table() -> None:
    assert [each.text for each in FUNCTIONS["sub_bcast_rows_init"].signatures] == ["sub_bcast_rows_init(icb0, icb1)"]
    assert FUNCTIONS["quant_tile"].compute_header == "api/compute/quantization.h"


def test_enumerations_have_the_members_of_the_headers() -> None:
    assert [each.name for each in api.SrcOrder] == ["Regular", "Reverse"]
    assert api.VectorMode.None_.value == "None"
    assert "MathFidelity" not in api.__all__, "no function of Python kernels takes it"  # type: ignore[attr-defined]


def test_names_that_do_not_exist() -> None:
    with pytest.raises(AttributeError, match="the kernel API has no add_tile; did you mean add_tiles"):
        _ = api.add_tile  # type: ignore[attr-defined]
    with pytest.raises(ImportError):
        from tilewright.kernels.api import add_tiles_init  # type: ignore[attr-defined]  # noqa: F401


def test_editors_know_the_table() -> None:
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, root / "tools" / "write_api_stub.py"], check=True)
    stub = (root / "src" / "tilewright" / "kernels" / "api.pyi").read_text()
    compile(stub, "api.pyi", "exec")
    defined = set(re.findall(r"^(?:def )?(\w+)[(:]", stub, re.MULTILINE))
    defined |= set(re.findall(r"^class (\w+)\(KernelEnum\):", stub, re.MULTILINE))
    assert defined == set(api.__all__)  # type: ignore[attr-defined]
    assert sorted(api.__all__) == dir(api)  # type: ignore[attr-defined]
