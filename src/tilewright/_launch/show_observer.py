# SPDX-License-Identifier: Apache-2.0
"""The observer that prints each launch, for ``tilewright exec --show-programs``."""

from __future__ import annotations

import itertools

from tilewright._launch.observer import Launch, Observer, observed_run
from tilewright._launch.program_text import described_program
from tilewright._record.run import Run


class ShowObserver(Observer[None]):
    """Prints the program and its arguments, then passes the launch on."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers = itertools.count(1)

    def observe(self, launch: Launch) -> Run:
        begin = launch.chip.arch.l1_unreserved_base
        text = described_program(next(self._numbers), launch.operation, launch.program, launch.read_words, begin)
        launch.show(text)
        return observed_run(launch)
