# SPDX-License-Identifier: Apache-2.0
"""The execution log of an operation: its breadcrumbs, and what can be read from its files at any time."""

from __future__ import annotations

import dataclasses
import datetime
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tilewright.device.errors import TilewrightError
from tilewright.logs.breadcrumbs import Breadcrumbs, Crumb, Trail
from tilewright.logs.computing import compute_log
from tilewright.logs.model import ExecutionLog
from tilewright.workshop.home import Home
from tilewright.workshop.spec.model import Spec

# Facts that are told again by every run: the last word counts.
_KEYS = {"work_distribution": "parameter", "kernel_implemented": "kernel", "design_compliance": "phase"}
_MOST_COMMITS = 50


class NothingRunError(TilewrightError):
    """There are no breadcrumbs to make a log of."""


def operation_log(home: Home) -> ExecutionLog:
    """The log as of now.

    Raises:
        NothingRunError: nothing was run yet.
    """
    trail = Breadcrumbs(home.breadcrumbs).read()
    if not trail.crumbs:
        raise NothingRunError(f"nothing of {home.name} was run yet; `tilewright stages {home.name}` runs its stages")
    spec = home.spec()
    told = _with_commits(list(_last_words(trail.crumbs)), list(_commits(home)))
    crumbs = (*told, *_inputs(spec), *_artifacts(home), *_phase_deviations(told))
    log = compute_log(Trail(crumbs, trail.problems))
    whole = compute_log(Trail((*crumbs, *_handoff(log)), trail.problems))
    # That the buffers are as they should be is no "none" where phases are not.
    return dataclasses.replace(whole, denials=()) if whole.deviations else whole


def _last_words(crumbs: tuple[Crumb, ...]) -> Iterator[Crumb]:
    last = {(each.event, each.text(_KEYS[each.event])): each for each in crumbs if each.event in _KEYS}
    for crumb in crumbs:
        if crumb.event not in _KEYS or last[crumb.event, crumb.text(_KEYS[crumb.event])] is crumb:
            yield crumb


def _inputs(spec: Spec) -> Iterator[Crumb]:
    """What the spec says, read and not interpreted: confidence is high."""
    entries = [
        ("operation", spec.name, spec.place.of("name")),
        ("formula", spec.formula, spec.place.of("formula")),
        ("output", f"shape {spec.output.shape}, dtype {spec.output.dtype}", spec.output.place.line),
        ("circular buffers", str(len(spec.buffers)), spec.buffers[0].place.line),
        ("phases", ", ".join(each.name for each in spec.phases), spec.phases[0].place.line),
        ("work", f"{spec.work.unit}, {spec.work.count}", spec.work.place.line),
        ("test cases", str(len(spec.tests)), spec.tests[0].place.line),
    ]
    entries += [
        (f"parameter {each.name}", f"{each.default} ({each.range})", each.place.line) for each in spec.parameters
    ]
    entries += [(f"vector {each.name}", each.rule, each.place.line) for each in spec.vectors]
    for name, value, line in entries:
        fields = {"field": name, "value": value, "confidence": "HIGH", "source": f"spec.toml:{line}"}
        yield Crumb("input_parse", fields)


def _artifacts(home: Home) -> Iterator[Crumb]:
    for path in sorted(home.directory.rglob("*")):
        parts = path.relative_to(home.directory).parts
        if path.suffix in (".py", ".toml") and not any(part.startswith((".", "__pycache__")) for part in parts):
            lines = len(path.read_text(encoding="utf-8", errors="replace").splitlines())
            yield Crumb("artifact", {"path": str(Path(home.name, *parts)), "change": "created", "lines": lines})


def _commits(home: Home) -> Iterator[Crumb]:
    """The history of the user's directory; none without git."""
    if home.is_built_in:
        return
    form = "--format=%ct%x09%h%x09%s"
    command = ["git", "-C", str(home.directory), "log", form, "--reverse", f"-{_MOST_COMMITS}", "--", "."]
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return
    for line in result.stdout.splitlines() if result.returncode == 0 else ():
        seconds, sha, message = line.split("\t", 2)
        when = datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc)
        yield Crumb("commit", {"sha": sha, "message": message}, when.isoformat(timespec="milliseconds"))


def _with_commits(crumbs: list[Crumb], commits: list[Crumb]) -> list[Crumb]:
    """A commit stands where it was made: what ran later says nothing about it."""
    told = list(crumbs)
    for commit in commits:
        place = next((at for at, each in enumerate(told) if each.time > commit.time), len(told))
        told.insert(place, commit)
    return told


def _phase_deviations(crumbs: list[Crumb]) -> Iterator[Crumb]:
    """Phases that are not what the spec calls."""
    for crumb in crumbs:
        if crumb.event == "design_compliance" and not crumb.fields["compliant"]:
            what = f"phase {crumb.text('phase')} is not what the specification calls: {crumb.text('implementation')}"
            yield Crumb("deviation", {"what": what})


def _handoff(log: ExecutionLog) -> Iterator[Crumb]:
    """What is done and what is next, as the stages stand."""
    passed = [each.number for each in log.stages if each.status and each.status.text == "PASS"]
    if passed:
        yield Crumb("handoff", {"text": f"Stages that pass: {', '.join(map(str, passed))}."})
    for stage in log.stages:
        status = stage.status.text if stage.status else ""
        if status in ("FAIL", "HANG") and stage.attempts:
            said = stage.attempts[-1].error_summary
            yield Crumb("handoff", {"text": f"Stage {stage.number} is next: {status}{': ' + said if said else ''}"})
            return
