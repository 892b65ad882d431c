# SPDX-License-Identifier: Apache-2.0
"""The published ttnn wheel, for its kernels: downloaded by pip into the user's cache, never installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from tilewright._build.cache import cache_directory, locked, note_use
from tilewright._errors import TilewrightError
from tilewright._tensor.ttnn_names import TTNN_VERSION

_PLATFORM = "manylinux_2_34_x86_64"
# Kernels, their libraries and the API headers; the host libraries are of no use here.
_WANTED = ("ttnn/ttnn/cpp/", "ttnn/tt_metal/")


class WheelUnavailableError(TilewrightError):
    """The wheel is not in the cache and could not be downloaded."""


def wheel_root(version: str = TTNN_VERSION) -> Path:
    """Where :func:`fetch_wheel` keeps the package, whether it is there or not."""
    return cache_directory() / "wheels" / f"ttnn-{version}" / "ttnn"


def fetch_wheel(version: str = TTNN_VERSION) -> Path:
    """Root of an unpacked ttnn package: the directory that contains ``tt_metal/`` and ``ttnn/cpp``.

    The first call downloads about 100 MB with pip, from whatever index pip is configured for.

    Raises:
        WheelUnavailableError: pip cannot get the wheel; the message has pip's last words.
    """
    root = wheel_root(version)
    if root.is_dir():
        note_use(root.parent)
        return root
    with locked(f"wheel-ttnn-{version}"):
        if not root.is_dir():
            _fetch(version, root.parent)
    return root


def _fetch(version: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as work:
        unpacked = Path(work) / "unpacked"
        _unpack(_download(version, Path(work)), unpacked)
        if target.exists():
            shutil.rmtree(target)
        unpacked.rename(target)


def _download(version: str, directory: Path) -> Path:
    print(f"tilewright: downloading ttnn {version} (once, about 100 MB) ...", file=sys.stderr, flush=True)
    command = [sys.executable, "-m", "pip", "download", f"ttnn=={version}", "--no-deps", "--only-binary=:all:"]
    command += ["--python-version", "312", "--implementation", "cp", "--abi", "cp312", "--platform", _PLATFORM]
    command += ["--quiet", "--disable-pip-version-check", "--dest", str(directory)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = list(directory.glob("*.whl"))
    if result.returncode != 0 or not wheels:
        last_words = "\n".join((result.stderr or result.stdout).strip().splitlines()[-3:])
        raise WheelUnavailableError(
            f"cannot download the ttnn {version} wheel with pip (is there a network, and is pip installed?):\n"
            f"{last_words}"
        )
    return wheels[0]


def _unpack(wheel: Path, directory: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(directory, [name for name in archive.namelist() if name.startswith(_WANTED)])
    if not (directory / "ttnn" / "ttnn" / "cpp").is_dir():
        raise WheelUnavailableError(f"{wheel.name} has no kernel sources under ttnn/ttnn/cpp")
