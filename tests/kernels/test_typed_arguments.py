# SPDX-License-Identifier: Apache-2.0
"""Arguments that are no uint32, compile-time parameters of helpers, pointers to helpers, and bits of floats."""

from __future__ import annotations

import math
import textwrap
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tilewright import ttnn
from tilewright.kernels import KernelArgumentError, KernelLanguageError, float_bits, float_from_bits

CORES = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])

KERNEL = """
    @writer_kernel
    def kernel(
        scale: CompileTimeArg[float32],
        keep: CompileTimeArg[bool],
        shift: CompileTimeArg[int32],
        epsilon: RuntimeArg[float32],
        offset: RuntimeArg[int32],
        is_last: RuntimeArg[bool],
        factor: CommonRuntimeArg[float32],
        count: RuntimeArg,
    ) -> None:
        if keep:
            offset += shift
        if is_last and count > 0:
            epsilon = epsilon * factor
        dprint("value {} {} {} {}", float_bits(scale), float_bits(epsilon), offset, float_bits(factor + 0.5))
"""


@pytest.fixture
def module(written) -> ModuleType:
    return written(KERNEL)


def test_kernel_reads_typed_arguments(module: ModuleType) -> None:
    source = module.kernel.cpp_source()
    assert textwrap.dedent(source.partition("void kernel_main() {\n")[2].partition("\n\n")[0] + "\n") == (
        "constexpr float scale = __builtin_bit_cast(float, get_compile_time_arg_val(0));\n"
        "constexpr bool keep = get_compile_time_arg_val(1) != 0;\n"
        "constexpr int32_t shift = static_cast<int32_t>(get_compile_time_arg_val(2));\n"
        "float epsilon = get_arg_val<float>(0);\n"
        "int32_t offset = get_arg_val<int32_t>(1);\n"
        "const bool is_last = get_arg_val<uint32_t>(2) != 0;\n"
        "const float factor = get_common_arg_val<float>(0);\n"
        "const uint32_t count = get_arg_val<uint32_t>(3);\n"
    )
    assert "if constexpr (keep) {" in source
    assert "if (is_last && count > 0) {" in source


def given(**changes: Any) -> dict[str, dict[str, Any]]:
    """Arguments of the kernel, some of them changed."""
    arguments: dict[str, dict[str, Any]] = {
        "compile_time_args": {"scale": 0.1, "keep": True, "shift": -3},
        "runtime_args": {"epsilon": 1e-5, "offset": -7, "is_last": True, "count": 2},
        "common_runtime_args": {"factor": np.float32(3)},
    }
    for name, value in changes.items():
        next(group for group in arguments.values() if name in group)[name] = value
    return arguments


