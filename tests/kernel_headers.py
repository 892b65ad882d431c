# SPDX-License-Identifier: Apache-2.0
"""The functions of the kernel API's headers and the calls of them in a text, as far as their modes go."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tilewright._build.sfpu_headers import generated_sfpu_headers
from tilewright._cpp_declarations import closing_bracket, cpp_bodies

INCLUDE = Path(__file__).parents[1] / "src" / "tilewright" / "native" / "include"

_OPENING, _CLOSING = "<([{", ">)]}"


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A parameter of a function, or of the template it is."""

    name: str
    type: str
    default: str
    is_template: bool
    position: int


@dataclasses.dataclass(frozen=True)
class Function:
    header: str
    name: str
    parameters: tuple[Parameter, ...]
    body: str

    def ignores(self, parameter: Parameter) -> bool:
        """Whether the body never looks at it."""
        return not re.search(rf"\b{parameter.name}\b", self.body)


def split_list(text: str) -> list[str]:
    """The items of a list of arguments or parameters; commas inside brackets stay."""
    items, depth = [""], 0
    for letter in text:
        depth += (letter in _OPENING) - (letter in _CLOSING)
        if letter == "," and depth == 0:
            items.append("")
        else:
            items[-1] += letter
    return [item.strip() for item in items if item.strip()]


def _parameter(text: str, is_template: bool, position: int) -> Parameter:
    declared, _, default = (part.strip() for part in text.partition("="))
    words = re.findall(r"[\w:]+", declared)
    # Types alone, without a name, are of one word, or a pointer's or a reference's.
    named = len([word for word in words if word != "const"]) > 1 and declared[-1] not in "&*"
    return Parameter(words[-1] if named else "", declared, default, is_template, position)


def _template_before(text: str) -> str:
    """The text between the brackets of ``template <...>`` at the end of a text."""
    text = text.rstrip()
    if not text.endswith(">"):
        return ""
    depth = 0
    for position in range(len(text) - 1, -1, -1):
        depth += (text[position] == ">") - (text[position] == "<")
        if depth == 0:
            return text[position + 1 : -1] if text[:position].rstrip().endswith("template") else ""
    return ""


def header_text(header: str, root: Path = INCLUDE) -> str:
    """The text of a header; below our own directory, of a generated one too."""
    generated = generated_sfpu_headers() if root == INCLUDE else {}
    return generated[header] if header in generated else (root / header).read_text(encoding="utf-8")


def functions_of(header: str, root: Path = INCLUDE) -> Iterator[Function]:
    for each in cpp_bodies(header_text(header, root)):
        template, arguments = split_list(_template_before(each.text[: each.begin])), split_list(each.parameters)
        parameters = [_parameter(text, True, i) for i, text in enumerate(template) if not text.startswith("typename")]
        parameters += [_parameter(text, False, i) for i, text in enumerate(arguments)]
        yield Function(header, each.name, tuple(parameters), each.body)


def calls_in(text: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Name, template arguments and arguments of everything called in a text."""
    for match in re.finditer(r"\b([A-Za-z_]\w*)\s*(?=[<(])", text):
        start, template = match.end(), []
        if text[start] == "<":
            end = closing_bracket(text, start)
            template, start = split_list(text[start + 1 : end]), end + 1
        if start < len(text) and text[start] == "(":
            yield match.group(1), template, split_list(text[start + 1 : closing_bracket(text, start)])


def headers_below(folders: Sequence[str], root: Path = INCLUDE) -> list[str]:
    """Paths of headers; below our own directory, of the generated ones too."""
    files = {path.relative_to(root).as_posix() for folder in folders for path in (root / folder).rglob("*.h")}
    if root == INCLUDE:
        files |= {name for name in generated_sfpu_headers() if name.startswith(tuple(folders))}
    return sorted(files)
