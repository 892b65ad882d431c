# SPDX-License-Identifier: Apache-2.0
"""Names in a kernel's source: which bindings it uses, and which function it marks as its entry.

Only text the compiler would see counts: comments and groups switched off by the kernel's own defines are left out.
Where a condition cannot be decided from the defines, nothing is concluded and the compiler has the last word.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass

NAMESPACES = ("args", "dfb", "tensor", "sem", "scratch", "pipe")
_USE = re.compile(rf"(?<![\w:])(?:::)?({'|'.join(NAMESPACES)})::([A-Za-z_]\w*)")
# Names the API itself has in these namespaces.
_NOT_BINDINGS = {"get_token_if_present", "AccessPattern", "STRIDED", "ALL", "BLOCKED", "UNKNOWN"}
_COMMENT_OR_LITERAL = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", re.DOTALL)
_DIRECTIVE = re.compile(r"\s*#\s*(\w+)\s*(.*)", re.DOTALL)
# Set on the compiler's command line, not by the host program.
_COMMAND_LINE_MACROS = re.compile(
    r"(ARCH_|COMPILE_FOR_|TRISC_|UCK_CHLKC_|NOC_|KERNEL_|DEBUG_|WATCHER_|PROFILE_|TENSIX_|NUM_|FABRIC_|__)"
)
_EXPRESSION_NODES = (
    ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.BinOp, ast.Add, ast.Sub,
    ast.Mult, ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Constant,
)  # fmt: skip


def without_comments(source: str) -> str:
    """``source`` with comments blanked and lines kept."""

    def blank(match: re.Match[str]) -> str:
        text = match[0]
        return "\n" * text.count("\n") + " " if text.startswith("/") else text

    return _COMMENT_OR_LITERAL.sub(blank, source)


def active_text(source: str, defines: Mapping[str, str]) -> str:
    """The lines that are certain to be compiled, without comments and directives."""
    macros = dict(defines)
    groups = _Conditions()
    kept = []
    for line in without_comments(source).replace("\\\n", " ").splitlines():
        directive = _DIRECTIVE.match(line)
        if directive is None:
            if groups.active is True:
                kept.append(line)
        elif not groups.handle(directive[1], directive[2], macros) and groups.active is not False:
            _define(directive[1], directive[2], macros)
    return "\n".join(kept)


def used_names(source: str, defines: Mapping[str, str]) -> dict[str, list[str]]:
    """Names the kernel takes from each generated namespace, in order of first use.

    >>> used_names("auto n = get_arg(args::num_tiles);", {})["args"]
    ['num_tiles']
    """
    names: dict[str, list[str]] = {namespace: [] for namespace in NAMESPACES}
    for namespace, name in _USE.findall(active_text(source, defines)):
        if name not in _NOT_BINDINGS and name not in names[namespace]:
            names[namespace].append(name)
    return names


class _Conditions:
    """Nested ``#if`` groups. True: compiled; False: not; None: cannot be told from here."""

    def __init__(self) -> None:
        self._states: list[bool | None] = []
        self._taken: list[bool | None] = []  # whether a branch of the group was compiled already

    @property
    def active(self) -> bool | None:
        if False in self._states:
            return False
        return None if None in self._states else True

    def handle(self, directive: str, rest: str, macros: Mapping[str, str]) -> bool:
        """Follows a conditional directive; False when ``directive`` is none."""
        if directive in ("ifdef", "ifndef", "if"):
            state = _condition(directive, rest, macros)
            self._states.append(state)
            self._taken.append(state)
        elif directive in ("elif", "else") and self._states:
            state = True if directive == "else" else _condition("if", rest, macros)
            taken = self._taken[-1]
            self._states[-1] = _and(_not(taken), state)
            self._taken[-1] = _not(_and(_not(taken), _not(state)))
        elif directive == "endif" and self._states:
            self._states.pop()
            self._taken.pop()
        else:
            return False
        return True


def _not(state: bool | None) -> bool | None:
    return None if state is None else not state


def _and(first: bool | None, second: bool | None) -> bool | None:
    if first is False or second is False:
        return False
    return None if first is None or second is None else True


def _is_defined(name: str, macros: Mapping[str, str]) -> bool | None:
    if name in macros:
        return True
    if name == "ARCH_QUASAR":
        return False
    return None if _COMMAND_LINE_MACROS.match(name) else False


def _condition(directive: str, rest: str, macros: Mapping[str, str]) -> bool | None:
    if directive in ("ifdef", "ifndef"):
        name = rest.split()[0] if rest.split() else ""
        defined = _is_defined(name, macros)
        return defined if directive == "ifdef" else _not(defined)
    return _evaluate(rest, macros)


