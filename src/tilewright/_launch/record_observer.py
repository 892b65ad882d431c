# SPDX-License-Identifier: Apache-2.0
"""The observer that keeps the calls of every launch in files, for ``tilewright time DIRECTORY``."""

from __future__ import annotations

import dataclasses
import itertools
import os
from pathlib import Path

from tilewright._launch.observer import Launch, Observer
from tilewright._record.run import Run


class RecordObserver(Observer[None]):
    """Writes a file for each launch; names of one process sort in the order of its launches."""

    def __init__(self, directory: str) -> None:
        super().__init__()
        self._directory = Path(directory)
        self._numbers = itertools.count(1)

    def observe(self, launch: Launch) -> Run:
        run = launch.run(dataclasses.replace(launch.options, record_calls=True))
        assert run.calls is not None
        run.calls.save(self._directory / f"{os.getpid()}-{next(self._numbers):06}.npz")
        return run
