# SPDX-License-Identifier: Apache-2.0
"""The checker: mistakes in a program."""

from tilewright._rules import RULES, Rule, Severity
from tilewright.check._check_program import CheckError, CheckResult, check_program
from tilewright.check._finding import Finding

__all__ = ["RULES", "CheckError", "CheckResult", "Finding", "Rule", "Severity", "check_program"]
