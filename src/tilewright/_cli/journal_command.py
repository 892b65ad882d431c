# SPDX-License-Identifier: Apache-2.0
"""``tilewright debug journal``: the journal of a hang or a wrong result, with the checker's word in it."""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Callable

from tilewright._cli.command_parser import CommandParser, seconds
from tilewright._cli.json_output import json_text
from tilewright._cli.progress_line import ProgressLine
from tilewright._logs.journal import OUTCOMES, Entry, Journal, JournalState
from tilewright._workshop.home import Home, find_operation
from tilewright._workshop.stages.process import Processes

_DESCRIPTION = """
Keep the journal of a debugging session: symptoms, observations with their
proof, hypotheses that say what would falsify them, one experiment at a time,
and conclusions that cite observations. Without an action it shows the journal;
`observe` runs the checker and the phases and writes down what they find.
"""
_EXAMPLES = """
  tilewright debug journal my_op symptom "64x64 hangs"
  tilewright debug journal my_op observe
  tilewright debug journal my_op observation "row 0 ends" --proof kernels.py:41
  tilewright debug journal my_op hypothesis "c_1 is never popped" \\
      --falsify-by "a pop of c_1 in kernels.py" --confidence 0.6 --support O1
  tilewright debug journal my_op experiment H1 "pop c_1" --expected "it ends"
  tilewright debug journal my_op close E1 SUPPORTED --observations O2 \\
      --confidence 0.9
  tilewright debug journal my_op conclude "centre kept c_1" --observations O1 O2
"""


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser("debug journal", _DESCRIPTION, _EXAMPLES)
    parser.add_argument("operation", metavar="NAME", help="directory of your operation, or one of tilewright's")
    parser.add_argument("--json", action="store_true", help="print the journal as JSON")
    actions = parser.add_subparsers(
        dest="action", metavar="action", title="actions", parser_class=argparse.ArgumentParser
    )
    observe = _action(actions, "observe", "run the checker and the phases, and write down what they find")
    observe.add_argument("--time-limit", type=seconds, default=120.0, metavar="S", help="seconds (default 120)")
    symptom = _action(actions, "symptom", "what is wrong, as seen from outside")
    symptom.add_argument("text", metavar="TEXT", help="what is wrong")
    observation = _action(actions, "observation", "what was seen, and what shows it")
    observation.add_argument("text", metavar="TEXT", help="what was seen")
    observation.add_argument("--proof", metavar="TEXT", required=True, help="a command and its output, a file and line")
    hypothesis = _action(actions, "hypothesis", "what may be the cause")
    hypothesis.add_argument("text", metavar="TEXT", help="the cause")
    hypothesis.add_argument("--falsify-by", metavar="TEXT", required=True, help="what would show that it is not")
    hypothesis.add_argument("--confidence", type=float, metavar="C", required=True, help="0 to 1")
    hypothesis.add_argument("--support", nargs="*", default=[], metavar="O", help="observations that speak for it")
    experiment = _action(actions, "experiment", "one change that tests one hypothesis")
    experiment.add_argument("hypothesis", metavar="H", help="the hypothesis it tests, such as H1")
    experiment.add_argument("text", metavar="TEXT", help="the change")
    experiment.add_argument(
        "--expected", metavar="TEXT", required=True, help="what will happen if the hypothesis is right"
    )
    close = _action(actions, "close", "how the open experiment ended")
    close.add_argument("experiment", metavar="E", help="the experiment, such as E1")
    close.add_argument("outcome", choices=OUTCOMES, help="what it says about the hypothesis")
    close.add_argument("--observations", nargs="+", required=True, metavar="O", help="that show it, such as O2 O3")
    close.add_argument("--confidence", type=float, metavar="C", help="in the hypothesis now, 0 to 1")
    conclude = _action(actions, "conclude", "what is now known")
    conclude.add_argument("text", metavar="TEXT", help="what is known")
    conclude.add_argument("--observations", nargs="+", required=True, metavar="O", help="it rests on, such as O1 O2")
    conclude.add_argument("--hypothesis", metavar="H", help="that it confirms, such as H1")
    return parser


