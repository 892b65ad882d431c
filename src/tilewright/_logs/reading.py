# SPDX-License-Identifier: Apache-2.0
"""Execution logs read from Markdown: our own form, the template's, and short logs written by hand.

A table is known by its columns, a list by the heading it stands under; nothing depends on where a part stands.

>>> parse_log("# Execution log: scale\\n\\n## Status\\nPARTIAL\\n").metadata["status"]
Said(text='PARTIAL', line=4)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tilewright._display.markdown import Field, Section, Table, TableRow, TextLine, read_sections
from tilewright._logs.events import ATTEMPT_FIELDS, STEPS, TABLES, Entry, Said, log_row
from tilewright._logs.execution_log import METADATA, ExecutionLog, StageRecord, by_event, stage_numbers, status_word

# Parts of a log, and the headings they go by.
PARTS = {
    "timeline": r"timeline|^stage \d+:|kernels implemented",
    "test results": r"\btests?\b",
    "deviations": r"deviation",
    "artifacts": r"artifact|files? (created|modified)",
    "hand-over": r"hand-?off|hand-?over|next steps|recommendations",
    "git history": r"\bgit\b|\bcommits?\b",
    "circular buffers": r"(circular buffer|\bcb) config",
    "cb synchronization": r"(circular buffer|\bcb) sync",
    "input interpretation": r"^$",  # known by its table
}
_METADATA_NAMES = {
    **{title.lower(): name for name, title in METADATA.items()},
    **{"stages owned": "stages", "stage": "stages", "input": "inputs", "predecessor agent": "predecessor"},
    **{"status": "status", "attempts": "attempts", "commit": "commit"},
}
_ATTEMPT_NAMES = {**{title.lower(): name for name, title in ATTEMPT_FIELDS.items()}, "hypothesis": "hypothesis"}
_STAGE = re.compile(r"stage\s+(\d+)\s*: ?(.*)$", re.I | re.S)
_ATTEMPT = re.compile(
    r"(?:attempts?\s+(?P<number>\d+(?:-\d+)?)|implementation)(?:\s*\((?P<aside>[^)]*)\))?(?:\s*: ?(?P<title>.*))?$",
    re.I | re.S,
)
_NOTHING = re.compile(r"\s*(none\b|no deviations?\b|n/a\b)", re.I)
_PROMISE = re.compile(r"\bwill be (made|committed|created)\b|\bto be committed\b|\bcommit(s)? pending\b", re.I)
_FILE = re.compile(r"(\S*[/.]\S+)\s*(.*)$", re.S)
_LISTED_TEST = re.compile(r"(\S*test_\w+(?:\.py)?)\s*[-:\u2013]\s*(.*)$")
_PYTEST = re.compile(r"(\S+\.py::\S+)\s+(PASSED|FAILED|SKIPPED|ERROR|XFAIL|XPASS)\b")


def parse_log(text: str) -> ExecutionLog:
    """The content of a log in Markdown. Reading never fails: text that is not understood stays in ``prose``."""
    sections = read_sections(text)
    parts = {part for part, title in PARTS.items() for section in sections[1:] if re.search(title, section.title, re.I)}
    if any(_fits(table, "input_parse") for section in sections for table in section.tables()):
        parts.add("input interpretation")
    return ExecutionLog(
        metadata=_read_metadata(sections),
        stages=tuple(_read_stages(sections)),
        rows=by_event(row for section in sections for row in _section_rows(section)),
        prose=tuple(sentence for section in sections for sentence in _sentences(section)),
        parts=frozenset(parts),
    )


def specification_buffers(text: str) -> tuple[Entry, ...]:
    """The circular buffers of a specification in Markdown: its tables with a capacity or a number of pages."""
    rows = by_event(row for section in read_sections(text) for row in _table_rows(section, None))
    configured = tuple(Entry("cb_requirement", row.fields, line=row.line) for row in rows.get("cb_config", ()))
    return rows.get("cb_requirement", ()) or configured


def _is_under(section: Section, title: str) -> bool:
    return any(re.search(title, heading, re.I) for heading in section.path)


def _sentences(section: Section) -> Iterator[Said]:
    for block in section.blocks:
        if isinstance(block, TextLine) and block.kind != "code" and block.text:
            yield Said(block.text, block.line)
        elif isinstance(block, Field):
            yield Said(f"{block.name}: {block.value}".rstrip(" "), block.line)


def _facts(section: Section) -> Iterator[tuple[str, str, int]]:
    """Fields, and rows of tables of fields and values: name, value, line."""
    for block in section.blocks:
        if isinstance(block, Field):
            yield block.name, block.value, block.line
        elif isinstance(block, Table) and block.has("field", "value"):
            yield from ((row.get("field"), row.get("value"), row.line) for row in block.rows)


def _read_metadata(sections: Sequence[Section]) -> dict[str, Said]:
    """Fields and tables under ``Metadata`` or above the first heading, and headings such as ``Status``."""
    facts: list[tuple[str, str, int]] = []
    for section in sections:
        if section.level < 2 or section.title.lower() == "metadata":
            facts += _facts(section)
        if section.level == 2:
            first = section.texts("paragraph")[:1]
            facts += [(section.title, each.text, each.line) for each in first if each is section.blocks[0]]
    title = next((section for section in sections if section.level == 1), None)
    named = re.search(r"execution log:? .*?(\w+)\s*$", title.title, re.I) if title else None
    if title and named and not any(section.title.lower() == "metadata" for section in sections):
        facts.append(("operation", named.group(1), title.line))
    found: dict[str, Said] = {}
    for name, value, line in facts:
        if name.lower() in _METADATA_NAMES and value:
            found.setdefault(_METADATA_NAMES[name.lower()], Said(value, line))
    return found


def _section_rows(section: Section) -> Iterator[Entry]:
    stage = _stage_of(section)
    yield from _table_rows(section, stage)
    yield from _listed_tests(section, stage)
    yield from _fields(section)
    if _is_under(section, r"deviation"):
        yield from _listed_deviations(section)
    yield from _listed_files(section)
    if _is_under(section, PARTS["git history"]):
        yield from _listed_commits(section)
    for event, title in (("handoff", r"hand-?off|hand-?over"), ("note", r"^summary$")):
        if _is_under(section, title):
            yield from (Entry(event, {"text": sentence.text}, line=sentence.line) for sentence in _sentences(section))


def _table_rows(section: Section, stage: int | None) -> Iterator[Entry]:
    for table in section.tables():
        event = next((event for event in TABLES if _fits(table, event)), None)
        if event:
            yield from (_row(event, row, stage) for row in table.rows)


def _fits(table: Table, event: str) -> bool:
    needed = [names.lower().split("|") for names in TABLES[event].values() if "*" in names]
    return all(any(table.has(name.rstrip("*")) for name in names) for names in needed)


def _row(event: str, row: TableRow, stage: int | None) -> Entry:
    fields = {name: row.get(*names.lower().replace("*", "").split("|")) for name, names in TABLES[event].items()}
    if event in ("cb_requirement", "cb_config", "cb_sync_check"):
        identifier = row.get("cb id", "cb", "id")
        index = _cb_index(fields["index"]) or _cb_index(identifier)
        fields["index"] = index or fields["index"] or identifier
        if event == "cb_config" and "name" not in row.cells and _cb_index(fields["name"]):
            fields["name"] = ""
    elif event == "test" and not any(column.startswith("stage") for column in row.cells):
        fields["stage"] = _stage_text(fields["name"], stage)
    elif event == "deviation" and row.get("phase"):
        fields["what"] = f"{row.get('phase')}: {fields['what']}"
    return log_row(event, fields, row.line)


def _cb_index(text: str) -> str:
    """``c_3`` for ``c_3 (cb_mean)`` or ``CB_3``; '' if it names none."""
    found = re.search(r"\b(?:c|CB)_(\d+)\b", text)
    return f"c_{found.group(1)}" if found else ""


def _stage_text(name: str, stage: int | None) -> str:
    """The stage in the name of a test, else the one it stands under."""
    found = re.search(r"stage_?(\d+)", name, re.I)
    return found.group(1) if found else "" if stage is None else str(stage)


def _stage_of(section: Section) -> int | None:
    found = [re.match(r"stage\s+(\d+)", title, re.I) for title in reversed(section.path)]
    return next((int(each.group(1)) for each in found if each), None)


def _listed_tests(section: Section, stage: int | None) -> Iterator[Entry]:
    """Tests in lists under a heading about tests, and in pytest's own lines."""
    about_tests = re.search(r"^tests?$|tests? status|stage \d+ tests?|test results", section.title, re.I)
    intro = ""
    for block in section.texts():
        found = [(name, status, "") for name, status in _PYTEST.findall(block.text)] if block.kind == "code" else []
        listed = _LISTED_TEST.match(block.text) if about_tests and block.kind == "item" else None
        if about_tests and block.kind == "paragraph":
            intro = status_word(block.text)
        elif listed:
            found = [(listed.group(1), status_word(listed.group(2)) or intro, listed.group(2))]
        for name, status, notes in found:
            fields = {"stage": _stage_text(name, stage), "name": name, "result": status, "notes": notes}
            yield log_row("test", fields, block.line)


