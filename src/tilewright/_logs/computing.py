# SPDX-License-Identifier: Apache-2.0
"""The execution log of a run, computed from its breadcrumbs.

Statuses, attempts, recoveries, deviations and counts follow from what was recorded, so the log cannot claim what
was not run: a stage without a passing test has not passed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tilewright._logs.amounts import differences
from tilewright._logs.breadcrumbs import Trail
from tilewright._logs.events import ATTEMPT_FIELDS, Entry, Said, log_row
from tilewright._logs.execution_log import ExecutionLog, StageRecord, by_event
from tilewright._logs.reading import PARTS

# What a failure is called where the breadcrumb does not say.
_ERROR_TYPES = {"build": "build_error", "kernel compilation": "compilation_error", "execution": "test_fail"}
_FAILED = ("FAIL", "HANG")
# Events that are rows of the log as they are.
_ROWS = (
    *("input_parse", "cb_requirement", "cb_config", "work_distribution", "kernel_implemented", "deviation"),
    *("design_compliance", "artifact", "handoff"),
)
# Every run records these facts again: the last row with one index, path or name counts.
_LAST = {
    **{"cb_requirement": "index", "cb_config": "index", "artifact": "path", "work_distribution": "parameter"},
    **{"kernel_implemented": "kernel", "design_compliance": "phase"},
}


def _status(entry: Entry) -> str:
    return entry.text("status") or entry.text("result")


@dataclass
class _Try:
    """One attempt while its events come in; ``last`` is the number of the last of equal attempts."""

    number: int
    begin: Entry
    last: int = 0
    steps: list[Entry] = field(default_factory=list)
    tests: list[Entry] = field(default_factory=list)
    remarks: dict[str, list[str]] = field(default_factory=dict)
    hypothesis_line: int = 0

    @property
    def is_red(self) -> bool:
        return self.begin.text("phase") == "RED"

    def say(self, name: str, text: str) -> None:
        self.remarks.setdefault(name, []).append(text)

    def failure(self) -> Entry | None:
        """The first step or test that failed."""
        return next((each for each in (*self.steps, *self.tests) if _status(each) in _FAILED), None)

    def result(self) -> str:
        failure = self.failure()
        if failure:
            return _status(failure)
        if any(_status(test) == "PASS" for test in self.tests):
            return "PASS"
        return "NEEDS_VERIFICATION" if self.steps or self.tests else "NOT RUN"

    def passed(self, step: str) -> bool:
        return any(each.text("step") == step and _status(each) == "PASS" for each in self.steps)

    def is_again(self, before: _Try) -> bool:
        """Whether it repeats an attempt that passed, and passes with nothing to add."""
        plain = all(each.result() == "PASS" and not each.remarks for each in (self, before))
        return plain and self.begin.fields == before.begin.fields

    def entry(self) -> Entry:
        """The attempt as the log has it."""
        failure = self.failure()
        decisive = failure or next(reversed((*self.steps, *self.tests)), self.begin)
        fields = {
            **{"action": self.begin.text("action"), "expected": self.begin.text("expected")},
            **{"actual": "\n".join(f"{_status(test)} {test.text('name')}" for test in self.tests)},
            **{"result": self.result(), **{step.text("step"): _status(step) for step in self.steps}},
            **{name: "\n".join(texts) for name, texts in self.remarks.items()},
        }
        lines = {"result": decisive.line, "hypothesis": self.hypothesis_line}
        lines |= {step.text("step"): step.line for step in self.steps}
        if failure:
            summary = failure.text("error_summary") or failure.text("notes")
            fields |= {"error_type": self._error_type(failure), "error_summary": summary}
            lines |= {"error_type": failure.line, "error_summary": failure.line}
        number = f"{self.number}-{self.last}" if self.last else str(self.number)
        kept = {name: fields.get(name) for name in ATTEMPT_FIELDS}
        return log_row("attempt", {"number": number, "phase": self.begin.text("phase"), **kept}, self.begin.line, lines)

    def _error_type(self, failure: Entry) -> str:
        named = next((step.text("error_type") for step in self.steps if step.text("error_type")), "")
        return named or ("hang" if _status(failure) == "HANG" else _ERROR_TYPES[failure.text("step") or "execution"])


@dataclass
class _StageDraft:
    number: int
    title: str = ""
    line: int = 0
    tries: list[_Try] = field(default_factory=list)

    @property
    def meant(self) -> list[_Try]:
        """The attempts that were to pass."""
        return [attempt for attempt in self.tries if not attempt.is_red]

    def tests(self) -> dict[str, tuple[Entry, int]]:
        """The last result of each test, and the attempt it is from. RED attempts do not count."""
        return {test.text("name"): (test, attempt.number) for attempt in self.meant for test in attempt.tests}

    def status(self) -> str:
        last = self.meant[-1].result() if self.meant else "NOT RUN"
        results = [_status(test) for test, _ in self.tests().values()]
        failed = [result for result in (last, *results) if result in _FAILED]
        if failed:
            return failed[0]
        if "PASS" in results:
            return "PASS"
        return "NOT RUN" if last == "NOT RUN" else "NEEDS_VERIFICATION"

    def record(self) -> StageRecord:
        """The stage as the log has it. Attempts that repeat a pass are one, the last: ``Attempts 2-5``."""
        shown: list[_Try] = []
        for attempt in self.tries:
            first = attempt.number
            if shown and attempt.is_again(shown[-1]):
                first = shown.pop().number
            last = attempt.number if first < attempt.number else 0
            shown.append(dataclasses.replace(attempt, number=first, last=last))
        attempts = tuple(attempt.entry() for attempt in shown)
        return StageRecord(self.number, self.title, Said(self.status(), self.line), attempts, self.line)

    def rows(self) -> Iterator[Entry]:
        """The rows of the log that follow from the stage's attempts."""
        stage = str(self.number)
        tests = self.tests()
        for name, (test, number) in tests.items():
            notes = "; ".join(filter(None, (test.text("notes"), f"attempt {number}")))
            yield log_row("test", {"stage": stage, "name": name, "result": _status(test), "notes": notes}, test.line)
        if tests:
            results = [_status(test) for test, _ in tests.values()]
            passed, skipped = results.count("PASS"), results.count("SKIPPED") + results.count("NOT RUN")
            counts = {"passed": passed, "failed": len(results) - passed - skipped, "skipped": skipped}
            yield log_row("test_count", {"stage": stage, **counts}, self.line)
        yield Entry("attempt_count", {"stage": stage, "count": str(len(self.tries))}, line=self.line)
        for position, attempt in enumerate(self.tries):
            failure = attempt.failure()
            if attempt.is_red and not failure:
                what = f"stage {stage}: RED attempt {attempt.number} ended {attempt.result()}, not FAIL"
                yield Entry("deviation", {"what": what})
            elif failure and not attempt.is_red:
                later = self.tries[position + 1 :]
                resolved = any(each.result() == "PASS" or each.passed(failure.text("step")) for each in later)
                known = attempt.entry()
                cause = known.text("hypothesis") or known.text("error_summary")
                fields = {"stage": stage, "attempt": attempt.number, "error_type": known.text("error_type")}
                fields |= {"cause": cause, "action": known.text("recovery"), "resolved": resolved}
                yield log_row("failure", fields, failure.line)


