# SPDX-License-Identifier: Apache-2.0
"""``tilewright completion``: what a shell needs to complete commands, options and their values.

The script a shell reads asks ``tilewright completion --words ...`` at every Tab, with the words so far and the one that
is being typed last, and completes to the lines it prints; without any, to files. The words come from the commands' own
parsers, so that nothing stands twice.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterable

from tilewright._cli.command_parser import CommandParser
from tilewright._cli.json_output import json_text

_SCRIPTS = {
    "bash": """\
_tilewright() {
    local found
    mapfile -t found < <(tilewright completion --words "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    if [ ${#found[@]} -gt 0 ]; then COMPREPLY=("${found[@]}"); else COMPREPLY=(); fi
}
complete -o bashdefault -o default -F _tilewright tilewright
""",
    "zsh": """\
#compdef tilewright
_tilewright() {
    local -a found
    found=(${(f)"$(tilewright completion --words "${(@)words[2,CURRENT]}" 2>/dev/null)"})
    if (( ${#found} )); then compadd -- $found; else _files; fi
}
# As a file of $fpath this is the body of _tilewright, called at the first Tab; else it is read once.
if [[ $funcstack[1] == _tilewright ]]; then _tilewright "$@"; else compdef _tilewright tilewright; fi
""",
    "fish": """\
function __tilewright_words
    set -l typed (commandline -opc) (commandline -ct)
    tilewright completion --words $typed[2..-1] 2>/dev/null
end
complete -c tilewright -a '(__tilewright_words)'
""",
}


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        "completion",
        "Print a script with which the shell completes tilewright's commands, options and operations.",
        """
        eval "$(tilewright completion bash)"
        tilewright completion zsh > ~/.zfunc/_tilewright
        tilewright completion fish > ~/.config/fish/completions/tilewright.fish
        tilewright completion bash --json
        """,
    )
    parser.add_argument("shell", choices=_SCRIPTS, help="bash, zsh or fish")
    parser.add_argument("--json", action="store_true", help="print the script as JSON")
    return parser


def run(arguments: list[str]) -> int:
    if arguments[:1] == ["--words"]:
        print("\n".join(completions(arguments[1:])))
        return 0
    options = build_parser().parse_args(arguments)
    script = _SCRIPTS[options.shell]
    print(json_text("completion", {"shell": options.shell, "script": script}) if options.json else script.rstrip())
    return 0


def completions(words: list[str]) -> list[str]:
    """Completions of the last word, given those before it.

    >>> completions(["st"])
    ['stages']
    """
    from tilewright._cli.main import COMMANDS, FURTHER_COMMANDS

    *before, typed = words or [""]
    if not before:
        return _beginning(typed, COMMANDS)
    command, further = before[0], FURTHER_COMMANDS.get(before[0], ())
    if command not in COMMANDS:
        return []
    name = before[1] if before[1:2] and before[1] in further else command
    parser = importlib.import_module(f"tilewright._cli.commands.{name}_command").build_parser()
    option = next((each for each in parser._actions if before[-1] in each.option_strings), None)
    if option is not None and option.nargs != 0:
        return _beginning(typed, map(str, option.choices or ()))
    if typed.startswith("-"):
        return _beginning(typed, (each for action in parser._actions for each in action.option_strings))
    return _beginning(typed, [*(further if len(before) == 1 else ()), *_positionals(parser)])


def _positionals(parser: argparse.ArgumentParser) -> Iterable[str]:
    from tilewright.ops import OPERATIONS

    for action in parser._actions:
        if not action.option_strings:
            yield from map(str, action.choices or ())
            if action.dest in ("operation", "target"):
                yield from OPERATIONS


def _beginning(typed: str, words: Iterable[str]) -> list[str]:
    return sorted({word for word in words if word.startswith(typed)})
