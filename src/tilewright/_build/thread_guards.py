# SPDX-License-Identifier: Apache-2.0
"""Preprocessor conditions on TRISC_UNPACK, TRISC_MATH and TRISC_PACK in compute kernels.

A card compiles a compute kernel once for each of its three threads, with one of the three defined. Here it is compiled
once, with all of them defined, and runs as one as long as it can. That is right where conditions stand around functions
of one thread, which its UNPACK(...), MATH(...) or PACK(...) calls. A text that differs from thread to thread in another
way (branches of an #elif, #else or #ifndef, statements in a function, macros) is compiled for each thread instead.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence

from tilewright._program.specs.source import without_comments

THREADS = ("UNPACK", "MATH", "PACK")
Threads = frozenset[str]
ALL_THREADS: Threads = frozenset(THREADS)
DIRECTIVE = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b(.*)")

_NAME = r"(?:TRISC|UCK_CHLKC)_(UNPACK|MATH|PACK)\b"
_NUMBER = re.compile(r"\bCOMPILE_FOR_TRISC\s*[=!]=")
_MACRO = re.compile(rf"\bdefined\s*\(?\s*{_NAME}\s*\)?|\b{_NAME}")
_OTHER = re.compile(
    r"\bdefined\s*\(?\s*[A-Za-z_]\w*\s*\)?|\b(?!(?:UNPACK|MATH|PACK|and|or|not)\b)[A-Za-z_]\w*(?:\([^()]*\))?"
)
_NEGATED = re.compile(rf"!\s*(?:defined\s*)?\(?\s*{_NAME}")
_DEFINITION = re.compile(r"\s*#\s*(?:define|undef)\b")
# What a branch for the other threads may have without being missed: functions that do nothing, answers that are fixed,
# and tables of formats and shapes, which are the same for all threads.
_NOTHING = re.compile(
    r"static_assert\s*\([^;]*;|return\s+(?:true|false|\d+u?)\s*;|constexpr\s+bool\s+\w+\s*=\s*(?:true|false)\s*;"
    r"|(?:return|constexpr\s+\w+\s+\w+\s*=)\s+(?:un)?pack_\w+\[\w+\]\s*;"
    r"|[^;{}]*\{\s*(?:return\s+(?:true|false)\s*;\s*)?\}"
)
# Statements that a branch of some threads may have while all three run as one fiber: they have no effect outside the
# kernel, or one that counts once.
_QUIET = (
    r"static_assert\s*\([^;]*;|constexpr\s+\w+\s+\w+\s*=\s*\w+(?:::\w+)+\s*;"
    r"|(?:return|constexpr\s+\w+\s+\w+\s*=)[^;]*\bpack_\w+\[[^;]*;|(?:return|constexpr\s+\w+\s+\w+\s*=)[^;]*unpack_\w+\[[^;]*;"
    r"|if\s+constexpr\s*\([^;{}]*\)\s*(?=\{)|[^;{}()]*\([^;{}]*\)\s*(?=\{)|[{}\s]"
)
# Calls that keep to these threads by themselves.
_CALLS = {
    frozenset({"PACK"}): r"llk_pack\w*|pack_reconfig_data_format\w*",
    frozenset({"MATH"}): r"llk_math\w*",
    frozenset({"UNPACK"}): r"llk_unpack\w*",
    frozenset({"UNPACK", "MATH"}): r"reconfig_data_format\w*",
}
_SCOPE = re.compile(r"\b(?:namespace|class|struct|union|enum|extern)\b(?!.*\()")

Guard = tuple[Threads, Threads]  # of an open #if: where it holds, where a branch before it held


def step(guards: list[Guard], word: str, condition: str) -> None:
    """Takes a directive into account."""
    if word in ("if", "ifdef", "ifndef"):
        holds = threads_where(_spelled_out(word, condition))
        guards.append((holds, holds))
    elif guards and word in ("elif", "else"):
        _, before = guards.pop()
        # A condition about something else may hold anywhere, and its #else too.
        rest = ALL_THREADS if before == ALL_THREADS else ALL_THREADS - before
        holds = rest & (threads_where(condition) if word == "elif" else ALL_THREADS)
        guards.append((holds, before | holds if holds != ALL_THREADS else ALL_THREADS))
    elif guards:
        guards.pop()


def threads_where(condition: str) -> Threads:
    """Threads on which a condition holds; all of them where it is about anything else too."""
    expression = _expression(condition)
    if expression is None:
        return ALL_THREADS
    return frozenset(thread for thread in THREADS if eval(expression, {each: each == thread for each in THREADS}))


@dataclasses.dataclass
class _Branch:
    """One branch of an #if, as one compilation with all three defined sees it."""

    number: int
    directive: str
    threads: Threads  # where it holds
    is_mixed: bool  # its condition asks for something else too
    is_compiled: bool
    has_definitions: bool = False
    lines: list[str] = dataclasses.field(default_factory=list)

    def is_nothing(self) -> bool:
        return not _NOTHING.sub("", "\n".join(self.lines)).strip()

    def is_quiet(self) -> bool:
        """Whether it may be done by all three as one, and by no single thread once they run apart."""
        names = [] if self.is_mixed else [calls for threads, calls in _CALLS.items() if threads <= self.threads]
        kept = [rf"\b(?:{'|'.join(names)})\s*(?:<[^;{{}}]*>)?\s*\([^;{{}}]*\)\s*;"] if names else []
        return not re.sub("|".join([*kept, _QUIET]), "", "\n".join(self.lines)).strip()


