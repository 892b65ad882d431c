# SPDX-License-Identifier: Apache-2.0
"""The execution log of a run, computed from its breadcrumbs.

Statuses, attempts, recoveries, deviations and counts follow from what was recorded, so the log cannot claim what
was not run: a stage without a passing test has not passed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tilewright._logs.amounts import Amount, PageFlow, same_pages
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
    *("design_compliance", "artifact", "handoff", "upstream_feedback", "instruction_improvement"),
)
# Of these the last row with one index or path counts.
_LAST = {"cb_requirement": "index", "cb_config": "index", "artifact": "path"}


def _status(entry: Entry) -> str:
    return entry.text("status") or entry.text("result")


@dataclass
class _Try:
    """One attempt while its events come in."""

    number: int
    begin: Entry
    steps: list[Entry] = field(default_factory=list)
    tests: list[Entry] = field(default_factory=list)
    said: dict[str, list[str]] = field(default_factory=dict)
    hypothesis_line: int = 0

    @property
    def is_red(self) -> bool:
        return self.begin.text("phase") == "RED"

    def say(self, name: str, text: str) -> None:
        self.said.setdefault(name, []).append(text)

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

    def entry(self) -> Entry:
        """The attempt as the log has it."""
        failure = self.failure()
        decisive = failure or next(reversed((*self.steps, *self.tests)), self.begin)
        fields = {
            "action": self.begin.text("action"),
            "expected": self.begin.text("expected"),
            "actual": "\n".join(f"{_status(test)} {test.text('name')}" for test in self.tests),
            "result": self.result(),
            **{step.text("step"): _status(step) for step in self.steps},
            "error_type": self._error_type(failure) if failure else "",
            "error_summary": (failure.text("error_summary") or failure.text("notes")) if failure else "",
            **{name: "\n".join(texts) for name, texts in self.said.items()},
        }
        kept = {name: fields.get(name) for name in ATTEMPT_FIELDS}
        lines = {"result": decisive.line, "hypothesis": self.hypothesis_line}
        lines |= {step.text("step"): step.line for step in self.steps}
        if failure:
            lines |= {"error_type": failure.line, "error_summary": failure.line}
        numbered = {"number": str(self.number), "phase": self.begin.text("phase")}
        return log_row("attempt", {**numbered, **kept}, self.begin.line, lines)

    def _error_type(self, failure: Entry) -> str:
        named = next((step.text("error_type") for step in self.steps if step.text("error_type")), "")
        return named or ("hang" if _status(failure) == "HANG" else _ERROR_TYPES[failure.text("step") or "execution"])


@dataclass
class _StageDraft:
    number: int
    title: str = ""
    line: int = 0
    tries: list[_Try] = field(default_factory=list)

    def tests(self) -> dict[str, tuple[Entry, int]]:
        """The last result of each test, and the attempt it is from. RED attempts do not count."""
        meant = [attempt for attempt in self.tries if not attempt.is_red]
        return {test.text("name"): (test, attempt.number) for attempt in meant for test in attempt.tests}

    def status(self) -> str:
        meant = [attempt for attempt in self.tries if not attempt.is_red]
        last = meant[-1].result() if meant else "NOT RUN"
        if last in _FAILED:
            return last
        results = [_status(test) for test, _ in self.tests().values()]
        failed = [result for result in results if result in _FAILED]
        if failed:
            return failed[0]
        if "PASS" in results:
            return "PASS"
        return "NOT RUN" if last == "NOT RUN" else "NEEDS_VERIFICATION"

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
            if attempt.is_red and attempt.result() not in _FAILED:
                what = f"stage {stage}: RED attempt {attempt.number} ended {attempt.result()}, not FAIL"
                yield Entry("deviation", {"what": what})
            failure = attempt.failure()
            if failure and not attempt.is_red:
                yield self._failurelog_row(attempt, failure, self.tries[position + 1 :])

    def _failurelog_row(self, attempt: _Try, failure: Entry, later: Sequence[_Try]) -> Entry:
        resolved = any(each.result() == "PASS" or each.passed(failure.text("step")) for each in later)
        told = attempt.entry()
        fields = {
            "stage": str(self.number),
            "attempt": str(attempt.number),
            "error_type": told.text("error_type"),
            "cause": told.text("hypothesis") or told.text("error_summary"),
            "action": told.text("recovery"),
            "resolved": "YES" if resolved else "NO",
        }
        return log_row("failure", fields, failure.line)


class _Draft:
    """A log while its events come in."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.stages: dict[int, _StageDraft] = {}
        self.owned: list[int] = []
        self.commits: list[Entry] = []
        self.owner: dict[str, _Try] = {}  # the attempt a hypothesis belongs to
        self.ended = False
        self.crash = ""
        for entry in entries:
            take = getattr(self, f"_take_{entry.event}", None)
            if take:
                take(entry)
        for number in self.owned:
            self.stages.setdefault(number, _StageDraft(number))

    def _stage(self, entry: Entry) -> _StageDraft:
        number = entry.number("stage") or 0
        return self.stages.setdefault(number, _StageDraft(number, line=entry.line))

    def _last_try(self, entry: Entry) -> _Try:
        stage = self._stage(entry)
        if not stage.tries:
            stage.tries.append(_Try(1, Entry("attempt", {}, line=entry.line)))
        return stage.tries[-1]

    def _take_start(self, entry: Entry) -> None:
        self.ended, self.crash = False, ""
        stages = entry.fields.get("stages")
        self.owned += stages if isinstance(stages, list) else []

    def _take_stage_start(self, entry: Entry) -> None:
        self._stage(entry).title = entry.text("title")

    def _take_attempt(self, entry: Entry) -> None:
        tries = self._stage(entry).tries
        tries.append(_Try(len(tries) + 1, entry))

    def _take_result(self, entry: Entry) -> None:
        self._last_try(entry).steps.append(entry)

    def _take_test(self, entry: Entry) -> None:
        self._last_try(entry).tests.append(entry)

    def _take_hypothesis(self, entry: Entry) -> None:
        attempt = self.owner[entry.text("id")] = self._last_try(entry)
        attempt.say("hypothesis", f"{entry.text('id')}: {entry.text('description')}")
        attempt.hypothesis_line = attempt.hypothesis_line or entry.line

    def _take_evidence(self, entry: Entry) -> None:
        self._say_about(entry, "evidence", entry.text("text"))

    def _take_recovery(self, entry: Entry) -> None:
        self._say_about(entry, "recovery", entry.text("action"))

    def _say_about(self, entry: Entry, name: str, text: str) -> None:
        hypothesis = entry.text("hypothesis_id")
        if hypothesis in self.owner:
            self.owner[hypothesis].say(name, f"{hypothesis}: {text}")

    def _take_note(self, entry: Entry) -> None:
        if entry.number("stage") is not None:
            self._last_try(entry).say("notes", entry.text("text"))

    def _take_commit(self, entry: Entry) -> None:
        tests = ", ".join(f"stage{number}={stage.status()}" for number, stage in sorted(self.stages.items()))
        steps = [step for stage in self.stages.values() for attempt in stage.tries for step in attempt.steps]
        build = next((_status(step) for step in reversed(steps) if step.text("step") == "build"), "NOT RUN")
        self.commits.append(log_row("commit", {**entry.fields, "build": build, "tests": tests}, entry.line))

    def _take_crash(self, entry: Entry) -> None:
        self.crash = entry.text("error")

    def _take_complete(self, _entry: Entry) -> None:
        self.ended, self.crash = True, ""


