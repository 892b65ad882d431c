# SPDX-License-Identifier: Apache-2.0
"""The file by which a server tells its host how precisely launches compute."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tilewright._card.golden import precision
from tilewright._program.program import ProgramDescriptor


def test_precision_file_lies_where_other_users_cannot_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv(precision.COMPARE_VARIABLE, "1")
    monkeypatch.setattr(os, "getppid", os.getpid)  # this process is its own server
    reader = precision.PrecisionReader()
    precision.note_precision(ProgramDescriptor())
    (file,) = (tmp_path / "cache" / "precision").iterdir()
    for directory in (file.parent, file.parent.parent):
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert reader.take() == precision.LaunchPrecision.of(ProgramDescriptor())
    reader.close()
    assert not file.exists()
