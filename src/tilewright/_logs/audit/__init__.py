# SPDX-License-Identifier: Apache-2.0
"""The audit of execution logs: contradictions, and claims without proof. Importing the rules registers them."""

from tilewright._logs.audit import buffer_rules, record_rules, stage_rules

__all__ = ["buffer_rules", "record_rules", "stage_rules"]