def printed(device: ttnn.Device, descriptor: Any, capfd: pytest.CaptureFixture[str]) -> list[int]:
    tensor = ttnn.empty([32, 32], dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
    ttnn.generic_op([tensor], ttnn.ProgramDescriptor(kernels=[descriptor]))
    rows = [row for row in "".join(capfd.readouterr()).splitlines() if "value " in row]
    return [int(each) for each in rows[-1].split("value ")[1].split()]


def test_kernel_receives_the_host_arguments(module: ModuleType, device, capfd: pytest.CaptureFixture[str]) -> None:
    kernel = module.kernel
    values = printed(device, kernel.descriptor(CORES, **given()), capfd)
    product = float(np.float32(1e-5) * np.float32(3))
    assert values == [float_bits(0.1), float_bits(product), -10, float_bits(3.5)]
    values = printed(device, kernel.descriptor(CORES, **given(keep=False, is_last=False, epsilon=-math.inf)), capfd)
    assert values == [float_bits(0.1), 0xFF800000, -7, float_bits(3.5)]


WRONG = [
    ({"epsilon": "1"}, "runtime_args: epsilon must be a float32, not '1'"),
    ({"epsilon": True}, "epsilon must be a float32, not True"),
    ({"epsilon": 1e39}, "epsilon must be a float32 (at most 3.4028235e+38), not 1e+39"),
    ({"keep": 1}, "compile_time_args: keep must be True or False, not 1"),
    ({"shift": 2**31}, "shift must be an int32 (-2147483648 to 2147483647), not 2147483648"),
    ({"count": -1}, "count must be a uint32 (0 to 4294967295), not -1"),
    ({"count": 1.0}, "count must be a uint32 (0 to 4294967295), not 1.0"),
]


@pytest.mark.parametrize(("changes", "message"), WRONG)
def test_values_that_do_not_fit(module: ModuleType, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(KernelArgumentError) as caught:
        module.kernel.descriptor(CORES, **given(**changes))
    assert message in str(caught.value)


REFUSED = [
    ("kernel", "n: RuntimeArg[uint64]", "n cannot be RuntimeArg[uint64]: write RuntimeArg[uint32], RuntimeArg[int32]"),
    ("kernel", "n: CompileTimeArg[CB]", "parameter n cannot be CompileTimeArg[CB]: write CB"),
    ("kernel", "n: CompileTimeArg[PoolType]", "cannot be CompileTimeArg[PoolType]"),
    ("kernel", "n: RuntimeArg[str]", "parameter n cannot be RuntimeArg[str]: annotate"),
    ("helper", "n: RuntimeArg[float32]", "parameter n cannot be RuntimeArg"),
    ("helper", "n: CompileTimeArg[float32]", "a template argument cannot be float32; write float32 alone"),
    ("helper", "n: l1_ptr[uint64]", "parameter n cannot be"),
]


@pytest.mark.parametrize(("where", "parameter", "message"), REFUSED)
def test_types_that_are_refused(written, where: str, parameter: str, message: str) -> None:
    in_kernel, in_helper = (parameter, "") if where == "kernel" else ("", parameter)
    module = written(f"""
        @kernel_function
        def helper({in_helper}) -> None:
            pass

        @reader_kernel
        def kernel({in_kernel}) -> None:
            helper({"3" if in_helper else ""})
    """)
    with pytest.raises(KernelLanguageError) as caught:
        module.kernel.cpp_source()
    assert message in str(caught.value)


def test_template_parameters_of_helpers(written) -> None:
    module = written("""
        @kernel_function
        def reduce(
            cb_in: CB, cb_out: CB, pool: CompileTimeArg[PoolType] = PoolType.SUM, keep: CompileTimeArg[bool] = False
        ) -> None:
            reduce_tile[pool, ReduceDim.REDUCE_ROW](cb_in, cb_in, 0, 0, 0)
            if not keep:
                cb_pop_front(cb_in, 1)

        @compute_kernel
        def kernel(wt: CompileTimeArg, is_kept: CompileTimeArg[bool], cb: Buffers) -> None:
            half = wt // 2
            reduce(cb.input, cb.out)
            reduce(cb.input, cb.out, PoolType.MAX, half > 4 and is_kept)
            pack_untilize_block[half](cb.input, 1, cb.out)
    """)
    source = module.kernel.cpp_source()
    assert "template <PoolType pool, bool keep>\nvoid reduce(uint32_t cb_in, uint32_t cb_out) {\n" in source
    assert "    if constexpr (!keep) {\n" in source
    assert "    constexpr uint32_t half = wt / 2;\n    reduce<PoolType::SUM, false>(cb_input, cb_out);\n" in source
    assert "    reduce<PoolType::MAX, (half > 4 && is_kept)>(cb_input, cb_out);\n" in source
    assert "    pack_untilize_block<half>(cb_input, 1, cb_out);\n" in source


def test_a_template_parameter_needs_a_constant(written) -> None:
    module = written("""
        @kernel_function
        def helper(keep: CompileTimeArg[bool]) -> None:
            pass

        @reader_kernel
        def kernel(keep: RuntimeArg[bool]) -> None:
            helper(keep)
    """)
    with pytest.raises(KernelLanguageError, match="this must be known when the kernel is compiled"):
        module.kernel.cpp_source()


def test_pointers_to_and_from_helpers(written) -> None:
    module = written("""
        @kernel_function
        def elements(cb: CB) -> l1_ptr[uint16]:
            return l1_ptr[uint16](get_write_ptr(cb))

        @kernel_function
        def fill(tile: l1_ptr[uint16], value: float32) -> None:
            for i in range(1024):
                tile[i] = float_bits(value) >> 16

        @writer_kernel
        def kernel(cb: Buffers) -> None:
            fill(elements(cb.out), float_from_bits(0x3f800000))
    """)
    source = module.kernel.cpp_source()
    assert "volatile tt_l1_ptr uint16_t* elements(uint32_t cb) {\n" in source
    assert "void fill(volatile tt_l1_ptr uint16_t* tile, float value) {\n" in source
    assert "        tile[i] = __builtin_bit_cast(uint32_t, value) >> 16;\n" in source
    assert "    fill(elements(cb_out), __builtin_bit_cast(float, 0x3f800000u));\n" in source


def test_other_pointers_are_refused(written) -> None:
    module = written("""
        @kernel_function
        def helper(tile: l1_ptr[uint16]) -> None:
            pass

        @reader_kernel
        def kernel(cb: Buffers) -> None:
            helper(l1_ptr[uint32](get_write_ptr(cb.out)))
    """)
    with pytest.raises(KernelLanguageError, match=r"tile of helper must be l1_ptr\[uint16\], this is l1_ptr\[uint32\]"):
        module.kernel.cpp_source()


def test_bits_on_the_host() -> None:
    assert float_bits(1.0) == 0x3F800000
    assert float_from_bits(0xC0490FDB) == pytest.approx(-math.pi, abs=2e-7)
    assert math.isnan(float_from_bits(0x7FC00000))


def test_arguments_in_between_are_filled_in(written) -> None:
    module = written("""
        @reader_kernel
        def kernel(n: RuntimeArg, x: TensorArg, cb: Buffers) -> None:
            noc_async_read_page(n, x, n, noc=1)
            noc_async_write_page(n, x, n, offset=4, noc=1)
            noc_async_write(n, x.get_noc_addr(n, noc=0), 32, vc=1)
            noc_async_read(get_noc_addr(MEM_ZEROS_BASE), n, MEM_ZEROS_SIZE)
            noc_async_read_barrier(1)
    """)
    assert (
        module.kernel.cpp_source().rpartition("\n\n")[2]
        == textwrap.indent(
            textwrap.dedent("""\
            noc_async_read_page(n, x, n, 0, 1);
            noc_async_write_page(n, x, n, 0, 4, 1);
            noc_async_write(n, x.get_noc_addr(n, 0, 0), 32, noc_index, 1);
            noc_async_read(get_noc_addr(MEM_ZEROS_BASE), n, MEM_ZEROS_SIZE);
            noc_async_read_barrier(1);
        """),
            "    ",
        )
        + "}\n"
    )


def test_int_of_the_headers_is_compared_as_signed(written) -> None:
    """Compilers of cards refuse comparisons between signed and unsigned numbers."""
    module = written("""
        @reader_kernel
        def kernel(n: RuntimeArg, cb: Buffers) -> None:
            size = get_tile_size(cb.input)
            a = n < get_tile_size(cb.input)
            b = get_tile_size(cb.input) * 2 == n
            c = get_tile_size(cb.input) + n == n
            d = get_tile_size(cb.input) > 2048
            e = get_tile_size(cb.input) != get_tile_size(cb.out)
            f = get_dataformat(cb.input) == DataFormat.Float32
    """)
    assert textwrap.dedent(module.kernel.cpp_source().rpartition("\n\n")[2].rpartition("}")[0]) == textwrap.dedent("""\
        constexpr uint32_t size = get_tile_size(cb_input);
        const bool a = n < static_cast<uint32_t>(get_tile_size(cb_input));
        const bool b = static_cast<uint32_t>(get_tile_size(cb_input) * 2) == n;
        const bool c = get_tile_size(cb_input) + n == n;
        constexpr bool d = get_tile_size(cb_input) > 2048;
        constexpr bool e = get_tile_size(cb_input) != get_tile_size(cb_out);
        constexpr bool f = get_dataformat(cb_input) == DataFormat::Float32;
    """)


def test_formats_and_sizes_are_constants(written, device, capfd: pytest.CaptureFixture[str]) -> None:
    module = written("""
        @kernel_function
        def size_of(cb: CompileTimeArg[CB], count: CompileTimeArg) -> uint32:
            return get_tile_size(cb) * count

        @writer_kernel
        def kernel(cb: Buffers) -> None:
            kind = 16
            if get_dataformat(cb.out) == DataFormat.Float32:
                kind = 32
            dprint("value {} {} {}", kind, size_of(cb.out, get_tile_size(cb.out) // 1024), get_tile_hw(cb.out))
    """)
    assert "if constexpr (get_dataformat(cb_out) == DataFormat::Float32) {" in module.kernel.cpp_source()
    for dtype, size, kind in ((ttnn.bfloat16, 2048, 16), (ttnn.float32, 4096, 32)):
        buffer = ttnn.CBDescriptor(
            total_size=size, core_ranges=CORES, format_descriptors=[ttnn.CBFormatDescriptor(16, dtype, size)]
        )
        tensor = ttnn.empty([32, 32], dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
        program = ttnn.ProgramDescriptor(kernels=[module.kernel.descriptor(CORES)], cbs=[buffer])
        ttnn.generic_op([tensor], program)
        row = next(row for row in "".join(capfd.readouterr()).splitlines() if "value " in row)
        assert row.split("value ")[1].split() == [str(kind), str(size * size // 1024), "1024"]
