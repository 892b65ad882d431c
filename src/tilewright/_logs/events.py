# SPDX-License-Identifier: Apache-2.0
"""The events of a run and the tables of an execution log: one schema for breadcrumbs, reading and rendering."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tilewright._errors import TilewrightError

FINAL_STATUSES = ("SUCCESS", "PARTIAL", "FAILED")
STATUSES = ("PASS", "FAIL", "HANG", "PARTIAL", "NEEDS_VERIFICATION", "SKIPPED", "NOT RUN")
CONFIDENCES = ("HIGH", "MEDIUM", "LOW")
DIRECTIVES = ("USE HELPER", "NO HELPER")
STEPS = ("build", "kernel compilation", "execution")
ERROR_TYPES = (
    *("build_error", "compilation_error", "test_fail", "test_timeout", "wrong_output", "numerical_mismatch"),
    *("shape_mismatch", "runtime_error", "watcher_assert", "hang", "hang_cb_deadlock", "hang_noc_error"),
    *("hang_unknown", "other"),
)

_WORDS = {
    **{"confidence": CONFIDENCES, "directive": DIRECTIVES, "phase": ("RED", "GREEN"), "step": STEPS},
    **{"status": STATUSES, "error": ERROR_TYPES, "change": ("created", "modified")},
}

# The fields of each event: text unless a kind follows (``:int``) or a list of words (``=status``); ``!`` is required.
_EVENTS = """
start operation! agent! stages:ints! predecessor input_files:texts
input_parse field! value! confidence=confidence! source notes
cb_requirement index! num_pages! page_size purpose block_size producer consumer
cb_config index! num_pages! page_size! name data_format purpose source
cb_sync_check index! push! pop! producer consumer kept:bool
work_distribution parameter! value! source
kernel_implemented kernel! file! reads writes function
stage_start stage:int! title!
attempt stage:int! action! phase=phase expected
result stage:int! step=step! status=status! error_type=error error_summary
test stage:int! name! result=status! notes
hypothesis id! stage:int! description! confidence=confidence
evidence hypothesis_id! text!
recovery hypothesis_id! action! file
note text! stage:int
deviation what! why impact
design_compliance phase! directive=directive! implementation! compliant:bool!
artifact path! change=change! lines:int notes
commit sha! message! files
handoff text!
crash error! traceback
complete
"""

# The tables of a log: the column of each field and its other names. Columns with a star identify the table.
_TABLES = """
input_parse; field=Field*; value=Value*; confidence=Confidence*; source=Source; notes=Notes
cb_requirement; index=CB*|ID; purpose=Purpose; num_pages=Capacity*; page_size=Page size; block_size=Block size;\
 producer=Producer; consumer=Consumer
cb_config; index=Index|CB; name=Name|CB ID; page_size=Page size*; num_pages=Num pages*;\
 data_format=Data format|Data type; purpose=Purpose; source=Source; notes=Notes
cb_sync_check; index=CB*; producer=Producer; push=Push*; consumer=Consumer; pop=Pop*; balanced=Balanced|Status
kernel_implemented; kernel=Kernel*; file=File*; reads=CB in; writes=CB out; function=Function
work_distribution; parameter=Parameter*; value=Value*; source=Source
design_compliance; phase=Phase*; directive=Directive*; implementation=Implementation; compliant=Compliant*
test; stage=Stage; name=Test*; result=Status|Result*; notes=Notes|Description
failure; stage=Stage*; attempt=Attempt; error_type=Error type*; cause=Root cause|Error summary;\
 action=Recovery action|Fix applied; resolved=Resolved|Result
