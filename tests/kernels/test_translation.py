# SPDX-License-Identifier: Apache-2.0
"""The C++ that small kernels become, to the letter."""

from __future__ import annotations

import textwrap

from tests.kernels import elementwise_kernels as kernels
from tilewright.kernels._cpp_text import LINE_LENGTH, Line, plain_text, text_with_positions

WRITER = """\
#include <algorithm>
#include <cstdint>

#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_out = 16;

// Writes tiles block by block; the last block may be shorter.
void kernel_main() {
    constexpr uint32_t block = get_compile_time_arg_val(0);
    constexpr auto target_args = TensorAccessorArgs<1>();
    const uint32_t num_tiles = get_arg_val<uint32_t>(0);
    uint32_t page = get_arg_val<uint32_t>(1);
    const auto target = TensorAccessor(target_args, get_arg_val<uint32_t>(2));

    uint32_t left_over = num_tiles;
    while (left_over > 0) {
        const uint32_t count = std::min<uint32_t>(block, left_over);
        cb_wait_front(cb_out, count);
        uint32_t address = get_read_ptr(cb_out);
        for (uint32_t i = 0; i < count; i++) {
            noc_async_write_page(page, target, address);
            address += get_tile_size(cb_out);
            page += 1;
        }
        noc_async_write_barrier();
        cb_pop_front(cb_out, count);
        left_over -= count;
    }
}
"""


def body_of(source: str) -> str:
    """The text between the braces of kernel_main."""
    return textwrap.dedent(source.partition("void kernel_main() {\n")[2].rpartition("}\n")[0])


def translated(written, body: str, parameters: str = "n: RuntimeArg, wt: CompileTimeArg, cb: Buffers") -> str:
    text = f"@reader_kernel\ndef kernel({parameters}) -> None:\n" + textwrap.indent(textwrap.dedent(body), "    ")
    source = written(text).kernel.cpp_source()
    return body_of(source).partition("\n\n")[2] if parameters else body_of(source)


def test_a_whole_kernel() -> None:
    assert kernels.write_blocks.cpp_source() == WRITER


def test_helpers_stand_before_their_callers() -> None:
    source = kernels.read_two.cpp_source()
    assert source == textwrap.dedent("""\
        #include <cstdint>

        #include "api/dataflow/dataflow_api.h"

        constexpr uint32_t cb_left = 0;
        constexpr uint32_t cb_right = 1;

        // Brings one page into cb.
        template <typename TensorType>
        void read_tile(const TensorType& tensor, uint32_t page, uint32_t cb) {
            cb_reserve_back(cb, 1);
            noc_async_read_page(page, tensor, get_write_ptr(cb));
            noc_async_read_barrier();
            cb_push_back(cb, 1);
        }

        void kernel_main() {
            constexpr auto left_args = TensorAccessorArgs<0>();
            constexpr auto right_args = TensorAccessorArgs<left_args.next_compile_time_args_offset()>();
            const uint32_t num_tiles = get_arg_val<uint32_t>(0);
            const uint32_t start = get_arg_val<uint32_t>(1);
            const auto left = TensorAccessor(left_args, get_arg_val<uint32_t>(2));
            const auto right = TensorAccessor(right_args, get_arg_val<uint32_t>(3));

            for (uint32_t page = start; page < start + num_tiles; page++) {
                read_tile(left, page, cb_left);
                read_tile(right, page, cb_right);
            }
        }
    """)


def test_a_compute_kernel() -> None:
    source = kernels.exponentiate.cpp_source()
    assert source.startswith(
        '#include <cstdint>\n\n#include "api/compute/common.h"\n#include "api/compute/eltwise_unary/exp.h"\n'
        '#include "api/compute/tile_move_copy.h"\n\nconstexpr uint32_t cb_left = 0;\nconstexpr uint32_t cb_out = 16;\n'
    )
    assert "        exp_tile(0);\n        pack_one(cb_out);\n        cb_pop_front(cb_left, 1);\n    }\n}\n" in source


