# SPDX-License-Identifier: Apache-2.0
"""Output of ``--json``: one object for every command, whether it went well or not.

``command`` and ``exit_status`` are always there, and ``error``: null, or an object with the ``type`` of what went wrong
and its ``message``. What the command has to say stands beside them; docs/for-agents.md lists it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

Error = dict[str, str]


def json_text(
    command: str, says: Mapping[str, object] | None = None, exit_status: int = 0, error: Error | None = None
) -> str:
    """The object as text.

    >>> json_text("cache", {"limit": 4}).replace(chr(10), "")
    '{  "command": "cache",  "exit_status": 0,  "limit": 4,  "error": null}'
    """
    whole = {"command": command, "exit_status": exit_status, **(says or {}), "error": error}
    return json.dumps(whole, indent=2, ensure_ascii=False, default=str)


def error_object(kind: str, message: object) -> Error:
    return {"type": kind, "message": str(message)}


def script_failed(script: object, exit_status: int) -> Error | None:
    """The error of a script that a command ran and that did not end well; None of one that did."""
    return error_object("ScriptFailed", f"{script} ended with status {exit_status}") if exit_status else None


def wants_json(arguments: list[str]) -> bool:
    """Whether a command's own arguments, those before ``--``, ask for JSON."""
    ours = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in ours