def _fields(section: Section) -> Iterator[Entry]:
    """``8 passed, 1 skipped``, ``2/2 tests``, attempts per stage, and the status of a step outside an attempt."""
    for block in section.blocks:
        if not isinstance(block, Field) or not block.value:
            continue
        step = _step(block.name)
        if step and re.search(r"build|^stage \d", section.title, re.I):
            yield Entry("step", {"name": step, "status": block.value}, line=block.line)
        if re.search(r"attempts per stage", block.name, re.I):
            for stage, count in re.findall(r"stage\s+(\d+)\s*:\s*(\d+)", block.value, re.I):
                yield Entry("attempt_count", {"stage": stage, "count": count}, line=block.line)
        counts = _counts(block.value) if re.search(r"results?$", block.name, re.I) else {}
        if counts:
            number = next(iter(stage_numbers(block.name)), _stage_of(section))
            yield log_row("test_count", {"stage": number, **counts}, block.line)


def _counts(text: str) -> dict[str, str]:
    fraction = re.search(r"(\d+)\s*/\s*(\d+)\s+tests?", text)
    if fraction:
        passed, total = map(int, fraction.groups())
        return {"passed": str(passed), "failed": str(total - passed), "skipped": "0"}
    facts = {word: number for number, word in re.findall(r"(\d+)\s+(passed|failed|skipped)", text)}
    return {word: facts.get(word, "0") for word in ("passed", "failed", "skipped")} if facts else {}


