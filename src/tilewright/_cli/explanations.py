# SPDX-License-Identifier: Apache-2.0
"""Everything ``tilewright explain`` knows: rules, errors and their messages, phases, functions of the kernel API, and
for other words the sections of the docs that have them.

Rules and errors are sections of the docs, which lie in the package or beside the sources of a checkout; phases and
functions say it themselves.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from tilewright._build.api_hints import api_headers, declarations
from tilewright._rules import docs_directory, rule_pages
from tilewright._tensor.arch import ARCHS
from tilewright.kernels import phases
from tilewright.kernels._api_table import ENUMERATIONS, FUNCTIONS
from tilewright.kernels._signatures import ApiFunction
from tilewright.kernels.phases import Phase
from tilewright.timing._call_costs import CONDITIONS, cost_of_call

_FEWEST_WORDS = 4  # of a message that is looked for as a whole
_SAME_MESSAGE = 0.6  # share of its words
_LISTS = ("README", "architecture")  # pages that name everything, for those who know where to look
_LONGEST_SUMMARY = 160
_MOST_SECTIONS = 6


@dataclasses.dataclass(frozen=True)
class Explanation:
    """An explanation.

    Attributes:
        kind: rule, error, message, phase or function (of C++ alone: C++ function); or section, of a page of the docs.
        text: Markdown, without the name.
    """

    kind: str
    name: str
    text: str

    @property
    def summary(self) -> str:
        """Its first sentence; of a message, its first line."""
        if self.messages:
            return self.messages[0]
        first = " ".join(self.text.partition("\n\n")[0].split())
        return textwrap.shorten(re.split(r"(?<=\.) ", first)[0], _LONGEST_SUMMARY, placeholder=" ...")

    @property
    def messages(self) -> list[str]:
        """Words that distinguish its messages: places of kernels and counts are left out."""
        shown = re.findall(r"^```text\n([A-Za-z]*Error: .*?)^```$", self.text, re.MULTILINE | re.DOTALL)
        return [line for message in shown for line in _telling_lines(message)] if self.kind != "rule" else []


def _telling_lines(message: str) -> list[str]:
    first, *others = message.rstrip().splitlines()
    subject = re.sub(r"^kernel \w+ on core \S+( at \S+:\d+)?: ", "", first.partition(": ")[2])
    if subject.startswith("deadlock on "):
        return [line for line in others if not line.startswith(" ")]
    if subject.endswith(" things are wrong with this program:"):
        return [re.sub(r"^\d+\. ", "", line) for line in others]
    return [subject]


def every_explanation() -> list[Explanation]:
    """All of them: rules first, functions last."""
    return [
        *_rules(),
        *_errors(),
        *_phases(),
        *(Explanation("function", name, each.summary) for name, each in FUNCTIONS.items()),
    ]


def find(word: str) -> list[Explanation]:
    """The explanation with this name; else everything that has it, or all of its words, in its name or text.

    >>> [each.kind for each in find("cb_wait_front()")]
    ['function']
    """
    wanted = word.strip().rstrip("()").rpartition(".")[2].lower() if " " not in word.strip() else word.strip().lower()
    known = every_explanation()
    exact = [each for each in known if each.name.lower() == wanted]
    if exact:
        return [_complete(each) for each in exact]
    if wanted in api_headers():
        return [_cpp_function(wanted)]
    named = [each for each in known if wanted in each.name.lower()]
    words = word.lower().split()
    having = [each for each in known if all(part in f"{each.name}\n{each.text}".lower() for part in words)]
    return named or having or _nearest_message(words, known) or _sections_about(words)


def _complete(found: Explanation) -> Explanation:
    """With the whole text: that of a function takes a replay of its calls."""
    text = function_text(FUNCTIONS[found.name]) if found.kind == "function" else found.text
    return dataclasses.replace(found, text=text)


def _nearest_message(words: Sequence[str], known: Iterable[Explanation]) -> list[Explanation]:
    """The subject of a whole message, whose names and numbers are those of another program: most words are the same."""
    wanted = {word for word in words if word.isalpha()}
    if len(wanted) < _FEWEST_WORDS:
        return []
    shares = {
        each: max(len(wanted & set(message.lower().split())) for message in each.messages) / len(wanted)
        for each in known
        if each.messages
    }
    best = max(shares, key=lambda each: shares[each])
    return [best] if shares[best] >= _SAME_MESSAGE else []


def _sections_about(words: Sequence[str]) -> list[Explanation]:
    """Sections of other pages that have all of the words, those first that have them in their heading."""
    sections = [
        Explanation("section", f"{page.name}: {title}", text)
        for page in sorted(docs_directory().glob("*.md"), key=lambda page: (page.stem in _LISTS, page.name))
        for title, text in _sections(page.read_text(encoding="utf-8").replace("# ", "## ", 1), "##")
    ]
    having = [each for each in sections if all(part in f"{each.name}\n{each.text}".lower() for part in words)]
    return sorted(having, key=lambda each: not all(part in each.name.lower() for part in words))


def _rules() -> Iterator[Explanation]:
    for page in rule_pages():
        for name, text in _sections(page.read_text(encoding="utf-8"), "##"):
            silence = "" if "\nSilence: " in text else f"\n\nSilence: `// tilewright: allow {name}: reason`"
            yield Explanation("rule", name, text + silence)


def _errors() -> Iterator[Explanation]:
    """The classes, and after each the messages that have a section of their own."""
    for page in ("errors.md", "errors-of-hangs.md"):
        for name, text in _sections((docs_directory() / page).read_text(encoding="utf-8"), "##"):
            head = text.partition("\n### ")[0]
            yield Explanation("error", name, head)
            for title, part in _sections(text, "###"):
                yield Explanation("message", f"{name}: {title}", part)


def _sections(text: str, level: str) -> list[tuple[str, str]]:
    found = re.findall(rf"^{level} ([^\n]+)\n(.*?)(?=^{level} |\Z)", text, re.MULTILINE | re.DOTALL)
    return [(name, section.strip()) for name, section in found]


def _phases() -> Iterator[Explanation]:
    for name in phases.__all__:
        each = getattr(phases, name)
        if isinstance(each, Phase):
            contract = each.contract
            parts = [
                inspect.getdoc(each.function) or "",
                f"`{name}({', '.join(inspect.signature(each.function).parameters)})`",
                _pages("waits for", contract.waits),
                _pages("pops", contract.pops),
                _pages("pushes", contract.pushes),
                f"From tilewright.kernels.phases; the source is {Path(each.path).name}.",
            ]
            yield Explanation("phase", name, "\n\n".join(part for part in parts if part))


def _pages(verb: str, counts: Mapping[str, str]) -> str:
    return f"It {verb}: " + "; ".join(f"{cb}, {count}" for cb, count in counts.items()) + "." if counts else ""


def function_text(function: ApiFunction) -> str:
    """What is known of a function of the kernel API: callers, headers, signatures, modes, cost, pages that name it."""
    who = {
        (True, True): "Any kernel may call it.",
        (True, False): "Compute kernels may call it.",
        (False, True): "Data-movement kernels may call it.",
    }[function.compute_header is not None, function.dataflow_header is not None]
    headers = sorted({each for each in (function.dataflow_header, function.compute_header) if each})
    calls = "\n".join(f"{each.text}  ->  {each.returns}" for each in function.signatures)
    declared = "\n".join(each.cpp for each in function.signatures)
    sections = _sections_with(function.name)
    parts = [
        function.summary,
        who,
        f"Python, from tilewright.kernels.api:\n\n```\n{calls}\n```",
        f"C++, from {' or '.join(headers)}:\n\n```\n{declared}\n```",
        _modes(function),
        _cost(function),
        f"In the docs: {'; '.join(sections)}." if sections else "",
    ]
    return "\n\n".join(filter(None, parts))


def _modes(function: ApiFunction) -> str:
    kinds = {each.kind for form in function.signatures for each in (*form.template, *form.arguments)}
    lines = [
        f"{kind}: {', '.join(each.name for each in ENUMERATIONS[kind])}" for kind in sorted(kinds & {*ENUMERATIONS})
    ]
    return "Values of its modes:\n\n```\n" + "\n".join(lines) + "\n```" if lines else ""


def _cost(function: ApiFunction) -> str:
    kinds = [(True, function.compute_header), (False, function.dataflow_header)]
    costs = {
        arch: [cost_of_call(function.name, arch, is_compute=compute) for compute, header in kinds if header]
        for arch in ARCHS
    }
    lines = [f"{arch:<12} {'; '.join(map(str, filter(None, each)))}" for arch, each in costs.items() if any(each)]
    if not lines:
        return "Cost: the timing model counts nothing for it."
    return f"Cost in the timing model, cycles ({CONDITIONS}):\n\n```\n" + "\n".join(lines) + "\n```"


def _sections_with(name: str) -> list[str]:
    """The first sections of rules and pages that name a function."""
    word = re.compile(rf"\b{name}\b")
    rules = [each.name for each in _rules() if word.search(each.text)]
    pages = [each.name for each in _sections_about([name]) if word.search(each.text)]
    return [*(f"rule {each}" for each in rules), *pages][:_MOST_SECTIONS]


def _cpp_function(name: str) -> Explanation:
    """A function that only C++ kernels have: an older name, or one that Python spells otherwise."""
    forms = "\n".join(declarations(name))
    return Explanation("C++ function", name, f"In C++ from {api_headers()[name]}; not in Python.\n\n```\n{forms}\n```")
