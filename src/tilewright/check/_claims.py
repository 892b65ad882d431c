# SPDX-License-Identifier: Apache-2.0
"""Claims of other tools about kernels: a file, a line and a rule each, from SARIF or from lines of text."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from tilewright._errors import TilewrightError
from tilewright._rules import RULES

ANY_RULE = "any"
NO_RULE = "unnamed"  # of a SARIF result that names none
_MOST_BYTES = 64 << 20
_MOST_CLAIMS = 100_000
_TEXT = re.compile(r"(\S.*?):(\d+)(?::\d+)?\s+(\S+)(?:\s.*)?")


class ClaimsError(TilewrightError, ValueError):
    """A file of claims that cannot be read; the message names the place in it."""

    exit_status = 2


@dataclasses.dataclass(frozen=True)
class Claim:
    """A claim of another tool about a line.

    Attributes:
        file: name of a kernel's source, the end of its path, or the name of a kernel given as text.
        line, last_line: 1 is the first; 0 where the claim names no line.
        rule: as the tool calls it.
        meant: the rules of the checker that show it; empty where the rule has no counterpart.
        message: the tool's own words.
    """

    file: str
    line: int
    last_line: int
    rule: str
    meant: frozenset[str]
    message: str = ""

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file or "no place"

    def lines(self) -> list[str]:
        """Every ``FILE:LINE`` that it is about."""
        return [f"{self.file}:{line}" for line in range(self.line, self.last_line + 1)] if self.line else []


def read_claims(path: Path, names: Mapping[str, str] | None = None) -> list[Claim]:
    """The claims of a file, SARIF or text.

    Args:
        names: rules of the checker, or ``any``, by the names that the claims have for them.

    Raises:
        ClaimsError: the file is neither, or part of it is wrong.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ClaimsError(f"{path} has {path.stat().st_size:,} bytes; a file of claims has at most {_MOST_BYTES:,}")
        text = path.read_text("utf_8_sig")
    except OSError as error:
        raise ClaimsError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ClaimsError(f"{path} is no UTF-8 text: {error.reason} at byte {error.start}") from None
    meanings = {name: _meant(rule) for name, rule in (names or {}).items()}
    given = _of_sarif(path, text) if text.lstrip().startswith(("{", "[")) else _of_text(path, text)
    found = []
    for file, line, last_line, rule, message in given:
        found.append(Claim(file, line, last_line, rule, meanings.get(rule, _meant(rule)), message))
        if len(found) > _MOST_CLAIMS:
            raise ClaimsError(f"{path} has more than {_MOST_CLAIMS:,} claims; split it")
    if not found:
        raise ClaimsError(f"{path} has no claims")
    return found


def _meant(rule: str) -> frozenset[str]:
    if rule == ANY_RULE:
        return frozenset(RULES)
    return frozenset((rule,)) if rule in RULES else frozenset()


_Given = tuple[str, int, int, str, str]


def _of_text(path: Path, text: str) -> Iterator[_Given]:
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split("#", 1)[0].strip() if line.lstrip().startswith("#") else line.strip()
        if not words:
            continue
        match = _TEXT.fullmatch(words)
        if match is None or not int(match[2]):
            raise ClaimsError(f"{path}:{number} is {_short(words)}; allowed: FILE:LINE RULE, with lines from 1 on")
        yield match[1], int(match[2]), int(match[2]), match[3], ""


def _of_sarif(path: Path, text: str) -> Iterator[_Given]:
    try:
        log = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ClaimsError(f"{path} is no JSON: {error}") from None
    for number, run in enumerate(_list(path, _object(path, log, "the log"), "runs", "the log")):
        where = f"runs[{number}]"
        run = _object(path, run, where)
        tool = _object(path, run.get("tool", {}), f"{where}.tool")
        driver = _object(path, tool.get("driver", {}), f"{where}.tool.driver")
        rules = _list_or_none(path, driver, "rules", f"{where}.tool.driver")
        artifacts = _list_or_none(path, run, "artifacts", where)
        for index, result in enumerate(_list_or_none(path, run, "results", where)):
            place = f"{where}.results[{index}]"
            yield _result(path, _object(path, result, place), place, rules, artifacts)


def _rule(path: Path, result: dict[str, Any], where: str, rules: list[Any]) -> str:
    """The rule of a result: by its name, or by its place among the tool's rules."""
    reference = _object(path, result.get("rule", {}), f"{where}.rule")
    for name in (result.get("ruleId"), reference.get("id")):
        if isinstance(name, str) and name:
            return name
    for index in (result.get("ruleIndex"), reference.get("index")):
        name = _entry(rules, index).get("id")
        if isinstance(name, str) and name:
            return name
    return NO_RULE


def _entry(entries: list[Any], index: object) -> dict[str, Any]:
    """An object of a list that others refer to by number, or an empty one."""
    entry = entries[index] if isinstance(index, int) and 0 <= index < len(entries) else None
    return entry if isinstance(entry, dict) else {}


def _result(path: Path, result: dict[str, Any], where: str, rules: list[Any], artifacts: list[Any]) -> _Given:
    rule = _rule(path, result, where, rules)
    message = _object(path, result.get("message", {}), f"{where}.message").get("text", "")
    locations = _list_or_none(path, result, "locations", where)
    if not locations:
        return "", 0, 0, rule, str(message)
    physical = _object(path, locations[0], f"{where}.locations[0]").get("physicalLocation", {})
    physical = _object(path, physical, f"{where}.locations[0].physicalLocation")
    artifact = _object(path, physical.get("artifactLocation", {}), f"{where}.artifactLocation")
    region = _object(path, physical.get("region", {}), f"{where}.region")
    listed = _entry(artifacts, artifact.get("index")).get("location", {})
    listed = _object(path, listed, f"the artifact of {where}")
    uri, line = artifact.get("uri", listed.get("uri", "")), region.get("startLine", 0)
    last = region.get("endLine", line)
    if not isinstance(uri, str):
        raise ClaimsError(f"{path}: {where}.artifactLocation.uri is {_short(uri)}; it must be a text")
    for name, value in (("startLine", line), ("endLine", last)):
        if not isinstance(value, int) or isinstance(value, bool) or value < 0 or value > 1 << 31:
            raise ClaimsError(f"{path}: {where}.region.{name} is {_short(value)}; it must be a line number")
    return _file(uri), line, min(max(last, line), line + 200), rule, str(message)


def _file(uri: str) -> str:
    """The path that a URI names.

    >>> _file("file:///my%20kernels/reader.cpp"), _file("kernels/reader.cpp")
    ('/my kernels/reader.cpp', 'kernels/reader.cpp')
    """
    parts = urlparse(uri)
    return unquote(parts.path) if parts.scheme in ("file", "") else uri


def _object(path: Path, value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ClaimsError(f"{path}: {where} is {_short(value)}; SARIF has an object there")
    return value


def _list(path: Path, of: dict[str, Any], name: str, where: str) -> list[Any]:
    value = of.get(name)
    if not isinstance(value, list):
        raise ClaimsError(f"{path}: {name} of {where} is {_short(value)}; SARIF has a list there")
    return value


def _list_or_none(path: Path, of: dict[str, Any], name: str, where: str) -> list[Any]:
    """A list that may be missing or null."""
    return [] if of.get(name) is None else _list(path, of, name, where)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
