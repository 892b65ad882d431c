# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

from tilewright._build.translation_unit import KernelSource
from tools.survey.bindings import entry_definition, plausible_bindings
from tools.survey.host_defines import plausible_defines
from tools.survey.inventory import find_kernels
from tools.survey.plausible import fillable, plausible_sources
from tools.survey.source_text import SourceTree


def _sources(package: Path, name: str) -> list[KernelSource]:
    kernel = next(kernel for kernel in find_kernels(package) if kernel.path.name == name and kernel.scope == "core")
    return list(plausible_sources(kernel, SourceTree(package)))


def test_arguments_come_from_the_text(package: Path) -> None:
    first, *others = _sources(package, "reader_copy.cpp")
    assert others, "several ways of choosing values"
    assert dict(first.named_compile_time_args) == {"pages": 2}
    assert first.compile_time_args[0] == 0, "an argument that names a CB is a CB index"
    assert not first.is_compute


def test_defines_say_the_operation_of_a_generic_kernel(package: Path) -> None:
    source = _sources(package, "add.cpp")[0]
    assert source.is_compute
    assert dict(source.defines) == {"BINARY_OP": "add_tiles"}


def test_names_a_kernel_defines_itself_are_left_alone() -> None:
    assert plausible_defines("k.cpp", "#define REDUCE_OP PoolType::MAX\nf<REDUCE_OP>();") == {}
    assert plausible_defines("k.cpp", "template <bool EXP_APPROX_MODE> void f();") == {}


def test_bindings_cover_every_name(package: Path) -> None:
    text = (
        "DataflowBuffer a(dfb::in); get_arg(args::rows); tensor::src_t; Semaphore s(sem::ready);"
        'auto n = std::tuple_size_v<decltype(tensor::inputs)>; *dfb::get_token_if_present<"maybe">();'
    )
    bindings = plausible_bindings(text, text, lambda name, place: place + 7, tensor_cta_offset=5)
    assert bindings is not None
    assert list(bindings.compile_time_args) == [("rows", 7)]
    assert [each.name for each in bindings.dfbs] == ["in", "maybe"]
    assert [each.name for each in bindings.tensors] == ["inputs_0", "inputs_1", "src"]
    assert list(bindings.tensor_sequences) == [("inputs", ["inputs_0", "inputs_1"])]
    assert list(bindings.semaphores) == [("ready", 0)]


def test_no_bindings_for_a_kernel_without_names() -> None:
    text = "void kernel_main() { auto x = get_arg_val<uint32_t>(0); }"
    assert plausible_bindings(text, text, lambda name, place: 1, tensor_cta_offset=0) is None
    assert entry_definition(text) == ""


def test_only_names_outside_the_api_are_filled(package: Path) -> None:
    source = _sources(package, "reader_api_constant.cpp")[0]
    undeclared = ["API_CONSTANT_OF_THE_PACKAGE", "HOST_LIMIT", "noc_async_read", "HOST_LIMIT"]
    assert fillable(undeclared, source, SourceTree(package)) == ["HOST_LIMIT"]
