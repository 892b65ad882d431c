# SPDX-License-Identifier: Apache-2.0
"""What preprocessor conditions on TRISC_UNPACK, TRISC_MATH and TRISC_PACK mean for the threads of a compute kernel.

A card compiles a compute kernel once for each of its three threads, with one of the three defined. Here it is compiled
once, with all of them defined: what only some threads have is there, and keeps to its thread by itself. A branch that
is left out then, an #elif, an #else or an #ifndef, is one that a thread of a card would run; such a kernel is refused.
A word to another thread under an #ifdef does not keep to its thread: that is refused once the threads go apart.
"""

from __future__ import annotations

import re

THREADS = ("UNPACK", "MATH", "PACK")
Threads = frozenset[str]
ALL_THREADS: Threads = frozenset(THREADS)
DIRECTIVE = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b(.*)")

_NAME = r"(?:TRISC|UCK_CHLKC)_(UNPACK|MATH|PACK)\b"
_MACRO = re.compile(rf"\bdefined\s*\(?\s*{_NAME}\s*\)?|\b{_NAME}")
# What a branch for the other threads may have without being missed: functions that do nothing, answers that are fixed,
# and tables of formats and shapes, which are the same for all threads.
_NOTHING = re.compile(
    r"#[^\n]*|static_assert\s*\([^;]*;|return\s+(?:true|false|\d+u?)\s*;|constexpr\s+bool\s+\w+\s*=\s*(?:true|false)\s*;"
    r"|(?:return|constexpr\s+\w+\s+\w+\s*=)\s+(?:un)?pack_\w+\[\w+\]\s*;"
    r"|[^;{}#]*\{\s*(?:return\s+(?:true|false)\s*;\s*)?\}"
)

# Calls that are made by one thread and that other threads and kernels see.
_EFFECT = re.compile(
    r"\b(mailbox_(?:write|read)|(?:t6_)?semaphore_(?:post|get|init)\w*|TTI?_SEM(?:POST|GET|INIT|WAIT))\s*[(<]"
)
_NAMED = re.compile(r"\b(?:UNPACK|MATH|PACK)\s*\(")
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


def lost_branch(text: str) -> tuple[int, str] | None:
    """Line and text of the first directive whose branch a thread of a card would run and a kernel here does not have.

    >>> lost_branch("#if defined(TRISC_MATH)\\n f();\\n#elif defined(TRISC_PACK)\\n g();\\n#endif")
    (3, '#elif defined(TRISC_PACK)')
    >>> lost_branch("#ifdef TRISC_PACK\\nvoid h() { g(); }\\n#else\\nvoid h() {}\\n#endif")
    """
    lines = without_comments(text).split("\n")
    guards: list[Guard] = []
    chosen: list[bool] = []  # of each open #if: a branch of it is compiled here
    for number, line in enumerate(lines, 1):
        directive = DIRECTIVE.match(line)
        if directive is None:
            continue
        word, condition = directive.group(1), directive.group(2)
        step(guards, word, condition)
        if word == "endif":
            if chosen:
                chosen.pop()
            continue
        before = chosen.pop() if word in ("elif", "else") and chosen else False
        here = not before and (word == "else" or _holds_with_all(_spelled_out(word, condition)))
        chosen.append(before or here)
        is_about_threads = guards and guards[-1][0] and guards[-1][0] != ALL_THREADS
        if is_about_threads and not here and _does_something(lines[number:]):
            return number, line.strip()
    return None


def guarded_effect(text: str) -> tuple[int, str] | None:
    """Line and name of the first call under a guard in a function that others would see three times instead of once.

    A guard around functions is no matter: where they are called decides. Nor are tile operations, which keep to their
    threads by themselves, and statements in ``UNPACK(...)``, ``MATH(...)`` and ``PACK(...)``.

    >>> guarded_effect("void kernel_main() {\\n#ifdef TRISC_MATH\\nmailbox_write(1, 7);\\n#endif\\n}")
    (3, 'mailbox_write')
    >>> guarded_effect("#ifdef TRISC_MATH\\nvoid tell() { mailbox_write(1, 7); }\\n#endif")
    """
    guards: list[tuple[Threads, bool]] = []  # of each open #if: where it holds, whether it stands in a function
    open_guards: list[Guard] = []
    scopes: list[bool] = []  # of each open brace: whether it is a function's or within one
    before = ""  # since the last brace or semicolon
    for number, line in enumerate(without_comments(text).split("\n"), 1):
        directive = DIRECTIVE.match(line)
        if directive is not None:
            step(open_guards, directive.group(1), directive.group(2))
            inside = any(scopes) if len(open_guards) > len(guards) else bool(guards and guards[-1][1])
            guards = [*guards[: len(open_guards) - 1], (open_guards[-1][0], inside)] if open_guards else []
            continue
        effect = _EFFECT.search(line)
        is_guarded = any(inside and threads != ALL_THREADS for threads, inside in guards)
        if effect is not None and is_guarded and not _NAMED.search(line):
            return number, effect.group(1)
        for character in line:
            if character == "{":
                scopes.append(any(scopes) or _SCOPE.search(before) is None)
            elif character == "}" and scopes:
                scopes.pop()
            before = "" if character in "{};" else before + character
    return None


def without_comments(text: str) -> str:
    """The same lines with comments blanked out."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", _blank, text, flags=re.DOTALL)


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found.group(0))


def _spelled_out(word: str, condition: str) -> str:
    return {"ifdef": f"defined({condition})", "ifndef": f"!defined({condition})"}.get(word, condition)


def _expression(condition: str) -> str | None:
    """A condition on threads alone as an expression of Python; None: it is about anything else too."""
    expression = _MACRO.sub(lambda found: f" {found.group(1) or found.group(2)} ", condition)
    for cpp, python in (("&&", " and "), ("||", " or "), ("!", " not ")):
        expression = expression.replace(cpp, python)
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


def _does_something(lines: list[str]) -> bool:
    """Whether the branch that begins here has more than what may be left out."""
    depth, body = 0, []
    for line in lines:
        directive = DIRECTIVE.match(line)
        word = directive.group(1) if directive is not None else ""
        if depth == 0 and word in ("elif", "else", "endif"):
            break
        depth += {"if": 1, "ifdef": 1, "ifndef": 1, "endif": -1}.get(word, 0)
        body.append(line)
    return bool(_NOTHING.sub("", "\n".join(body)).strip())