def test_arithmetic_keeps_its_meaning(written) -> None:
    body = """
        a = (n + 1) * 2 - (n - (n - 1))
        b = n // 2 % 3 * (n // (2 * 3))
        c = (n & 1) == 0 or n < 3 or n > 5 and not n == 4
        d = 1 << n | n >> 2 & 0xFF
        e = -int32(n) - -3
        f = float32(n) * 2 + EPSILON / 3
        g = ~n
        h = min(n, 3) + max(wt, 1)
        i = n if n > 1 else 1
        j = 1 << 31
    """
    assert translated(written, body) == textwrap.dedent("""\
        const uint32_t a = (n + 1) * 2 - (n - (n - 1));
        const uint32_t b = n / 2 % 3 * (n / (2 * 3));
        const bool c = (n & 1) == 0 || n < 3 || (n > 5 && !(n == 4));
        const uint32_t d = (1u << n) | ((n >> 2) & 0xFF);
        const int32_t e = -static_cast<int32_t>(n) - -3;
        const float f = static_cast<float>(n) * 2.0f + EPSILON / 3.0f;
        const uint32_t g = ~n;
        const uint32_t h = std::min<uint32_t>(n, 3) + std::max<uint32_t>(wt, 1);
        const uint32_t i = n > 1 ? n : 1;
        constexpr uint32_t j = 2147483648u;
    """)


def test_constants_of_the_module_and_of_an_enclosing_function(written) -> None:
    module = written("""
        def make(width):
            @reader_kernel
            def kernel(n: RuntimeArg) -> None:
                if IS_FAST and n > ROWS * width:
                    dprint("wide", EPSILON)
            return kernel
    """)
    source = module.make(7).cpp_source()
    for line in ("bool IS_FAST = true;", "uint32_t ROWS = 32;", "uint32_t width = 7;", "float EPSILON = 1.0e-5f;"):
        assert f"constexpr {line}" in source
    assert "uint32_t width = 9;" in module.make(9).cpp_source()


def test_locals_are_declared_once_where_all_uses_see_them(written) -> None:
    body = """
        if n > 3:
            x = n
        elif n > 2:
            x = 2
        else:
            y = n * 2
            x = y
        for i in range(x):
            z = i
            z += 1
            cb_wait_front(cb.input, z)
        for i in range(x):
            cb_wait_front(cb.input, i)
        if wt == 2:
            return
        x = 1
    """
    assert translated(written, body) == textwrap.dedent("""\
        uint32_t x;
        if (n > 3) {
            x = n;
        } else if (n > 2) {
            x = 2;
        } else {
            const uint32_t y = n * 2;
            x = y;
        }
        for (uint32_t i = 0; i < x; i++) {
            uint32_t z = i;
            z += 1;
            cb_wait_front(cb_input, z);
        }
        for (uint32_t i = 0; i < x; i++) {
            cb_wait_front(cb_input, i);
        }
        if constexpr (wt == 2) {
            return;
        }
        x = 1;
    """)


def test_loops(written) -> None:
    body = """
        for i in range(2, n, 3):
            if i == 5:
                continue
            break
        for i in range(int32(n) - 1, -1, -1):
            pass
        for _ in range(n):
            for _ in range(wt):
                cb_push_back(cb.out, 1)
        m = n
        for k in range(m):
            m = m + k
        while True:
            assert m > 3
            m //= 2
    """
    assert translated(written, body) == textwrap.dedent("""\
        for (uint32_t i = 2; i < n; i += 3) {
            if (i == 5) {
                continue;
            }
            break;
        }
        for (int32_t i = static_cast<int32_t>(n) - 1; i > -1; i--) {
        }
        for (uint32_t j = 0; j < n; j++) {
            for (uint32_t i0 = 0; i0 < wt; i0++) {
                cb_push_back(cb_out, 1);
            }
        }
        uint32_t m = n;
        const uint32_t k_end = m;
        for (uint32_t k = 0; k < k_end; k++) {
            m = m + k;
        }
        while (true) {
            ASSERT(m > 3);
            m /= 2;
        }
    """)


