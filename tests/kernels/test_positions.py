# SPDX-License-Identifier: Apache-2.0
"""Every line of the C++ with positions says which Python line it comes from."""

from __future__ import annotations

from tilewright.kernels._cpp_text import Line, plain_text, text_with_positions


def test_a_call_too_long_for_one_line_stays_on_its_python_line() -> None:
    long_call = Line(f"call({', '.join(f'argument_number_{number}' for number in range(12))});", 1, "kernels.py", 7)
    lines = [long_call, Line("next();", 1, "kernels.py", 8)]
    assert plain_text(lines).count("\n") == 4
    assert text_with_positions(lines).splitlines() == [
        '#line 7 "kernels.py"',
        f"    {long_call.text}",
        "    next();",
    ]
