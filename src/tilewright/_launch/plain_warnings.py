# SPDX-License-Identifier: Apache-2.0
"""Broken rules that a plain run sees at no cost, as warnings of Python."""

from __future__ import annotations

import warnings

from tilewright._diagnose.diagnosis import call_site
from tilewright._record.run import Run


class RuleWarning(UserWarning):
    """A launch broke a rule of the hardware and ended all the same; ``tilewright check`` explains it."""


def warn_of_notes(run: Run) -> None:
    """Warn of what a run without the checker noted: each rule and place once."""
    for note in run.notes:
        kernel = run.kernels[note.kernel]
        where = f"kernel {kernel.name} on core ({note.core[0]},{note.core[1]}) at {call_site(note.stack, kernel.path)}"
        warnings.warn(f"{where}: {note.text} ({note.rule}; `tilewright check` says more)", RuleWarning, stacklevel=2)