deviation; what=What|Deviation*; why=Why|Reason; impact=Impact
artifact; path=File*; change=Change*; lines=Lines; notes=Notes
commit; sha=Commit*; message=Message*; files=Files; build=Build; tests=Tests
"""
TABLES: Mapping[str, Mapping[str, str]] = {
    event: dict(field.strip().split("=") for field in fields)
    for event, *fields in (line.split(";") for line in _TABLES.split("\n") if line)
}

# The fields of an attempt in the timeline.
ATTEMPT_FIELDS = {
    **{"action": "Action", "expected": "Expected", "actual": "Actual", "result": "Result"},
    **{step: step.capitalize() for step in STEPS},
    **{"error_type": "Error type", "error_summary": "Error summary", "hypothesis": "Root cause hypothesis"},
    **{"evidence": "Evidence", "recovery": "Recovery action", "notes": "Notes"},
}


class BreadcrumbError(TilewrightError):
    """An event or a field outside the schema."""

    exit_status = 2


@dataclass(frozen=True)
class Said:
    """A piece of text and its line. Lines take no part in comparisons."""

    text: str
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Entry:
    """One event of a run, or one row of a log. ``lines`` are those of single fields that have their own."""

    event: str
    fields: Mapping[str, object]
    time: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)
    lines: Mapping[str, int] = field(default_factory=dict, compare=False)

    def text(self, name: str) -> str:
        """A field as text, '' if it is missing."""
        value = self.fields.get(name)
        return "" if value is None else str(value)

    def number(self, name: str) -> int | None:
        """A field that is a number, None if it is missing."""
        value = self.text(name)
        return int(value) if value.isdecimal() else None

    def numbers(self, name: str) -> list[int]:
        """A field that is a list of numbers, empty if it is missing."""
        value = self.fields.get(name)
        return value if isinstance(value, list) else []

    def line_of(self, name: str) -> int:
        return self.lines.get(name, self.line)


@dataclass(frozen=True)
class EventField:
    """Allowed values of a field of an event."""

    required: bool
    wanted: str
    fits: Callable[[object], bool]


_KINDS: dict[str, tuple[str, Callable[[object], bool]]] = {
    "": ("text", lambda value: isinstance(value, str)),
    "int": ("a whole number", lambda value: type(value) is int),
    "bool": ("true or false", lambda value: isinstance(value, bool)),
    "texts": ("a list of texts", lambda value: isinstance(value, list) and {*map(type, value)} <= {str}),
    "ints": ("a list of whole numbers", lambda value: isinstance(value, list) and {*map(type, value)} <= {int}),
}


def _event_field(notation: str) -> tuple[str, EventField]:
    name, _, words = notation.rstrip("!").partition("=")
    name, _, kind = name.partition(":")
    wanted, fits = _KINDS[kind]
    if words:
        wanted, fits = f"one of {', '.join(_WORDS[words])}", _WORDS[words].__contains__
    return name, EventField(notation.endswith("!"), wanted, fits)


EVENTS: Mapping[str, Mapping[str, EventField]] = {
    event: dict(map(_event_field, fields)) for event, *fields in (line.split() for line in _EVENTS.split("\n") if line)
}


def check_event(event: str, fields: Mapping[str, object]) -> None:
    """Raise :class:`BreadcrumbError` unless the event exists, has its required fields and no others."""
    if event not in EVENTS:
        raise BreadcrumbError(f"breadcrumb event {event!r} does not exist; there are {', '.join(sorted(EVENTS))}")
    known = EVENTS[event]
    for name, value in fields.items():
        if name not in known:
            raise BreadcrumbError(f"breadcrumb {event!r} has no field {name!r}; it has {', '.join(known) or 'none'}")
        if not known[name].fits(value):
            raise BreadcrumbError(f"breadcrumb {event!r}: {name} is {value!r}; it must be {known[name].wanted}")
    missing = [name for name, each in known.items() if each.required and name not in fields]
    if missing:
        raise BreadcrumbError(f"breadcrumb {event!r} needs {', '.join(missing)}")


def log_row(event: str, fields: Mapping[str, object], line: int = 0, lines: Mapping[str, int] | None = None) -> Entry:
    """A row of a log: every field as text, empty ones left out."""
    words = {None: "", True: "YES", False: "NO"}
    texts = {
        name: words[value] if value is None or isinstance(value, bool) else str(value) for name, value in fields.items()
    }
    return Entry(event, {name: text for name, text in texts.items() if text}, line=line, lines=lines or {})
