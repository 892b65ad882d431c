# SPDX-License-Identifier: Apache-2.0
"""The catalogue of rules, by id."""

from tilewright.check._rules.circular_buffers import CIRCULAR_BUFFER_RULES
from tilewright.check._rules.compute import COMPUTE_RULES
from tilewright.check._rules.hangs import HANG_RULES
from tilewright.check._rules.host import HOST_RULES
from tilewright.check._rules.memory import MEMORY_RULES
from tilewright.check._rules.noc import NOC_RULES
from tilewright.check._rules.rule import Rule, Severity

RULES: dict[str, Rule] = {
    rule.id: rule
    for rules in (HANG_RULES, CIRCULAR_BUFFER_RULES, MEMORY_RULES, NOC_RULES, COMPUTE_RULES, HOST_RULES)
    for rule in rules
}

__all__ = ["RULES", "Rule", "Severity"]
