# SPDX-License-Identifier: Apache-2.0
"""Preprocessor branches that only some threads of a compute kernel have."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright import ttnn
from tilewright.device.errors import KernelCompileError
from tilewright.device.thread_guards import guarded_effect, lost_branch

LOST = {
    "#if defined(TRISC_UNPACK)\nf();\n#elif defined(TRISC_MATH)\ng();\n#endif": 3,
    "#ifdef TRISC_MATH\nconstexpr int k = 1;\n#else\nconstexpr int k = 2;\n#endif": 3,
    "#ifndef TRISC_PACK\nf();\n#endif": 1,
    "#if !defined(UCK_CHLKC_MATH)\nf();\n#endif": 1,
    "#ifdef A\n#ifdef TRISC_MATH\n#else /* the others */\nf();\n#endif\n#endif": 3,
}
KEPT = [
    "#ifdef TRISC_MATH\nf();\n#endif\n#ifdef TRISC_PACK\ng();\n#endif",
    "#ifdef TRISC_PACK\nvoid p(int) { f(); }\n#else\ninline void p(int) {}\n#endif",
    "bool b() {\n#if defined(TRISC_UNPACK) || defined(TRISC_MATH)\nreturn f();\n#else\nreturn false;\n#endif\n}",
    "#if defined(TRISC_UNPACK) || defined(TRISC_MATH) || defined(TRISC_PACK)\nf();\n#else\ng();\n#endif",
    "#ifdef A\nf();\n#else\ng();\n#endif",
    "// #ifndef TRISC_MATH\nf();\n// #endif",
    "#ifdef TRISC_MATH\nf();\n#else\n#error only maths\n#endif",
    "#ifdef UCK_CHLKC_PACK\nreturn pack_dst_format[cb];\n#else\nreturn unpack_src_format[cb];\n#endif",
]


@pytest.mark.parametrize("text", LOST)
def test_a_branch_that_would_be_left_out_is_found(text: str) -> None:
    found = lost_branch(text)
    assert found is not None
    assert found[0] == LOST[text]


@pytest.mark.parametrize("text", KEPT)
def test_what_every_thread_has_or_does_nothing_is_left_alone(text: str) -> None:
    assert lost_branch(text) is None


def test_of_the_wheels_kernels_one_for_several_chips_is_refused(wheel: Path) -> None:
    """It chooses a number of its thread's own with #elif."""
    files = [path for path in (wheel / "ttnn" / "cpp").rglob("*.*") if path.suffix in {".cpp", ".h", ".hpp", ".inl"}]
    texts = {path: path.read_text(errors="replace") for path in files if "quasar" not in str(path)}
    refused = [path.name for path, text in texts.items() if "TRISC" in text or "UCK" in text if lost_branch(text)]
    assert refused == ["routing_index_dispatch_fabric2d.cpp"]


def test_a_kernel_with_one_is_refused_with_its_line_in_a_header_too(tmp_path: Path) -> None:
    header = tmp_path / "choice.h"
    header.write_text(
        "#if defined(TRISC_MATH)\nconstexpr int k = 1;\n#elif defined(TRISC_PACK)\nconstexpr int k = 2;\n#endif\n"
    )
    kernel = tmp_path / "compute.cpp"
    kernel.write_text(f'#include "{header}"\nvoid kernel_main() {{}}\n')
    core = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])
    program = ttnn.ProgramDescriptor(
        kernels=[ttnn.KernelDescriptor(str(kernel), core_ranges=core, config=ttnn.ComputeConfigDescriptor())]
    )
    device = ttnn.open_device(device_id=0)
    tensor = ttnn.full((32, 32), 0.0, device=device)
    with pytest.raises(KernelCompileError, match=r"choice\.h:3: `#elif defined\(TRISC_PACK\)` is a branch"):
        ttnn.generic_op([tensor, tensor], program)
    ttnn.close_device(device)


GUARDED = {
    "void k() {\n#ifdef TRISC_MATH\nmailbox_write(1, 7);\n#endif\n}": (3, "mailbox_write"),
    "namespace a {\nvoid k() {\n#if defined(TRISC_PACK)\n  if (x) { t6_semaphore_post<1>(2); }\n#endif\n}\n}": (
        4,
        "t6_semaphore_post",
    ),
    "#ifdef TRISC_MATH\nvoid tell() { mailbox_write(1, 7); }\n#endif": None,
    "void k() {\n#ifdef TRISC_MATH\nMATH((mailbox_write(1, 7)));\n#endif\n}": None,
    "void k() {\n#ifdef SOMETHING\nmailbox_write(1, 7);\n#endif\n}": None,
    "void k() {\n// #ifdef TRISC_MATH\nmailbox_write(1, 7);\n}": None,
}


@pytest.mark.parametrize("text", GUARDED)
def test_words_between_threads_under_a_guard_are_found(text: str) -> None:
    assert guarded_effect(text) == GUARDED[text]