def test_memory_and_tensors(written) -> None:
    body = """
        tile = l1_ptr[uint16](get_write_ptr(cb))
        tile[0] = 0x3f80
        tile[n] = tile[n - 1] >> 1
        sem = l1_ptr[uint32](get_semaphore(0))
        noc_semaphore_wait(sem, 1)
        noc_async_read(x.get_noc_addr(n, offset=4), get_write_ptr(cb), 32)
        noc_async_write_page(n, x, get_read_ptr(cb), offset=2, size=8)
    """
    assert translated(written, body, "n: RuntimeArg, cb: CB, x: TensorArg") == textwrap.dedent("""\
        volatile tt_l1_ptr uint16_t* tile = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(get_write_ptr(cb));
        tile[0] = 0x3f80;
        tile[n] = static_cast<uint32_t>(tile[n - 1]) >> 1;
        volatile tt_l1_ptr uint32_t* sem = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
        noc_semaphore_wait(sem, 1);
        noc_async_read(x.get_noc_addr(n, 4), get_write_ptr(cb), 32);
        noc_async_write_page(n, x, get_read_ptr(cb), 8, 2);
    """)


def test_helpers_with_compile_time_values_defaults_and_results(written) -> None:
    module = written("""
        @kernel_function
        def twice(x: uint32) -> uint32:
            return x * 2

        @kernel_function
        def reduce_rows(cb: Buffers, count: CompileTimeArg, keep: bool = True, start: uint32 = 0) -> None:
            pack_untilize_block[count](cb.input, 1, cb.out)
            if not keep:
                cb_pop_front(cb.input, twice(start))

        @compute_kernel
        def kernel(wt: CompileTimeArg, cb: Buffers) -> None:
            reduce_rows(cb, wt * 2, start=3)
            reduce_tile[PoolType.SUM, ReduceDim.REDUCE_ROW](cb.input, cb.out, 0, 0, 0)
            typecast_tile[DataFormat.Float32, DataFormat.Float16_b](0)
    """)
    source = module.kernel.cpp_source()
    assert "uint32_t twice(uint32_t x) {\n    return x * 2;\n}\n\ntemplate <uint32_t count>\n" in source
    assert (
        "void reduce_rows(bool keep, uint32_t start) {\n    pack_untilize_block<count>(cb_input, 1, cb_out);" in source
    )
    assert "    reduce_rows<(wt * 2)>(true, 3);\n" in source
    assert "    reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_input, cb_out, 0, 0, 0);\n" in source
    assert "typecast_tile<static_cast<uint32_t>(DataFormat::Float32), static_cast<uint32_t>(DataFormat::Fl" in source


def test_prints(written) -> None:
    body = 'dprint("tile {} of {}", n, 3)\ndprint("100 \\"per\\" cent", n)\ndprint("here")'
    assert translated(written, body) == (
        'DPRINT("tile {} of {}\\n", n, 3);\nDPRINT("100 \\"per\\" cent {}\\n", n);\nDPRINT("here\\n");\n'
    )


def test_positions_point_into_the_python_file(written) -> None:
    module = written("""
        @reader_kernel
        def kernel(n: RuntimeArg, cb: Buffers) -> None:
            cb_wait_front(cb.input, n)


            cb_pop_front(cb.input, n)
    """)
    line = written.first_line + 3
    source = module.kernel.cpp_source(lines=True)
    assert f'#line {line} "{module.__file__}"\n    cb_wait_front(cb_input, n);\n' in source
    assert f'#line {line + 3} "{module.__file__}"\n    cb_pop_front(cb_input, n);\n' in source
    assert "#line" not in module.kernel.cpp_source()


def test_a_fixed_circular_buffer_takes_no_argument(written) -> None:
    module = written("""
        @reader_kernel
        def kernel(cb_in: CB, n: RuntimeArg, cb_out: CB = CB(16)) -> None:
            cb_push_back(cb_out, n)
    """)
    assert module.kernel.compile_time_arg_names == ("cb_in",)
    assert "constexpr uint32_t cb_out = 16;" in module.kernel.cpp_source()


