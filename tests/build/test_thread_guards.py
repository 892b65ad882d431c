# SPDX-License-Identifier: Apache-2.0
"""Preprocessor conditions on the threads of a compute kernel: which ask for a compilation for each thread."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright._build.thread_guards import chosen_by_thread

CHOSEN = {
    # A branch that one compilation with all three defined would not have.
    "#if defined(TRISC_UNPACK)\nf();\n#elif defined(TRISC_MATH)\ng();\n#endif": 1,
    "#ifdef TRISC_MATH\nconstexpr int k = 1;\n#else\nconstexpr int k = 2;\n#endif": 1,
    "#ifdef TRISC_MATH\nconstexpr bool is_math = true;\n#else\nconstexpr bool is_math = false;\n#endif": 1,
    "#ifndef TRISC_PACK\nf();\n#endif": 1,
    "#if !defined(UCK_CHLKC_MATH)\nf();\n#endif": 1,
    "#ifdef A\n#ifdef TRISC_MATH\n#else /* the others */\nf();\n#endif\n#endif": 3,
    "#if defined(TRISC_MATH) && defined(FUSED)\nvoid f() { a(); }\n#else\nvoid f() { b(); }\n#endif": 1,
    "#if defined(FUSED) && !defined(TRISC_MATH)\nvoid f() { a(); }\n#endif": 1,
    "#ifdef TRISC_PACK\nvoid p(int) { f(); }\n#else\ninline void p(int) {}\n#endif": 1,
    "#if COMPILE_FOR_TRISC == 0\nvoid f() {}\n#endif": 1,
    # Statements of one thread, which the others must not make.
    "void k() {\n#ifdef TRISC_MATH\nmailbox_write(1, 7);\n#endif\n}": 2,
    "void k() {\n#ifdef TRISC_MATH\n*word = 7;\n#endif\n}": 2,
    "void k() {\n#ifdef TRISC_UNPACK\ncb_push_back(0, 1);\n#endif\n}": 2,
    "void k() {\n#ifdef TRISC_MATH\npack_reconfig_data_format(0);\n#endif\n}": 2,
    "bool b() {\n#ifdef TRISC_MATH\nreturn true;\n#else\nreturn false;\n#endif\n}": 2,
    "namespace a {\nvoid k() {\n#if defined(TRISC_PACK)\n  if (x) { t6_semaphore_post<1>(2); }\n#endif\n}\n}": 3,
    # A macro of one thread.
    "#ifdef TRISC_PACK\n#define COUNT 3\n#endif": 1,
}
ONCE = [
    "#ifdef TRISC_MATH\nvoid f() { a(); }\n#endif\n#ifdef TRISC_PACK\nvoid g() { a(); }\n#endif",
    "#ifdef TRISC_MATH\nvoid tell() { mailbox_write(1, 7); }\n#endif",
    "#ifdef TRISC_PACK\nvoid p(int d) { llk_pack<A, true>(d, 1); }\n#else\ninline void p(int) {}\n#endif",
    "void k() {\n#ifdef TRISC_PACK\nif constexpr (a != b) {\npack_reconfig_data_format(0);\n}\n#endif\n}",
    "#if defined(TRISC_UNPACK) || defined(TRISC_MATH) || defined(TRISC_PACK)\nf();\n#else\ng();\n#endif",
    "#ifdef A\nf();\n#else\ng();\n#endif",
    "// #ifndef TRISC_MATH\nf();\n// #endif",
    "#ifdef TRISC_MATH\nvoid f() { a(); }\n#endif\n#ifdef A\n#error none\n#endif",
    "int f(int a) {\n#ifdef UCK_CHLKC_PACK\nreturn pack_dst_format[a];\n#else\nreturn unpack_src_format[a];\n#endif\n}",
    "void k() {\n#ifdef SOMETHING\nmailbox_write(1, 7);\n#endif\n}",
]


@pytest.mark.parametrize("text", CHOSEN)
def test_a_text_that_differs_from_thread_to_thread_is_found(text: str) -> None:
    found = chosen_by_thread(text)
    assert found is not None
    assert found[0] == CHOSEN[text]


@pytest.mark.parametrize("text", ONCE)
def test_functions_and_settings_of_one_thread_are_compiled_once(text: str) -> None:
    assert chosen_by_thread(text) is None


def test_few_of_the_wheels_files_differ(wheel: Path) -> None:
    """Attention and its kin, which have functions of one thread, go on as one."""
    files = [path for path in (wheel / "ttnn" / "cpp").rglob("*.*") if path.suffix in {".cpp", ".h", ".hpp", ".inl"}]
    texts = {path: path.read_text(errors="replace") for path in files if "quasar" not in str(path)}
    chosen = sorted(path.name for path, text in texts.items() if chosen_by_thread(text))
    assert chosen == [
        "hybrid_cb_shims.hpp",
        "hybrid_llk_shims.hpp",
        "hybrid_pack_precision.hpp",
        "routing_index_dispatch_fabric2d.cpp",
    ]
