# SPDX-License-Identifier: Apache-2.0
"""Lines of C++ with the Python line they come from."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

INDENT = "    "
LINE_LENGTH = 120

# Names a kernel's variables and functions cannot have.
_CPP_WORD_LIST = """
char8_t char16_t char32_t concept consteval constinit co_await co_return co_yield decltype else uint8_t uint16_t
uint32_t int32_t uint64_t typeof std ckernel
alignas alignof and_eq asm auto bitand bitor bool case catch char class compl const constexpr const_cast default
delete do double dynamic_cast enum explicit export extern float friend goto inline int long mutable namespace new
noexcept not_eq nullptr operator or_eq private protected public register reinterpret_cast requires short signed
sizeof static static_assert static_cast struct switch template this thread_local throw typedef typeid typename union
unsigned using virtual void volatile wchar_t xor xor_eq true false main kernel_main
"""
# Macros of the headers that kernels include, as far as a user might choose the name.
_MACRO_LIST = """
ALWI ASSERT DPRINT DRAM_ALIGNMENT DST_SYNC_MODE EOF FORCE_INLINE INFINITY INT8_MAX INT16_MAX INT32_MAX INT32_MIN
INT64_MAX INT_MAX INT_MIN L1_ALIGNMENT MATH M_E M_PI NAN NOC_INDEX NOC_MODE NULL NUM_DRAM_BANKS NUM_L1_BANKS PACK
RAND_MAX SIZE_MAX UINT8_MAX UINT16_MAX UINT32_MAX UINT64_MAX UINT_MAX UNPACK UNROLL_LOOP alloca errno offsetof stderr
stdin stdout
"""
CPP_WORDS = frozenset((_CPP_WORD_LIST + _MACRO_LIST).split())

# Variables, constants and functions of these headers: a kernel's own constants and functions stand beside them.
_HEADER_NAME_LIST = """
APPROX DST_ACCUM_MODE INVALID MATH_FIDELITY VALID my_x my_y noc_index
abs acos asin atan cbrt ceil cos cosh div erf exp exp2 fabs floor fma fmax fmin labs log log10 log2 pow round sin sinh
sqrt tan tanh trunc
"""
HEADER_NAMES = frozenset(_HEADER_NAME_LIST.split())


@dataclasses.dataclass
class Line:
    """One line; ``text`` may be filled in later. ``line`` is 0 where no Python line stands behind it."""

    text: str
    depth: int = 0
    path: str = ""
    line: int = 0


def indented(line: Line) -> str:
    """The line as written, broken after a comma where it is too long."""
    rest, rows, margin = INDENT * line.depth + line.text, [], INDENT * (line.depth + 1)
    while len(rest) > LINE_LENGTH and (cut := _break_after(rest, len(margin))) > 0:
        rows.append(rest[:cut])
        rest = margin + rest[cut + 1 :]
    return "\n".join([*rows, rest])


def _break_after(text: str, margin: int) -> int:
    """The best place for a line break: the last comma that fits, of those in the fewest parentheses; 0 if none."""
    if "//" in text or '"' in text:
        return 0
    best, best_depth, depth = 0, len(text), 0
    for position, character in enumerate(text[:LINE_LENGTH]):
        depth += (character == "(") - (character == ")")
        if character == "," and position > margin and depth <= best_depth:
            best, best_depth = position + 1, depth
    return best


def plain_text(lines: Iterable[Line]) -> str:
    return "\n".join(indented(line).rstrip() for line in lines) + "\n"


def text_with_positions(lines: Iterable[Line]) -> str:
    """The same text with ``#line`` directives, so that compilers, debuggers and messages show the Python lines.

    Long lines are not broken: what stands behind a break would count as the next Python line.
    """
    rows: list[str] = []
    path, expected = "", 0
    for line in lines:
        if line.line and (line.path, line.line) != (path, expected):
            quoted = line.path.replace("\\", "\\\\").replace('"', '\\"')
            rows.append(f'#line {line.line} "{quoted}"')
            path, expected = line.path, line.line
        rows.append((INDENT * line.depth + line.text).rstrip())
        expected += 1
    return "\n".join(rows) + "\n"
