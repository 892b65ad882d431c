# SPDX-License-Identifier: Apache-2.0
"""The specification of an operation: what it computes, refuses, buffers and does, phase by phase, in one TOML file."""

from tilewright.workshop.spec.findings import Finding, SpecError, SpecRefusedError, finding_lines
from tilewright.workshop.spec.model import Spec
from tilewright.workshop.spec.reading import parse_spec, read_spec
from tilewright.workshop.spec.sense import check_spec, checked_spec
from tilewright.workshop.spec.writing import spec_text

__all__ = [
    "Finding",
    "Spec",
    "SpecError",
    "SpecRefusedError",
    "check_spec",
    "checked_spec",
    "finding_lines",
    "parse_spec",
    "read_spec",
    "spec_text",
]
