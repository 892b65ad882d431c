# SPDX-License-Identifier: Apache-2.0
"""Verdicts on claims: the evidence of all launches of a script, in words, as JSON and as SARIF."""

from __future__ import annotations

import collections
import dataclasses
import difflib
import enum
import functools
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tilewright import __version__
from tilewright._rules import RULES
from tilewright.check._claim_observer import ClaimedLaunch, Evidence
from tilewright.check._claims import ANY_RULE, Claim
from tilewright.check._finding import Core, some_cores
from tilewright.check._sarif import SARIF_SCHEMA, sarif_location


class ClaimVerdict(enum.Enum):
    """Verdict of a script's launches on a claim."""

    CONFIRMED = "confirmed"  # a schedule shows it
    REFUTED = "refuted"  # a call orders it: without the call the rule shows at that line
    NOT_SHOWN = "not shown"  # the line is reached, no schedule shows it, and no single call explains why
    NOT_REACHED = "not reached"  # no core executes the line
    NOT_JUDGED = "not judged"  # the reason says why


_INDENT: Any = {"initial_indent": "  ", "subsequent_indent": "  ", "break_on_hyphens": False}
_KINDS = {
    ClaimVerdict.CONFIRMED: "fail",
    ClaimVerdict.REFUTED: "pass",
    ClaimVerdict.NOT_SHOWN: "review",
    ClaimVerdict.NOT_REACHED: "notApplicable",
    ClaimVerdict.NOT_JUDGED: "open",
}


@dataclasses.dataclass(frozen=True)
class JudgedClaim:
    """A claim, the verdict and why."""

    claim: Claim
    verdict: ClaimVerdict
    reason: str
    reached: int
    cores: tuple[Core, ...]
    evidence: Evidence | None

    def text(self, width: int = 80) -> str:
        """The verdict as text."""
        lines = [f"{self.verdict.value}  {self.claim.place}  {self.claim.rule}"]
        if self.reached:
            times = "once" if self.reached == 1 else f"{self.reached:,} times"
            lines += textwrap.wrap(f"reached {times} {some_cores(self.cores)}", width, **_INDENT)
        return "\n".join([*lines, *textwrap.wrap(self.reason, width, **_INDENT)])

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        finding = self.evidence.finding if self.evidence else None
        ordered = self.evidence.ordered_by if self.evidence else None
        return {
            "file": self.claim.file,
            "line": self.claim.line,
            "rule": self.claim.rule,
            "verdict": self.verdict.value,
            "reason": self.reason,
            "reached": self.reached,
            "cores": [list(core) for core in self.cores],
            "schedules": self.evidence.schedules + self.evidence.late if self.evidence else 0,
            "finding": None if finding is None else finding.as_dict(),
            "ordered_by": None
            if ordered is None
            else {**dataclasses.asdict(ordered.place), "call": ordered.call, "rule": ordered.without.rule},
        }


def judge_claims(claims: Sequence[Claim], launches: Sequence[ClaimedLaunch]) -> list[JudgedClaim]:
    """The verdict on each claim, in the order of the claims."""
    by_claim: dict[int, list[Evidence]] = collections.defaultdict(list)
    for launch in launches:
        for each in launch.evidence:
            by_claim[each.claim].append(each)
    return [_judged(claim, by_claim[number], bool(launches)) for number, claim in enumerate(claims)]


def _judged(claim: Claim, evidence: list[Evidence], anything_ran: bool) -> JudgedClaim:
    counts: dict[Core, int] = collections.Counter()
    for each in evidence:
        for core, count in each.counts.items():
            counts[core] += count
    cores = tuple(sorted(counts, key=lambda core: (core[1], core[0])))
    best = next((each for each in evidence if each.finding is not None), None)
    best = best or next((each for each in evidence if each.ordered_by is not None), None)
    best = best or next((each for each in evidence if each.counts), None) or (evidence[0] if evidence else None)
    verdict, reason = _verdict(claim, best, sum(counts.values()), anything_ran)
    return JudgedClaim(claim, verdict, reason, sum(counts.values()), cores, best)