def _evaluate(expression: str, macros: Mapping[str, str]) -> bool | None:
    """Value of an ``#if`` expression, None when it needs more than the defines."""
    unknown = False

    def of_defined(match: re.Match[str]) -> str:
        nonlocal unknown
        defined = _is_defined(match[1] or match[2], macros)
        unknown = unknown or defined is None
        return str(bool(defined))

    def of_name(match: re.Match[str]) -> str:
        nonlocal unknown
        name = match[0]
        if name in ("True", "False", "and", "or", "not"):
            return name
        value = macros.get(name, "0" if _is_defined(name, macros) is False else "?")
        number = re.fullmatch(r"\s*\(?\s*(0[xX][0-9a-fA-F]+|\d+)[uUlL]*\s*\)?\s*", value)
        unknown = unknown or number is None
        return number[1] if number else "0"

    text = re.sub(r"\bdefined\b\s*(?:\(\s*(\w+)\s*\)|(\w+))", of_defined, expression)
    text = re.sub(r"\b[A-Za-z_]\w*\b", of_name, text)
    text = text.replace("&&", " and ").replace("||", " or ")
    text = re.sub(r"!(?!=)", " not ", re.sub(r"(?<=\d)[uUlL]+\b", "", text))
    if unknown:
        return None
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError:
        return None
    if not all(isinstance(node, _EXPRESSION_NODES) for node in ast.walk(tree)):
        return None
    return bool(eval(compile(tree, "<#if>", "eval"), {"__builtins__": {}}))


def _define(directive: str, rest: str, macros: dict[str, str]) -> None:
    words = rest.split(None, 1)
    if directive == "define" and words:
        macros[words[0].partition("(")[0]] = words[1] if len(words) > 1 else ""
    elif directive == "undef" and words:
        macros.pop(words[0], None)


@dataclass(frozen=True)
class KernelEntry:
    """The function marked ``TT_KERNEL``: its template parameters are compile-time args, the others come per run."""

    name: str
    template_parameters: tuple[str, ...]
    parameters: tuple[str, ...]


class EntryError(ValueError):
    """The ``TT_KERNEL`` function cannot be called from a generated ``kernel_main``."""


_ENTRY = re.compile(r"\bTT_KERNEL\b\s*([\w:\s]*?)\b(\w+)\s*\(")


def find_entry(source: str) -> KernelEntry | None:
    """The kernel's marked entry, None for kernels that have a ``kernel_main`` of their own.

    >>> find_entry("template <uint32_t Kt> TT_KERNEL void compute(uint32_t group) {}")
    KernelEntry(name='compute', template_parameters=('Kt',), parameters=('group',))
    """
    text = re.sub(r"^\s*#(?:[^\n]*\\\n)*[^\n]*", "", without_comments(source), flags=re.MULTILINE)
    markers = list(re.finditer(r"\bTT_KERNEL\b", text))
    if not markers:
        return None
    if len(markers) > 1:
        raise EntryError(f"{len(markers)} functions are marked TT_KERNEL; a kernel has exactly one entry")
    match = _ENTRY.match(text, markers[0].start())
    if match is None:
        raise EntryError("no function follows TT_KERNEL")
    if match[1].split() != ["void"]:
        raise EntryError(f"{match[2]} must return void, not {match[1].strip() or 'nothing'}")
    parameters = text[match.end() : _closing(text, match.end(), "(", ")")]
    before = text[: markers[0].start()].rstrip()
    templates = _template_list(before) if before.endswith(">") else ""
    return KernelEntry(match[2], _parameter_names(match[2], templates), _parameter_names(match[2], parameters))


def _closing(text: str, begin: int, opening: str, closing: str) -> int:
    depth = 1
    for position in range(begin, len(text)):
        depth += {opening: 1, closing: -1}.get(text[position], 0)
        if depth == 0:
            return position
    raise EntryError(f"TT_KERNEL: no {closing!r} for the {opening!r} of its parameters")


def _template_list(before: str) -> str:
    match = re.search(r"\btemplate\s*<([^<>]*)>$", before)
    if match is None:
        raise EntryError("TT_KERNEL: no 'template <...>' before the marker belongs to the '>' there")
    return match[1]


def _parameter_names(entry: str, parameters: str) -> tuple[str, ...]:
    names = []
    for parameter in filter(None, (part.strip() for part in parameters.split(","))):
        declared = re.fullmatch(r"(?:const\s+)?(?:std::)?uint32_t\s+(?:const\s+)?(\w+)", parameter)
        if declared is None:
            raise EntryError(f"parameter {' '.join(parameter.split())!r} of {entry} must be a uint32_t with a name")
        names.append(declared[1])
    return tuple(names)