def test_comments_and_blank_lines_stay(written) -> None:
    body = """
        # all of it,
        # at once
        cb_wait_front(cb.input, n)  # from the reader

        if n > 1:  # more than one
            # drop them
            cb_pop_front(cb.input, n)  # noqa: E501

        # end
        x = n
    """
    assert translated(written, body) == textwrap.dedent("""\
        // all of it,
        // at once
        cb_wait_front(cb_input, n);  // from the reader

        if (n > 1) {  // more than one
            // drop them
            cb_pop_front(cb_input, n);
        }

        // end
        const uint32_t x = n;
    """)


def test_long_lines_are_broken_but_not_comments(written) -> None:
    words = "a remark, which goes on and on, with commas, and so on, until it does not fit beside the code any more"
    body = f"""
        # {words}, {words}
        target = get_noc_multicast_addr(1, 2, 3, 4, n)
        noc_async_write_multicast(
            n + 1000 * 17 + n, get_noc_addr(1000 + n, 2000 + n, 3000 + n), n * 1024 + 4096 + n + 123456, n
        )
        noc_async_write(n + 1, target, n)  # {words}
    """
    assert translated(written, body) == textwrap.dedent(f"""\
        // {words}, {words}
        const uint64_t target = get_noc_multicast_addr(1, 2, 3, 4, n);
        noc_async_write_multicast(n + 1000 * 17 + n, get_noc_addr(1000 + n, 2000 + n, 3000 + n),
            n * 1024 + 4096 + n + 123456, n);
        // {words}
        noc_async_write(n + 1, target, n);
    """)


def test_a_step_that_changes_in_the_loop_is_kept(written) -> None:
    body = "m = n\nfor i in range(0, n, m):\n    m += 1"
    assert translated(written, body) == textwrap.dedent("""\
        uint32_t m = n;
        const uint32_t i_step = m;
        for (uint32_t i = 0; i < n; i += i_step) {
            m += 1;
        }
    """)


def test_a_long_call_stays_on_its_python_line() -> None:
    """Broken for readers only: behind a break, positions would be those of the next Python line."""
    long = Line("first(" + ", ".join(f"argument_{number}" for number in range(12)) + ");", 1, "kernels.py", 7)
    after = Line("second();", 1, "kernels.py", 8)
    assert max(map(len, plain_text([long, after]).splitlines())) <= LINE_LENGTH
    rows = text_with_positions([long, after]).splitlines()
    assert rows == ['#line 7 "kernels.py"', f"    {long.text}", "    second();"]


def test_a_loop_without_a_name_hides_no_constant(written) -> None:
    module = written("""
        i = 7

        class Axis(enum.IntEnum):
            j = 5

        @reader_kernel
        def kernel(n: RuntimeArg) -> None:
            total = n
            for _ in range(3):
                total += i + Axis.j
            get_tile_size(CB(total))
    """)
    source = module.kernel.cpp_source()
    assert "constexpr uint32_t i = 7;" in source
    assert "for (uint32_t k = 0; k < 3; k++) {" in source


def test_the_end_of_a_range_hides_no_constant(written) -> None:
    module = written("""
        i_end = 7

        @reader_kernel
        def kernel(n: RuntimeArg, cb: Buffers) -> None:
            for i in range(n):
                n = i_end
    """)
    source = module.kernel.cpp_source()
    assert "const uint32_t i_end_ = n;" in source
    assert "n = i_end;" in source


def test_hexadecimal_numbers_keep_their_spelling(written) -> None:
    module = written("""
        @reader_kernel
        def kernel(n: RuntimeArg) -> None:
            größe = 0x3f80_0000 + n; tile = 0XFF
    """)
    source = module.kernel.cpp_source()
    assert "größe = 0x3f800000 + n;" in source
    assert "tile = 0XFF;" in source


def test_comparisons_of_comparisons_have_parentheses(written) -> None:
    module = written("""
        @reader_kernel
        def kernel(n: RuntimeArg) -> None:
            same = (n > 1) == (n < 3)
    """)
    assert "same = (n > 1) == (n < 3);" in module.kernel.cpp_source()
