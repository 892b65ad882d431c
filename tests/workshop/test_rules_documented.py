# SPDX-License-Identifier: Apache-2.0
"""docs/workshop.md lists the rules about specs: all of them, and none that there are not."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
RULE = re.compile(r"""(?:Finding|_RefusedError|_unique|_note)\(\s*(?:name, |state\.buffer\.name, )?"([a-z0-9-]+)",""")


def test_every_rule_is_in_the_table() -> None:
    code = "\n".join(path.read_text() for path in (ROOT / "src/tilewright/workshop/spec").glob("*.py"))
    code = re.sub(r"\(\n\s+", "(", code)
    rules = {*RULE.findall(code), "format", "one-producer", "one-consumer"}
    table = (ROOT / "docs/workshop.md").read_text().partition("| rule |")[2].partition("\n\n")[0]
    listed = {name for line in table.splitlines()[1:] for name in re.findall(r"`([a-z0-9-]+)`", line.split("|")[1])}
    assert listed == rules
