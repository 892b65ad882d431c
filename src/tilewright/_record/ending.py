# SPDX-License-Identifier: Apache-2.0
"""How a run ended, where it did not end well."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Ending:
    """The end of a run, from the engine or from the runner's owner.

    Attributes:
        text: the engine's message.
        rule: the checker's rule that was broken, where that is what ended it.
        fault_signal, fault_address: of a fault.
        l1_base: where the L1 of the core at fault lay in the runner's memory.
        loading: it had not begun: a kernel's library was being loaded.
    """

    text: str = ""
    rule: str | None = None
    fault_signal: int = 0
    fault_address: int = 0
    l1_base: int = 0
    loading: bool = False


ENDED_WELL = Ending()