class _LogDraft:
    """A log while its events come in."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.stages: dict[int, _StageDraft] = {}
        self.owned: list[int] = []
        self.commits: list[Entry] = []
        self.owner: dict[str, _Try] = {}  # the attempt a hypothesis belongs to
        self.ended = False
        self.crash = ""
        for entry in entries:
            self._take(entry)
        for number in self.owned:
            self.stages.setdefault(number, _StageDraft(number))

    def _stage(self, entry: Entry) -> _StageDraft:
        number = entry.number("stage") or 0
        return self.stages.setdefault(number, _StageDraft(number, line=entry.line))

    def _last_try(self, entry: Entry) -> _Try:
        tries = self._stage(entry).tries
        if not tries:
            tries.append(_Try(1, Entry("attempt", {}, line=entry.line)))
        return tries[-1]

    def _take(self, entry: Entry) -> None:
        match entry.event:
            case "start":
                self.ended, self.crash = False, ""
                self.owned += entry.numbers("stages")
            case "stage_start":
                self._stage(entry).title = entry.text("title")
            case "attempt":
                tries = self._stage(entry).tries
                tries.append(_Try(len(tries) + 1, entry))
            case "result":
                self._last_try(entry).steps.append(entry)
            case "test":
                self._last_try(entry).tests.append(entry)
            case "hypothesis":
                attempt = self.owner[entry.text("id")] = self._last_try(entry)
                attempt.say("hypothesis", f"{entry.text('id')}: {entry.text('description')}")
                attempt.hypothesis_line = attempt.hypothesis_line or entry.line
            case "evidence" | "recovery" if entry.text("hypothesis_id") in self.owner:
                known = entry.text("text") or entry.text("action")
                self.owner[entry.text("hypothesis_id")].say(entry.event, f"{entry.text('hypothesis_id')}: {known}")
            case "note" if entry.number("stage") is not None:
                self._last_try(entry).say("notes", entry.text("text"))
            case "commit":
                self.commits.append(self._commit(entry))
            case "crash":
                self.crash = entry.text("error")
            case "complete":
                self.ended, self.crash = True, ""

    def _commit(self, entry: Entry) -> Entry:
        """A commit with the stages as they stand."""
        tests = ", ".join(f"stage{number}={stage.status()}" for number, stage in sorted(self.stages.items()))
        steps = [step for stage in self.stages.values() for attempt in stage.tries for step in attempt.steps]
        build = next((_status(step) for step in reversed(steps) if step.text("step") == "build"), "NOT RUN")
        return log_row("commit", {**entry.fields, "build": build, "tests": tests}, entry.line)

    def final_status(self) -> str:
        statuses = [stage.status() for stage in self.stages.values()]
        passed = statuses.count("PASS")
        if statuses and passed == len(statuses) and self.ended:
            return "SUCCESS"
        end = "" if self.ended else " (the run crashed)" if self.crash else " (the run has not ended)"
        return ("PARTIAL" if passed else "FAILED") + end


def compute_log(trail: Trail) -> ExecutionLog:
    """The execution log computed from a trail of breadcrumbs."""
    entries = trail.entries
    draft = _LogDraft(entries)
    stages = [draft.stages[number] for number in sorted(draft.stages)]
    known = by_event(log_row(each.event, each.fields, each.line) for each in entries if each.event in _ROWS)
    rows = [row for event, each in known.items() for row in (_last_of(event, each) if event in _LAST else each)]
    rows += _sync_rows(entries)
    rows += [row for stage in stages for row in stage.rows()]
    rows += _buffer_deviations(by_event(rows))
    rows += draft.commits
    rows += _summary(draft, stages, trail)
    log = ExecutionLog(_metadata(draft, stages, entries), tuple(each.record() for each in stages), by_event(rows))
    return dataclasses.replace(log, prose=tuple(_prose(log)), parts=frozenset(PARTS))


def _prose(log: ExecutionLog) -> Iterator[Said]:
    """Sentences: written notes and hypotheses, and messages of programs."""
    for _, attempt in log.attempts:
        for name in ("error_summary", "hypothesis", "evidence", "recovery", "notes"):
            yield Said(attempt.text(name), attempt.line_of(name))
    for event in ("denial", "handoff", "note"):
        yield from (Said(row.text("text"), row.line) for row in log.of(event))


def _metadata(draft: _LogDraft, stages: Sequence[_StageDraft], entries: Sequence[Entry]) -> dict[str, Said]:
    starts = [each for each in entries if each.event == "start"]
    start = starts[-1] if starts else Entry("start", {})
    files = start.fields.get("input_files")
    facts = {
        **{name: start.text(name) for name in ("operation", "agent")},
        "stages": ", ".join(str(each.number) for each in stages),
        "date": entries[0].time[:10] if entries else "",
        "inputs": ", ".join(files) if isinstance(files, list) else "",
        "predecessor": start.text("predecessor"),
        "status": draft.final_status(),
        "attempts": str(sum(len(each.tries) for each in stages)),
        "commit": draft.commits[-1].text("sha") if draft.commits else "",
    }
    return {name: Said(text, start.line) for name, text in facts.items() if text}


def _last_of(event: str, rows: Iterable[Entry]) -> Iterable[Entry]:
    """The last word on each circular buffer or file; what was created here stays created."""
    found: dict[str, Entry] = {}
    for row in rows:
        key = row.text(_LAST[event])
        created = key in found and found[key].text("change") == "created"
        found[key] = Entry(event, {**row.fields, "change": "created"}, line=row.line) if created else row
    return found.values()


def _sync_rows(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Pages counted in a run. A buffer that was configured and never ran is NOT RUN."""
    rows = {
        each.text("index"): each for event in ("cb_config", "cb_sync_check") for each in entries if each.event == event
    }
    for index, row in rows.items():
        if row.event == "cb_config":
            yield Entry("cb_sync_check", {"index": index, **dict.fromkeys(("push", "pop", "balanced"), "NOT RUN")})
            continue
        balanced = "YES" if row.text("push") == row.text("pop") else "NO"
        balanced = "KEPT" if row.fields.get("kept") is True else balanced
        yield log_row("cb_sync_check", {**row.fields, "kept": None, "balanced": balanced}, row.line)


