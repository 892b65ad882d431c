# SPDX-License-Identifier: Apache-2.0
"""Which engine this process uses: a variant of the wheel for this processor, or a build of the sources."""

from __future__ import annotations

import dataclasses
import functools
import os
from pathlib import Path

from tilewright._build.native_build import NATIVE_VARIANT, NativePart, built_files, prebuilt_files
from tilewright._build.processor import VARIANTS, usable_variants
from tilewright._errors import TilewrightError

ENGINE_VARIABLE = "TILEWRIGHT_ENGINE"


@dataclasses.dataclass(frozen=True)
class Engine:
    """Files the engine was built into."""

    library: Path
    runner: Path


@functools.cache
def _part(variant: str) -> NativePart:
    return NativePart("the engine", f"engine-{variant}", variant, ("engine.so", "runner"), ("engine", "abi", "runner"))


def find_engine() -> Engine:
    """The engine; built first where the package has none for this processor.

    ``$TILEWRIGHT_ENGINE`` chooses a variant: ``native`` is built for this machine, others are the wheel's.

    Raises:
        TilewrightError: there is no such variant, or it cannot be built.
    """
    chosen = os.environ.get(ENGINE_VARIABLE, "")
    if chosen and chosen not in (NATIVE_VARIANT, *VARIANTS):
        raise TilewrightError(f"{ENGINE_VARIABLE} is {chosen!r}; it can be {', '.join((NATIVE_VARIANT, *VARIANTS))}")
    for variant in (chosen,) if chosen else usable_variants():
        prebuilt = prebuilt_files(_part(variant))
        if prebuilt is not None:
            return Engine(*prebuilt)
    return Engine(*built_files(_part(chosen or NATIVE_VARIANT)))