def _step(name: str) -> str:
    """The step that a name such as ``Host build`` or ``Runtime kernel compilation`` means, or ''."""
    patterns = {"kernel compilation": r"compil", "execution": r"\bexecution\b", "build": r"\bbuild\b"}
    return next((step for step in reversed(STEPS) if re.search(patterns[step], name, re.I)), "")


def _listed_deviations(section: Section) -> Iterator[Entry]:
    for text in section.texts("item", "paragraph"):
        if _NOTHING.match(text.text):
            yield Entry("denial", {"text": text.text}, line=text.line)
            return
    for block in section.blocks:
        if isinstance(block, TextLine) and block.kind == "item":
            yield Entry("deviation", {"what": block.text}, line=block.line)
        elif isinstance(block, Field):
            yield log_row("deviation", {"what": block.name, "why": block.value}, block.line)


def _listed_files(section: Section) -> Iterator[Entry]:
    title = next((each for each in reversed(section.path) if re.search(PARTS["artifacts"], each, re.I)), "")
    changes = [kind for kind in ("created", "modified") if kind in title.lower()]
    for block in section.texts("item") if title else ():
        found = _FILE.match(block.text)
        if found:
            notes = re.sub(r"^\((.*)\)$", r"\1", found.group(2).strip(" -\u2013:"))
            fields = {"path": found.group(1), "change": changes[0] if len(changes) == 1 else "", "notes": notes}
            yield log_row("artifact", fields, block.line)


