# SPDX-License-Identifier: Apache-2.0
"""The observer that times every launch: of a script, or of an operation's call."""

from __future__ import annotations

import dataclasses

from tilewright._launch.observer import Launch, Observer
from tilewright._record.run import Run
from tilewright.timing._timed_launch import TimedLaunch, timed_launches


class TimeObserver(Observer[TimedLaunch]):
    """Runs launches once, with their calls recorded."""

    def observe(self, launch: Launch) -> Run:
        run = launch.run(dataclasses.replace(launch.options, record_calls=True))
        for timed in timed_launches(launch, run):
            self.take(dataclasses.replace(timed, run=None))
        return run