def compute_log(trail: Trail) -> ExecutionLog:
    """The execution log of what a trail of breadcrumbs tells."""
    entries = trail.entries
    draft = _Draft(entries)
    stages = [draft.stages[number] for number in sorted(draft.stages)]
    told = by_event(log_row(each.event, each.fields, each.line) for each in entries if each.event in _ROWS)
    rows = [row for event, each in told.items() for row in (_last_of(event, each) if event in _LAST else each)]
    rows += _sync_rows(entries)
    rows += [row for stage in stages for row in stage.rows()]
    rows += _buffer_deviations(by_event(rows))
    rows += draft.commits
    rows += _summary(draft, stages, trail)
    log = ExecutionLog(
        metadata=_metadata(draft, stages, entries),
        stages=tuple(
            StageRecord(
                each.number,
                each.title,
                Said(each.status(), each.line),
                tuple(attempt.entry() for attempt in each.tries),
                each.line,
            )
            for each in stages
        ),
        rows=by_event(rows),
    )
    return ExecutionLog(log.metadata, log.stages, log.rows, tuple(_prose(log)), frozenset(PARTS))


def _prose(log: ExecutionLog) -> Iterator[Said]:
    """What people wrote, and what programs said in their own words."""
    for _, attempt in log.attempts:
        for name in ("error_summary", "hypothesis", "evidence", "recovery", "notes"):
            yield Said(attempt.text(name), attempt.line_of(name))
    for event in ("denial", "handoff", "note"):
        yield from (Said(row.text("text"), row.line) for row in log.of(event))