@dataclasses.dataclass
class _ThreadConditional:
    """The branches of one #if that asks for threads."""

    is_in_function: bool
    branches: list[_Branch]

    def fault(self) -> _Branch | None:
        """The first branch for which the text has to be compiled for each thread."""
        if not any(branch.threads != ALL_THREADS or branch.is_mixed for branch in self.branches):
            return None
        matters = self.is_in_function or len(self.branches) > 1
        for branch in self.branches:
            is_fine = (not matters or branch.is_quiet()) if branch.is_compiled else branch.is_nothing()
            if not is_fine or branch.has_definitions or _NUMBER.search(branch.directive):
                return branch
        return None


def chosen_by_thread(text: str) -> tuple[int, str] | None:
    """Line and text of the first condition for which a text has to be compiled for each thread; None: once will do.

    >>> chosen_by_thread("#if defined(TRISC_MATH)\\n f();\\n#elif defined(TRISC_PACK)\\n g();\\n#endif")
    (1, '#if defined(TRISC_MATH)')
    >>> chosen_by_thread("void k() {\\n#ifdef TRISC_MATH\\nmailbox_write(1, 7);\\n#endif\\n}")
    (2, '#ifdef TRISC_MATH')
    >>> chosen_by_thread("#ifdef TRISC_MATH\\nvoid tell() { mailbox_write(1, 7); }\\n#endif")
    """
    if re.search(_NAME, text) is None and _NUMBER.search(text) is None:
        return None
    faults = [fault for choice in _choices(without_comments(text).split("\n")) if (fault := choice.fault()) is not None]
    first = min(faults, key=lambda branch: branch.number, default=None)
    return (first.number, first.directive) if first is not None else None


def _choices(lines: Sequence[str]) -> Iterator[_ThreadConditional]:
    """Every #if that asks for threads, at its end."""
    opened: list[_ThreadConditional] = []
    guards: list[Guard] = []
    scopes: list[bool] = []  # of each open brace: whether it is a function's or within one
    before = ""  # since the last brace or semicolon
    for number, line in enumerate(lines, 1):
        directive = DIRECTIVE.match(line)
        if directive is not None:
            word, condition = directive.groups()
            step(guards, word, condition)
            if word == "endif":
                if opened:
                    yield opened.pop()
                continue
            if word in ("if", "ifdef", "ifndef") or not opened:
                opened.append(_ThreadConditional(any(scopes), []))
            opened[-1].branches.append(_branch(number, line, word, condition, guards, opened[-1].branches))
            continue
        for choice in opened:
            choice.branches[-1].has_definitions |= _DEFINITION.match(line) is not None
            choice.branches[-1].lines += [] if line.lstrip().startswith("#") else [line]
        for character in line:
            if character == "{":
                scopes.append(any(scopes) or _SCOPE.search(before) is None)
            elif character == "}" and scopes:
                scopes.pop()
            before = "" if character in "{};" else before + character


def _branch(
    number: int, line: str, word: str, condition: str, guards: Sequence[Guard], earlier: Sequence[_Branch]
) -> _Branch:
    asked = _spelled_out(word, condition)
    threads = guards[-1][0] if guards else ALL_THREADS
    is_mixed = any(branch.is_mixed for branch in earlier) or _asks_for_more(asked)
    is_held_before = any(branch.is_compiled and branch.threads != ALL_THREADS for branch in earlier)
    if is_mixed:
        is_compiled = not earlier and _NEGATED.search(asked) is None
    else:
        is_compiled = not is_held_before and (word == "else" or _holds_with_all(asked))
    return _Branch(number, line.strip(), threads, is_mixed, is_compiled)


def _asks_for_more(condition: str) -> bool:
    """Whether a condition asks for a thread and for something else, so that the thread may decide."""
    if _NUMBER.search(condition):
        return True
    if re.search(_NAME, condition) is None or _expression(condition) is not None:
        return False
    without = _python(condition)
    try:
        alone = compile(_OTHER.sub("False", without).strip(), "", "eval")
        return not all(eval(alone, {each: each == thread for each in THREADS}) for thread in THREADS)
    except (SyntaxError, TypeError):
        return True


def _spelled_out(word: str, condition: str) -> str:
    return {"ifdef": f"defined({condition})", "ifndef": f"!defined({condition})"}.get(word, condition)


def _python(condition: str) -> str:
    """A condition with its threads and operators in Python's words."""
    expression = _MACRO.sub(lambda found: f" {found.group(1) or found.group(2)} ", condition)
    for cpp, python in (("&&", " and "), ("||", " or ")):
        expression = expression.replace(cpp, python)
    return re.sub(r"!(?!=)", " not ", expression)


def _expression(condition: str) -> str | None:
    """A condition on threads alone as an expression of Python; None: it is about anything else too."""
    expression = _python(condition)
    words = set(re.findall(r"[A-Za-z_]\w*|[^\sA-Za-z_()]", expression))
    if not words & set(THREADS) or words - {*THREADS, "and", "or", "not"}:
        return None
    expression = expression.strip()
    try:
        compile(expression, "", "eval")
    except SyntaxError:
        return None
    return expression


def _holds_with_all(condition: str) -> bool:
    expression = _expression(condition)
    return expression is None or bool(eval(expression, dict.fromkeys(THREADS, True)))
