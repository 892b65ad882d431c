# SPDX-License-Identifier: Apache-2.0
"""Options of an operation's call."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from typing import Any

from tilewright._launch.run_options import RunOptions
from tilewright._planner.row_split import CoreSelection
from tilewright._planner.strategy import Strategy
from tilewright._program.compute_kernel_config import ComputeKernelConfig, WormholeComputeKernelConfig
from tilewright._program.kernel_config import ComputeConfigDescriptor, MathFidelity
from tilewright._tensor.argument import real_number
from tilewright._tensor.memory_config import MemoryConfig
from tilewright.formula._validation import OperationError

# Of every call; the last two are for arrays.
OPTION_NAMES = ("memory_config", "compute_kernel_config", "core_grid", "error", "device", "dtype")


@dataclasses.dataclass(frozen=True)
class Options:
    """How to run an operation, where it is not to choose itself.

    Attributes:
        memory_config: where the result goes; None is where the first input is.
        compute_kernel_config: fidelity and width of DST; None is the lowest fidelity that ``error`` allows, with
            32-bit DST.
        core_grid: cores to use; None is all.
        error: what the matrix unit may leave out of a product, as a share of it; None is the declaration's.
        strategy, block_tiles: of the plan.
        deeper: indices of circular buffers that get twice the pages of the plan.
        threads: of the host; None is as many as are worth it.
    """

    memory_config: MemoryConfig | None = None
    compute_kernel_config: ComputeKernelConfig | None = None
    core_grid: CoreSelection | None = None
    error: float | None = None
    strategy: Strategy | None = None
    block_tiles: int | None = None
    deeper: frozenset[int] = frozenset()
    threads: int | None = None

    def __post_init__(self) -> None:
        if self.error is not None:
            checked_error(self.error)
        if self.error is not None and self.compute_kernel_config is not None:
            raise OperationError(
                f"error={self.error} and compute_kernel_config: the error chooses a fidelity; give one of them"
            )

    @functools.cached_property
    def run_options(self) -> RunOptions:
        """The options of its launch."""
        return RunOptions(threads=self.threads)


USUAL_OPTIONS = Options()


def with_options(own: inspect.Signature) -> inspect.Signature:
    """A function's own parameters, and the options of every operation."""
    options = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in OPTION_NAMES]
    return own.replace(parameters=[*own.parameters.values(), *options])


# Of exported packages: the most exact fidelity, for whatever they are called with.
EXPORTED_CONFIG = ComputeConfigDescriptor(math_fidelity=MathFidelity.HiFi4, fp32_dest_acc_en=True)


def checked_error(error: Any) -> float:
    """What the matrix unit may leave out of a product."""
    value = real_number("error", error)
    if not 0 <= value <= 1:
        raise OperationError(f"error must be a number from 0 (HiFi4) to 1, a share of a product, not {error!r}")
    return value


def checked_config(config: Any) -> ComputeConfigDescriptor | None:
    """The config given, which is not to be changed, a program has a copy; None is the plan's own."""
    if config is None:
        return None
    if isinstance(config, WormholeComputeKernelConfig):
        return config.descriptor()
    if not isinstance(config, ComputeConfigDescriptor):
        raise TypeError(
            "compute_kernel_config must be a ttnn.ComputeConfigDescriptor or a ttnn.WormholeComputeKernelConfig, "
            f"not {config!r}"
        )
    return config