def _verdict(claim: Claim, best: Evidence | None, reached: int, anything_ran: bool) -> tuple[ClaimVerdict, str]:
    if not claim.line:
        return ClaimVerdict.NOT_JUDGED, "the claim names no file and line"
    if not anything_ran:
        return ClaimVerdict.NOT_JUDGED, "no launch ran"
    if best is not None and best.finding is not None:
        return ClaimVerdict.CONFIRMED, _confirmed(claim, best)
    length = num_lines(best.path if best is not None else claim.file)
    if length is not None and claim.line > length:
        return ClaimVerdict.NOT_JUDGED, f"the file has {length} lines"
    if best is None:
        return ClaimVerdict.NOT_REACHED, "no kernel that was launched is made from this file"
    if not best.has_code:
        return ClaimVerdict.NOT_REACHED, (
            "the line has no code in the kernels that were launched: a comment, a declaration, or left out by #if or a "
            "template"
        )
    if not reached:
        return ClaimVerdict.NOT_REACHED, "kernels with this line were launched, and no core executes it"
    near = f"; the checker has {best.near.rule} at this line" if best.near is not None else ""
    if not claim.meant:
        return ClaimVerdict.NOT_JUDGED, f"{_unknown(claim.rule)}{near}"
    if best.ordered_by is not None:
        call = best.ordered_by
        return ClaimVerdict.REFUTED, (
            f"ordered by {call.call} at {call.place}: without that call the checker has {call.without.rule} at this "
            f"line; {_schedules(best)}"
        )
    return (
        ClaimVerdict.NOT_SHOWN,
        f"{_schedules(best)}, and no single synchronising call of the program orders it{near}",
    )


def _confirmed(claim: Claim, best: Evidence) -> str:
    assert best.finding is not None
    finding = best.finding
    late = f", in a schedule in which kernels reach {claim.place} late" if best.late else ""
    seed = f", with seed {finding.seed}" if finding.seed else ""
    other = f"; other place: {finding.related}" if finding.related is not None else ""
    rule = "" if finding.rule == claim.rule else f"{finding.rule}: "
    return f"{rule}{' '.join(finding.numbers.split())}{seed}{late}{other}"


def _schedules(best: Evidence) -> str:
    if not best.order_matters:
        return "no schedule can change what kernels see: every circular buffer has one producer and one consumer"
    late = f", {best.late} of them with kernels that reach the line late" if best.late else ""
    return f"it does not show in {best.schedules + best.late} schedules{late}"


@functools.lru_cache(maxsize=4096)
def _unknown(rule: str) -> str:
    near = difflib.get_close_matches(rule, RULES, 1, 0.7)
    meant = f"is {near[0]} meant? " if near else ""
    return f"{rule} is no rule of the checker; {meant}give --claim-rule {rule}=RULE, or ={ANY_RULE}"


@functools.lru_cache(maxsize=4096)
def num_lines(path: str) -> int | None:
    """Lines of a file; None where there is none of this name."""
    try:
        return len(Path(path).read_text("utf8", "replace").splitlines())
    except (OSError, ValueError):
        return None


def sarif_of_claims(judged: Sequence[JudgedClaim]) -> dict[str, Any]:
    """A SARIF log with a result for each claim, in their order: its rule, its place, and the verdict as ``kind``."""
    driver = {"name": "tilewright", "version": __version__, "rules": []}
    return {
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": [_result(each) for each in judged]}],
    }


def _result(judged: JudgedClaim) -> dict[str, Any]:
    claim = judged.claim
    says = judged.as_dict()
    result: dict[str, Any] = {
        "ruleId": claim.rule,
        "kind": _KINDS[judged.verdict],
        "level": "error" if judged.verdict is ClaimVerdict.CONFIRMED else "none",
        "message": {"text": f"{judged.verdict.value}: {judged.reason}"},
        "properties": {
            "verdict": judged.verdict.value,
            "claim": claim.message,
            "reached": judged.reached,
            "cores": [f"({x},{y})" for x, y in judged.cores],
            "schedules": says["schedules"],
            "orderedBy": says["ordered_by"],
        },
    }
    if claim.line:
        region = {"startLine": claim.line, **({"endLine": claim.last_line} if claim.last_line > claim.line else {})}
        result["locations"] = [{"physicalLocation": {"artifactLocation": {"uri": _uri(claim.file)}, "region": region}}]
    related = []
    if judged.evidence is not None and judged.evidence.ordered_by is not None:
        place = judged.evidence.ordered_by.place
        related.append((place.path, place.line))
    if judged.evidence is not None and judged.evidence.finding is not None and judged.evidence.finding.related:
        related.append((judged.evidence.finding.related.path, judged.evidence.finding.related.line))
    if related:
        result["relatedLocations"] = [{"id": id, **sarif_location(*each)} for id, each in enumerate(related, 1)]
    return result


def _uri(file: str) -> str:
    return Path(file).as_uri() if file.startswith("/") else quote(file)
