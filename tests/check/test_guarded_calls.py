# SPDX-License-Identifier: Apache-2.0
"""Circular buffer calls that a guard keeps off their thread."""

from __future__ import annotations

import pytest

from tests.check.source_program import check_source, rules, source_program
from tilewright import ttnn
from tilewright.check._guarded_calls import calls_off_their_thread

GUARDED = "void kernel_main() {\n#ifdef TRISC_{}\n  cb_reserve_back(0, 1);\n  cb_push_back(0, 1);\n#endif\n}"
WRITER = "void kernel_main() { cb_wait_front(0, 1); cb_pop_front(0, 1); }"


def test_a_push_guarded_off_the_pack_thread_is_found(device: ttnn.Device) -> None:
    program = source_program({0: 1}, compute=GUARDED.replace("{}", "UNPACK", 1), writer=WRITER)
    result = check_source(device, program)
    assert rules(result) == ["trisc-guard", "trisc-guard"]
    assert [finding.line for finding in result.findings] == [3, 4]
    assert [finding.rule for finding in result.findings[0].consequences] == ["hang-missing-producer"]
    assert result.findings[1].numbers == "cb_push_back(0) runs on UNPACK only, and does something on PACK only"


def test_reads_guarded_for_the_pack_thread_are_right(device: ttnn.Device) -> None:
    program = source_program({0: 1}, compute=GUARDED.replace("{}", "PACK", 1), writer=WRITER)
    assert rules(check_source(device, program)) == []


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("UNPACK((cb_push_back(cb, 1)));", [1]),
        ("PACK((cb_push_back(cb, 1)));", []),
        ("PACK((cb_wait_front(cb, 1)));", [1]),
        ("UNPACK((other(1))); cb_push_back(cb, 1);", []),
        ("#if defined(TRISC_MATH) || defined(TRISC_PACK)\ncb_pop_front(cb, 1);\ncb_push_back(cb, 1);\n#endif", [2]),
        ("#ifndef TRISC_PACK\ncb_reserve_back(cb, 1);\n#else\ncb_push_back(cb, 1);\n#endif", [2]),
        ("#ifdef FUSED\ncb_push_back(cb, 1);\n#else\ncb_push_back(cb, 1);\n#endif", []),
        ("#if defined(TRISC_MATH) && FUSED\ncb_push_back(cb, 1);\n#endif", []),
        ("#ifdef TRISC_MATH\n// cb_push_back(cb, 1);\n#endif", []),
        ("#ifdef TRISC_MATH\n#ifdef FUSED\nbuffer.push_back(1);\n#endif\n#endif", [3]),
    ],
)
def test_guards_are_read_as_the_preprocessor_would(text: str, lines: list[int]) -> None:
    assert [line for line, *_ in calls_off_their_thread(text)] == lines