def _metadata(draft: _Draft, stages: Sequence[_StageDraft], entries: Sequence[Entry]) -> dict[str, Said]:
    starts = [each for each in entries if each.event == "start"]
    start = starts[-1] if starts else Entry("start", {})
    files = start.fields.get("input_files")
    facts = {
        "operation": start.text("operation"),
        "agent": start.text("agent"),
        "stages": ", ".join(str(each.number) for each in stages),
        "date": entries[0].time[:10] if entries else "",
        "inputs": ", ".join(files) if isinstance(files, list) else "",
        "predecessor": start.text("predecessor"),
        "status": _final_status(draft),
        "attempts": str(sum(len(each.tries) for each in stages)),
        "commit": draft.commits[-1].text("sha") if draft.commits else "",
    }
    return {name: Said(text, start.line) for name, text in facts.items() if text}


def _final_status(draft: _Draft) -> str:
    statuses = [stage.status() for stage in draft.stages.values()]
    passed = statuses.count("PASS")
    if statuses and passed == len(statuses) and draft.ended:
        return "SUCCESS"
    end = "" if draft.ended else " (the run crashed)" if draft.crash else " (the run has not ended)"
    return ("PARTIAL" if passed else "FAILED") + end


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
    counted = {each.text("index"): each for each in entries if each.event == "cb_sync_check"}
    configured = [each.text("index") for each in entries if each.event == "cb_config"]
    for index in dict.fromkeys((*configured, *counted)):
        row = counted.get(index)
        if row is None:
            words = dict.fromkeys(("push", "pop", "balanced"), "NOT RUN")
            yield Entry("cb_sync_check", {"index": index, **words})
            continue
        equal = PageFlow.read(row.text("push")).amount == PageFlow.read(row.text("pop")).amount
        balanced = "KEPT" if row.fields.get("kept") is True else "YES" if equal else "NO"
        told = {name: value for name, value in row.fields.items() if name != "kept"}
        yield log_row("cb_sync_check", {**told, "balanced": balanced}, row.line)


def _buffer_deviations(rows: Mapping[str, Sequence[Entry]]) -> list[Entry]:
    """Where the buffers leave their requirements and counts; or the statement that they do not, if that was checked."""
    required = {row.text("index"): row for row in rows.get("cb_requirement", ())}
    configured = {row.text("index"): row for row in rows.get("cb_config", ())}
    found = [*_against_requirements(required, configured), *_by_counting(configured, rows.get("cb_sync_check", ()))]
    if found:
        return [Entry("deviation", {"what": what}) for what in found]
    if required and configured:
        text = f"None: all {len(configured)} CBs have the pages the specification asks for."
        return [Entry("denial", {"text": text})]
    return []


def _against_requirements(required: Mapping[str, Entry], configured: Mapping[str, Entry]) -> Iterator[str]:
    if not configured or not required:
        return
    for index, want in required.items():
        have = configured.get(index)
        if have is None:
            yield f"{index} is required and not configured"
            continue
        pages, wanted = have.text("num_pages"), want.text("num_pages")
        if not same_pages(wanted, pages):
            yield f"{index} has {pages} pages, the specification asks for {wanted}"
        if want.text("page_size") and want.text("page_size") != have.text("page_size"):
            yield f"{index} has pages of {have.text('page_size')}, the specification asks for {want.text('page_size')}"
    for index in configured.keys() - required.keys():
        yield f"{index} is configured and not in the specification"


def _by_counting(configured: Mapping[str, Entry], sync: Sequence[Entry]) -> Iterator[str]:
    for row in sync:
        index, told = row.text("index"), row.text("push")
        if row.text("balanced") == "NO":
            yield f"{index} is not balanced: pushed {told}, popped {row.text('pop')}"
        if index not in configured:
            yield f"{index} is used and not configured"
            continue
        capacity, push = Amount.read(configured[index].text("num_pages")), PageFlow.read(told)
        if capacity and push.amount and push.amount.may_exceed(capacity):
            yield f"{index} has fewer pages than are pushed at a time: {told}"
        elif capacity and push.amount and push.once and capacity.may_exceed(push.amount):
            yield f"{index} has more pages than are ever pushed: {told}"


def _summary(draft: _Draft, stages: Sequence[_StageDraft], trail: Trail) -> Iterator[Entry]:
    lines = [Said(f"Stage {stage.number}: {stage.status()}", stage.line) for stage in stages]
    lines += [
        Said(each.text("text"), each.line)
        for each in trail.entries
        if each.event == "note" and each.number("stage") is None
    ]
    lines += [Said(f"The run crashed: {draft.crash}")] if draft.crash else []
    lines += [Said(f"Line {each.line} of the breadcrumbs could not be read: {each.text}") for each in trail.problems]
    for said in lines:
        yield Entry("note", {"text": said.text}, line=said.line)
