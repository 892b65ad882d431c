# SPDX-License-Identifier: Apache-2.0
"""How precisely a launch computes: what its compute kernels were configured with, and the rounding that follows.

``tilewright exec --compare`` judges results in the host's process, the programs are in the server's. The server appends
one line for each launch to a file; the host reads the lines of the operation it compares.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
from collections.abc import Iterable
from pathlib import Path

from tilewright._build.cache import cache_directory
from tilewright._build.cache_trust import private_directory
from tilewright._program.kernel_config import ComputeConfigDescriptor, MathFidelity
from tilewright._program.program import ProgramDescriptor
from tilewright._wire.data_formats import DataFormat

# Set in the environment of a host whose operations are compared.
COMPARE_VARIABLE = "TILEWRIGHT_CARD_COMPARE"

# Root mean square of the error of sums of products, relative to that of the sums, by phases: the table of
# docs/numerics.md for 32-bit DST.
_PRODUCT_ERROR = {1: 2.6e-2, 2: 4.1e-3, 3: 1.0e-4, 4: 1.5e-7}
# Each step of 16 products rounds DST to bfloat16; the errors of steps add up as those of independent roundings do. The
# factor covers the table of docs/numerics.md for 16-bit DST (1024 products, every fidelity).
_STEP_ERROR = 1.2 * 2.0**-9
_PRODUCTS_OF_A_STEP = 16
_PHASES = {MathFidelity.LoFi: 1, MathFidelity.HiFi2: 2, MathFidelity.HiFi3: 3, MathFidelity.HiFi4: 4}
# Relative error of rounding to the format once, the exponent of block floats shared with the largest of sixteen.
_FORMAT_ERROR = {DataFormat.Bfp8_b.name: 2.0**-7, DataFormat.Bfp4_b.name: 2.0**-3}
# Of a million normally distributed errors none is above five times their root mean square.
_LARGEST_OF_MANY = 5.0


@dataclasses.dataclass(frozen=True)
class LaunchPrecision:
    """Compute configurations of an operation's launches.

    Attributes:
        phases: fewest fidelity phases of a compute kernel; 4 where there is none.
        is_dst_wide: DST has 32 bits in every compute kernel.
        formats: names of block-float formats among the circular buffers.
    """

    phases: int = 4
    is_dst_wide: bool = True
    formats: frozenset[str] = frozenset()

    @staticmethod
    def of(program: ProgramDescriptor) -> LaunchPrecision:
        configs = [each.config for each in program.kernels if isinstance(each.config, ComputeConfigDescriptor)]
        formats = {each.data_format.name for cb in program.cbs for each in cb.format_descriptors}
        return LaunchPrecision(
            min((_PHASES[config.math_fidelity] for config in configs), default=4),
            all(config.fp32_dest_acc_en for config in configs),
            frozenset(formats & _FORMAT_ERROR.keys()),
        )

    @staticmethod
    def worst(each: Iterable[LaunchPrecision]) -> LaunchPrecision:
        """Of several launches of one operation."""
        found = [*each]
        return LaunchPrecision(
            min((one.phases for one in found), default=4),
            all(one.is_dst_wide for one in found),
            frozenset().union(*(one.formats for one in found)),
        )

    def error(self, products: int) -> float:
        """Largest relative error that sums of so many products may have; 0 products: there are none.

        >>> round(LaunchPrecision(phases=1).error(256), 3)
        0.13
        >>> LaunchPrecision(phases=4, is_dst_wide=False).error(0)
        0.0
        """
        formats = max((_FORMAT_ERROR[each] for each in self.formats), default=0.0)
        if not products:
            return formats
        steps = max(products / _PRODUCTS_OF_A_STEP, 1.0) * self.phases
        accumulation = 0.0 if self.is_dst_wide else _STEP_ERROR * math.sqrt(steps)
        return _LARGEST_OF_MANY * math.hypot(_PRODUCT_ERROR[self.phases], accumulation) + formats

    def __str__(self) -> str:
        fidelity = next(name.name for name, phases in _PHASES.items() if phases == self.phases)
        return ", ".join([fidelity, f"{32 if self.is_dst_wide else 16}-bit DST", *sorted(self.formats)])


def precision_file(host: int) -> Path:
    """The file of a host's process, in the user's cache: no other user can put a file or a link there.

    Raises:
        PermissionError: the cache belongs to another user.
    """
    directory = cache_directory() / "precision"
    private_directory(directory, cache_directory())
    return directory / str(host)


def note_precision(program: ProgramDescriptor) -> None:
    """In the server: append a launch's precision where the host's operations are compared."""
    if COMPARE_VARIABLE in os.environ:
        precision = LaunchPrecision.of(program)
        with precision_file(os.getppid()).open("a", encoding="utf-8") as file:
            file.write(json.dumps([precision.phases, precision.is_dst_wide, sorted(precision.formats)]) + "\n")


class PrecisionReader:
    """In the host: reads what the server appended since the last look."""

    def __init__(self) -> None:
        self._path = precision_file(os.getpid())
        self._path.unlink(missing_ok=True)  # of an earlier process with the same number
        self._read = 0

    def take(self) -> LaunchPrecision:
        """The worst precision of the launches since the last call."""
        if not self._path.is_file():
            return LaunchPrecision()
        with self._path.open("rb") as file:
            file.seek(self._read)
            text = file.read()
        whole = text[: text.rfind(b"\n") + 1]
        self._read += len(whole)
        rows = [json.loads(line) for line in whole.splitlines()]
        return LaunchPrecision.worst(
            LaunchPrecision(phases, wide, frozenset(formats)) for phases, wide, formats in rows
        )

    def close(self) -> None:
        self._path.unlink(missing_ok=True)