def _action(
    actions: argparse._SubParsersAction[argparse.ArgumentParser], name: str, says: str
) -> argparse.ArgumentParser:
    """The parser of an action, with its example of the command's help."""
    example = re.search(
        rf"^tilewright debug journal my_op {name}\b(?:.*\\\n)*.*$", textwrap.dedent(_EXAMPLES), re.MULTILINE
    )
    assert example is not None
    return actions.add_parser(
        name,
        help=says,
        description=f"{says[0].upper()}{says[1:]}.",
        epilog=f"example:\n{textwrap.indent(example[0], '  ')}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def run(arguments: list[str]) -> int:
    options = build_parser().parse_args(arguments)
    home = find_operation(options.operation)
    journal = Journal(home.journal)
    if options.action == "observe":
        written = _observe(home, journal, options.time_limit)
        said = [row for line in written for row in wrapped(line, "")]
    elif options.action is not None:
        said = [f"{_ACTIONS[options.action](journal, options)} noted"]
    else:
        said = journal_lines(home.name, journal.state())
    print(_as_json(journal.state()) if options.json else "\n".join(said))
    return 0


def _close(journal: Journal, options: argparse.Namespace) -> str:
    journal.close(options.experiment, options.outcome, options.observations, options.confidence)
    return str(options.experiment)


_ACTIONS: dict[str, Callable[[Journal, argparse.Namespace], str]] = {
    "symptom": lambda journal, given: journal.symptom(given.text),
    "observation": lambda journal, given: journal.observation(given.text, given.proof),
    "hypothesis": lambda journal, given: journal.hypothesis(
        given.text, given.falsify_by, given.confidence, given.support
    ),
    "experiment": lambda journal, given: journal.experiment(given.hypothesis, given.text, given.expected),
    "close": _close,
    "conclude": lambda journal, given: journal.conclusion(given.text, given.observations, given.hypothesis),
}


def _observe(home: Home, journal: Journal, time_limit: float) -> list[str]:
    """What the checker and the phases find, as observations; what is in the journal already is not written again."""
    known = {entry.text("text"): entry.id for entry in journal.state().of("observation")}
    written = []
    for text, proof in _seen(home, time_limit):
        if text in known:
            written.append(f"{known[text]}  again: {text}")
        else:
            known[text] = journal.observation(text, proof)
            written.append(f"{known[text]}  {text}")
    return written


def _seen(home: Home, time_limit: float) -> list[tuple[str, str]]:
    with ProgressLine() as progress, Processes(home.directory.parent) as processes:
        checked = processes.run(["check", home.given], time_limit, progress.show)
        case = "one tile"
        found = checked.of("finding")
        traced = processes.run(
            ["trace", home.given, found[0]["case"] if found else case, "", str(time_limit)], time_limit, progress.show
        )
    seen = [
        (each["text"].strip(), f"tilewright check, rule {each['rule']} at {each['place']}, case {each['case']}")
        for each in found
    ]
    seen += [(each["error"], "the checker could not run it") for each in checked.of("failed")]
    if checked.is_late:
        seen.append((f"no end after {time_limit:g} s during {checked.last_begun}", "tilewright debug journal observe"))
    for each in traced.of("trace"):
        if each["first_wrong"]:
            text = " ".join(line.strip() for line in each["first_wrong"][:4])
            seen.append((text, f"tilewright phases, case {each['trace']['case']}"))
    if not checked.ended and not seen:
        seen.append(
            (f"the process of the checker ended with {checked.signal or checked.returncode}", "its exit status")
        )
    # That nothing is wrong any more is seen too: an experiment that ends so has something to cite.
    return seen or [
        ("the checker and the phases find nothing", f"tilewright check, every case; tilewright phases, case {case}")
    ]


def journal_lines(name: str, state: JournalState) -> list[str]:
    """The journal as people read it."""
    if not state.entries:
        return [f"the journal of {name} is empty", f"`tilewright debug journal {name} observe` asks the checker"]
    lines = [f"journal of {name}"]
    for kind, title in (
        ("symptom", "symptoms"),
        ("observation", "observations"),
        ("hypothesis", "hypotheses"),
        ("experiment", "experiments"),
        ("conclusion", "conclusions"),
    ):
        entries = state.of(kind)
        if entries:
            lines += ["", title]
        for entry in entries:
            first = entry.text("text") or entry.text("claim") or entry.text("action")
            lines += wrapped(first, f"  {entry.id:<4}")
            for detail in _details(state, entry):
                lines += wrapped(detail, " " * 6)
    reason = state.stop_reason()
    return [*lines, "", f"stop: {reason}"] if reason else lines


def wrapped(text: str, head: str) -> list[str]:
    """A text of several lines, each of at most 80 columns, behind a head of 6."""
    lines: list[str] = []
    for row in text.splitlines():
        start = head if not lines else " " * 6
        lines += textwrap.wrap(row.rstrip(), 80, initial_indent=start, subsequent_indent=" " * 8) or [""]
    return lines


def _details(state: JournalState, entry: Entry) -> list[str]:
    kind, number = entry.kind, entry.id
    if kind == "observation":
        return [f"proof: {entry.text('proof')}"]
    if kind == "hypothesis":
        status = f"{state.hypothesis_status(number)}, confidence {state.confidence(number):g}"
        return [status, f"falsified by: {entry.text('falsify_by')}", *_cited("supported by", entry)]
    if kind == "experiment":
        result = state.result_of(number)
        ended = [f"result: {result.text('outcome')}", *_cited("seen", result)] if result else ["open"]
        return [f"tests {entry.text('hypothesis')}; expected: {entry.text('expected')}", *ended]
    return _cited("rests on", entry)


def _cited(how: str, entry: Entry) -> list[str]:
    """The observations that an entry cites."""
    observations = entry.says.get("support") or entry.says.get("observations")
    return [f"{how}: {', '.join(map(str, observations))}"] if isinstance(observations, list) else []


def _as_json(state: JournalState) -> str:
    entries = [{"id": each.id, "kind": each.kind, "time": each.time, **each.says} for each in state.entries]
    return json_text("debug journal", {"entries": entries, "stop_reason": state.stop_reason()})
