# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a program: the checker."""

from tilewright._rules import RULES, Rule, Severity
from tilewright.check._check_program import CheckError, CheckResult, check_program
from tilewright.check._finding import Finding

__all__ = ["RULES", "CheckError", "CheckResult", "Finding", "Rule", "Severity", "check_program"]
