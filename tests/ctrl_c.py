# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C, pressed by a test."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def ctrl_c_after(seconds: float) -> Iterator[None]:
    """Interrupts what runs inside after a time; whatever ends it earlier, no later test is interrupted instead."""
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
