# SPDX-License-Identifier: Apache-2.0
"""Broken rules that a plain run sees at no cost, as warnings of Python."""

from __future__ import annotations

import warnings

from tilewright._diagnose.diagnosis import call_site
from tilewright._record.run import Run


class RuleWarning(UserWarning):
    """A launch broke a rule of the hardware and ended all the same; ``tilewright check`` explains it."""


# ttnn's operations multicast to the smallest rectangle round their cores.
_USUAL_IN_TTNN = ("noc-multicast-outside",)


def warn_of_notes(run: Run, *, of_ttnn: bool) -> None:
    """Warn of what a run without the checker noted: each rule and place once."""
    for note in run.notes:
        if of_ttnn and note.rule in _USUAL_IN_TTNN:
            continue
        kernel = run.kernels[note.kernel]
        where = f"kernel {kernel.name} on core ({note.core[0]},{note.core[1]}) at {call_site(note.stack, kernel.path)}"
        warnings.warn(f"{where}: {note.text} ({note.rule}; `tilewright check` says more)", RuleWarning, stacklevel=2)
