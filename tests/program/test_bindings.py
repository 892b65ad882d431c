# SPDX-License-Identifier: Apache-2.0
"""Bindings: names read from a kernel's source, and the text written around it."""

from __future__ import annotations

import pytest

from tilewright._program.bindings import BufferName, KernelBindings, TensorName, TileFormat, entry_point
from tilewright._program.circular_buffer import TileDescriptor
from tilewright._program.specs.source import EntryError, KernelEntry, active_text, find_entry, used_names
from tilewright._wire.data_formats import DataFormat


def test_names_are_found_by_namespace() -> None:
    source = "auto n = get_arg(args::n); DataflowBuffer in(dfb::in); Semaphore s(::sem::ready); auto t = tensor::src;"
    assert used_names(source, {}) == {
        "args": ["n"],
        "dfb": ["in"],
        "tensor": ["src"],
        "sem": ["ready"],
        "scratch": [],
        "pipe": [],
    }


@pytest.mark.parametrize(
    "source",
    [
        "// args::n",
        "/* args::n\n args::n */",
        "#define N get_arg(args::n)",
        "#define N \\\n  get_arg(args::n)",
        "mine::args::n",
        "#ifdef WIDE\nargs::n\n#endif",
        "#if defined(WIDE) && DEPTH > 1\nargs::n\n#endif",
        "#ifndef COMPILE_FOR_BRISC\nargs::n\n#endif",
        "#if SOMETHING(3)\nargs::n\n#endif",
        'dfb::get_token_if_present<"n">()',
    ],
)
def test_names_that_need_not_be_bound(source: str) -> None:
    assert not any(used_names(source, {}).values())


@pytest.mark.parametrize(
    ("source", "defines"),
    [
        ("#ifdef WIDE\nargs::n\n#endif", {"WIDE": "1"}),
        ("#ifdef WIDE\n#else\nargs::n\n#endif", {}),
        ("#if defined(WIDE) and DEPTH > 1\nargs::n\n#endif", {"WIDE": "", "DEPTH": "2"}),
        ("#if !(defined A && defined B)\nargs::n\n#endif", {"A": ""}),
        ("#if 0\n#elif DEPTH == 0x10u\nargs::n\n#endif", {"DEPTH": "16"}),
        ("#define WIDE\n#ifdef WIDE\nargs::n\n#endif", {}),
    ],
)
def test_conditions_follow_the_defines(source: str, defines: dict[str, str]) -> None:
    assert used_names(source, defines)["args"] == ["n"]


def test_text_after_an_undecided_condition_counts_again() -> None:
    source = "#if COMPILE_FOR_BRISC\na\n#else\nb\n#endif\nc"
    assert active_text(source, {}).split() == ["c"]


def test_entry_of_a_marked_kernel() -> None:
    source = """
    // TT_KERNEL void not_this(uint32_t x)
    template <uint32_t Kt, uint32_t Vt>
    TT_KERNEL void compute(
        uint32_t group,  // first, (really)
        const uint32_t count) {}
    """
    entry = find_entry(source)
    assert entry == KernelEntry("compute", ("Kt", "Vt"), ("group", "count"))
    assert entry_point(entry) == (
        "void kernel_main() { compute<get_arg(args::Kt), get_arg(args::Vt)>"
        "(get_arg(args::group), get_arg(args::count)); }"
    )
    assert find_entry("void kernel_main() {}") is None


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("TT_KERNEL void a() {} TT_KERNEL void b() {}", "2 functions are marked"),
        ("TT_KERNEL int a() {}", "must return void, not int"),
        ("TT_KERNEL void a(float x) {}", "'float x' of a must be a uint32_t"),
        ("TT_KERNEL;", "no function follows"),
    ],
)
def test_entries_that_cannot_be_called(source: str, message: str) -> None:
    with pytest.raises(EntryError, match=message):
        find_entry(source)


def test_declarations_say_where_each_name_is() -> None:
    narrow = TileFormat(DataFormat.Float16_b, TileDescriptor(16, 32))
    text = KernelBindings(
        runtime_args=["start", "count"],
        common_runtime_args=["scale"],
        compile_time_args=[("width", 4294967295)],
        compile_time_varargs=[7, 9],
        common_vararg_word=2,
        dfbs=[BufferName("in", 3, narrow)],
        tensors=[TensorName("src", 2, 1, TileFormat())],
        tensor_sequences=[("inputs", ["src"])],
        semaphores=[("ready", 5)],
    ).declarations()
    for line in [
        "constexpr ::experimental::RtaArg<uint32_t> count{4};",
        "constexpr ::experimental::CrtaArg<uint32_t> scale{0};",
        "constexpr ::experimental::CtaVal<uint32_t> width{4294967295u};",
        "constexpr ::DFBBindingToken<> in{3, ::binding_details::LLKMetadata{5, 16, 16, 1, 2}};",
        "using src_t = ::tensor_accessor::TensorBindingToken<2, 4>;",
        "constexpr auto inputs = ::std::make_tuple(src);",
        "constexpr ::SemaphoreBindingToken ready{5, ::SemScope::LOCAL_NONATOMIC};",
        "    constexpr uint32_t values[] = {7u, 9u, 0u};",
    ]:
        assert line in text.splitlines()
    assert "get_arg_val<uint32_t>(2 + idx)" in text
    assert "get_common_arg_val<uint32_t>(2 + idx)" in text