def _listed_commits(section: Section) -> Iterator[Entry]:
    fields = {block.name.lower(): block for block in section.blocks if isinstance(block, Field)}
    if "sha" in fields:
        message = fields["message"].value if "message" in fields else ""
        yield log_row("commit", {"sha": fields["sha"].value, "message": message}, fields["sha"].line)
    for block in section.texts():
        found = re.match(r"[0-9a-f]{7,40}\b", block.text)
        if found:
            message = block.text[found.end() :].strip(" -\u2013:")
            yield log_row("commit", {"sha": found.group(0), "message": message}, block.line)
        elif _PROMISE.search(block.text):
            yield Entry("promise", {"text": block.text}, line=block.line)


def _read_stages(sections: Sequence[Section]) -> Iterator[StageRecord]:
    """Every ``Stage 4: ...`` heading with its attempts: under labels in bold, or under headings of their own."""
    for position, section in enumerate(sections):
        found = _STAGE.match(section.title)
        if not found:
            continue
        attempts: list[_AttemptDraft] = []
        status: Said | None = None
        for block in section.blocks:
            if isinstance(block, Field):
                if not block.value and _ATTEMPT.match(block.name):
                    attempts.append(_AttemptDraft(block.name, block.line, attempts))
                elif re.match(r"(test )?(status|results?)$", block.name, re.I) and block.value:
                    status = status or Said(block.value, block.line)
            elif isinstance(block, TextLine) and attempts and block.label == attempts[-1].heading:
                attempts[-1].take_item(block)
        for child in sections[position + 1 :]:
            if section.title in child.parents and _ATTEMPT.match(child.title):
                attempts.append(_AttemptDraft(child.title, child.line, attempts).take_section(child))
        entries = tuple(Entry("attempt", each.fields, line=each.line, lines=each.lines) for each in attempts)
        yield StageRecord(int(found.group(1)), found.group(2), status, entries, section.line)


class _AttemptDraft:
    """An attempt while its fields are read; ``heading`` is the label or heading they stand under."""

    def __init__(self, heading: str, line: int, before: Sequence[_AttemptDraft]) -> None:
        found = _ATTEMPT.match(heading)
        assert found is not None
        # An implementation without a number belongs to the attempt before it.
        number = found["number"] or (before[-1].fields["number"] if before else "1")
        phase = re.search(r"\b(RED|GREEN)\b", found["aside"] or "")
        given = {"number": number, "phase": phase.group(1) if phase else "", "title": found["title"] or ""}
        self.heading = heading
        self.line = line
        self.fields: dict[str, str] = {name: text for name, text in given.items() if text}
        self.lines: dict[str, int] = {}

    def take(self, name: str, value: str, line: int) -> bool:
        known = _ATTEMPT_NAMES.get(name.lower()) or _step(name)
        if known and value:
            self.fields[known], self.lines[known] = value, line
        return bool(known)

    def take_item(self, item: TextLine) -> None:
        if item.kind != "item":
            return
        name, colon, value = item.text.partition(":")
        if not (colon and self.take(name.strip(), value.strip(), item.line)):
            before = self.fields.get("notes")
            self.fields["notes"] = f"{before}\n{item.text}" if before else item.text

    def take_section(self, section: Section) -> _AttemptDraft:
        for name, value, line in _facts(section):
            self.take(name, value, line)
        for item in section.texts():
            self.take_item(item)
        return self