def _buffer_deviations(rows: Mapping[str, Sequence[Entry]]) -> list[Entry]:
    """Where the buffers leave their requirements and counts; or the statement that they do not, if that was checked."""
    required = {row.text("index"): row for row in rows.get("cb_requirement", ())}
    configured = {row.text("index"): row for row in rows.get("cb_config", ())}
    found = [what for _, what in differences(required, configured)]
    for row in rows.get("cb_sync_check", ()):
        if row.text("balanced") == "NO":
            found.append(f"{row.text('index')} is not balanced: pushed {row.text('push')}, popped {row.text('pop')}")
        if row.text("index") not in configured:
            found.append(f"{row.text('index')} is used and not configured")
    if found:
        return [Entry("deviation", {"what": what}) for what in found]
    text = f"None: all {len(configured)} CBs have the pages the specification asks for."
    return [Entry("denial", {"text": text})] if required and configured else []


def _summary(draft: _LogDraft, stages: Sequence[_StageDraft], trail: Trail) -> Iterator[Entry]:
    notes = [each for each in trail.entries if each.event == "note" and each.number("stage") is None]
    lines = [
        *((f"Stage {stage.number}: {stage.status()}", stage.line) for stage in stages),
        *((each.text("text"), each.line) for each in notes),
        *([(f"The run crashed: {draft.crash}", 0)] if draft.crash else []),
        *((f"Line {each.line} of the breadcrumbs could not be read: {each.text}", 0) for each in trail.problems),
    ]
    yield from (Entry("note", {"text": text}, line=line) for text, line in lines)
