# SPDX-License-Identifier: Apache-2.0
"""The published ttnn's own headers accept what the kernel language emits, and refuse what a card would refuse."""

from __future__ import annotations

import re

import pytest

from tests.kernels import elementwise_kernels
from tests.kernels.api_kernels import kernel_text
from tests.wheel_headers import WheelHeaders
from tilewright import ttnn
from tilewright.kernels import Kernel
from tilewright.kernels._language import KernelRole

# Compile-time arguments of a tensor: interleaved in DRAM, pages of 2048 bytes.
TENSOR = (2, 2048)


@pytest.mark.parametrize("arch", ["wormhole_b0", "blackhole"])
@pytest.mark.parametrize("is_compute", [True, False], ids=["compute", "dataflow"])
def test_every_function_exists_there(written, wheel_headers: WheelHeaders, is_compute: bool, arch: str) -> None:
    source = written(kernel_text(is_compute)).kernel.cpp_source()
    errors = wheel_headers.check(source, is_compute=is_compute, compile_time_args=TENSOR, arch=arch)
    assert not errors, errors


KERNELS = [each for each in vars(elementwise_kernels).values() if isinstance(each, Kernel)]
KERNELS.remove(elementwise_kernels.clashing_names)


@pytest.mark.parametrize("kernel", KERNELS, ids=[each.name for each in KERNELS])
def test_kernels_are_accepted(wheel_headers: WheelHeaders, kernel: Kernel) -> None:
    scalars = [4] * len(kernel.arguments.scalars)
    errors = wheel_headers.check(
        kernel.cpp_source(),
        is_compute=kernel.role is KernelRole.COMPUTE,
        compile_time_args=[*scalars, *TENSOR * len(kernel.arguments.tensors)],
    )
    assert not errors, errors


def test_a_descriptor_is_checked_with_its_own_arguments(written, wheel_headers: WheelHeaders, device) -> None:
    module = written("""
        @kernel_function
        def fill(count: CompileTimeArg) -> None:
            pass

        @reader_kernel
        def kernel(wt: CompileTimeArg, x: TensorArg) -> None:
            fill(64 // wt)
            noc_async_read_page(0, x, 0)
    """)
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])
    tensor = ttnn.empty([32, 32], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    for wt, message in ((2, ""), (0, "division by zero")):
        descriptor = module.kernel.descriptor(cores, compile_time_args={"wt": wt}, tensors={"x": tensor})
        errors = wheel_headers.check_descriptor(descriptor, arch="blackhole")
        assert message in errors
        assert bool(errors) == bool(message)
        assert not errors or f"{module.__file__}:{written.first_line + 7}:" in errors


LANGUAGE = """
    @kernel_function
    def fill(tile: l1_ptr[uint16], value: float32, is_half: CompileTimeArg[bool] = False) -> uint32:
        count = 512 if is_half else 1024
        for i in range(count):
            tile[i] = float_bits(value) >> 16
        return count

    @kernel_function
    def size_of(cb: CB) -> uint32:
        return get_tile_size(cb)

    @writer_kernel
    def kernel(
        scale: CompileTimeArg[float32], keep: CompileTimeArg[bool], shift: CompileTimeArg[int32], x: TensorArg,
        epsilon: RuntimeArg[float32], offset: RuntimeArg[int32], last: RuntimeArg[bool],
        factor: CommonRuntimeArg[float32], n: RuntimeArg, cb: CB, cbs: Buffers,
    ) -> None:
        address = get_write_ptr(cb)
        if keep and fill(l1_ptr[uint16](address), epsilon * scale, True) > n:
            dprint("{} {} {}", factor + EPSILON, offset - shift, last)
        for page in range(int32(n) - 1, -1, -1):
            noc_async_read(x.get_noc_addr(uint32(page)), address, min(n, size_of(cb)))
        for i in range(get_tile_size(cbs.input)):
            assert n >= get_tile_size(cb) or i % 2 == 0
        if size_of(cb) == n and get_tile_size(cb) * 2 > n and get_dataformat(cb) == DataFormat.Float32:
            noc_async_write_page(n, x, address, offset=4, noc=1)
        while n > 0:
            n //= 2
"""


def test_statements_of_the_language_are_accepted(written, wheel_headers: WheelHeaders) -> None:
    source = written(LANGUAGE).kernel.cpp_source()
    errors = wheel_headers.check(source, is_compute=False, compile_time_args=[0, 1, 2, 3, *TENSOR])
    assert not errors, errors


# Statements that a card's compiler would not take, and what a compiler says about them.
WRONG_COMPUTE = {
    "add_tiles(0, 1, 0, 0);": "too few arguments|no matching function",
    "tile_regs_acquire(1);": "too many arguments",
    "add_tiles_init(0, 1);": "not declared",
    "reduce_tile<ReduceDim::REDUCE_ROW, PoolType::SUM>(0, 1, 0, 0, 0);": "no matching function",
    "const auto pool = PoolType::MEDIAN;": "not a member",
    "init_sfpu(0, 1);": "deprecated",
}
WRONG_DATAFLOW = {
    "cb_wait_front(0);": "too few arguments",
    "noc_async_read_page(0, 1, 2);": "required from here",
    "noc_semaphore_set(5, 1);": "invalid conversion",
    "uint32_t a = 0; int32_t b = 0; while (a < b) { a++; }": "different signedness",
    "noc_async_read_barrier(0, 1);": "too many arguments",
    "constexpr uint32_t c = get_compile_time_arg_val(7);": "required from here",
}


@pytest.mark.parametrize(("is_compute", "wrong"), [(True, WRONG_COMPUTE), (False, WRONG_DATAFLOW)])
def test_wrong_statements_are_refused(wheel_headers: WheelHeaders, is_compute: bool, wrong: dict[str, str]) -> None:
    compute = ("common", "eltwise_binary", "reduce", "eltwise_unary/eltwise_unary")
    headers = [f"api/compute/{name}.h" for name in compute] if is_compute else ["api/dataflow/dataflow_api.h"]
    lines = [*(f'#include "{header}"' for header in headers), "void kernel_main() {"]
    assert wheel_headers.check("\n".join([*lines, "}\n"]), is_compute=is_compute) == ""
    errors = wheel_headers.check("\n".join([*lines, *wrong, "}\n"]), is_compute=is_compute)
    for line, (statement, message) in enumerate(wrong.items(), len(lines) + 1):
        assert re.search(rf"kernel\.cpp:{line}:.*({message})", errors), statement


def test_one_wrong_argument_among_all_functions_is_found(written, wheel_headers: WheelHeaders) -> None:
    source = written(kernel_text(True)).kernel.cpp_source()
    wrong = source.replace(" mul_tiles(cb_input, cb_input, n, n, n);", " mul_tiles(cb_input, cb_input, n, n);")
    assert wrong != source
    errors = wheel_headers.check(wrong, is_compute=True)
    line = wrong.split("\n").index("        mul_tiles(cb_input, cb_input, n, n);") + 1
    assert re.findall(r"kernel\.cpp:(\d+):\d+: error:", errors) == [str(line)]
