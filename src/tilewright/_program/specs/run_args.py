# SPDX-License-Identifier: Apache-2.0
"""Values of one run of a program spec: arguments by name, tensors, other buffer sizes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from tilewright._program.specs.tensors import ForeignTensorArgument
from tilewright._program.uint32_list import uint32
from tilewright._tensor.argument import items, require, shown
from tilewright._tensor.cores import CoreCoord, as_core
from tilewright._tensor.tensor import Tensor

Node: TypeAlias = CoreCoord | tuple[int, int]
RuntimeArgValues: TypeAlias = dict[str, dict[Node, int]]


@dataclass
class AdvancedKernelRunArgs:
    runtime_varargs: Mapping[Node, Sequence[int]] = field(default_factory=dict)
    common_runtime_varargs: Sequence[int] = ()


@dataclass
class KernelRunArgs:
    """Arguments of one kernel: ``runtime_arg_values[name][core]``, as upstream, name first."""

    kernel: str
    runtime_arg_values: RuntimeArgValues = field(default_factory=dict)
    common_runtime_arg_values: Mapping[str, int] = field(default_factory=dict)
    advanced_options: AdvancedKernelRunArgs = field(default_factory=AdvancedKernelRunArgs)


@dataclass
class DFBRunOverrides:
    """Another size of a dataflow buffer for this run."""

    dfb: str
    entry_size: int | None = None
    num_entries: int | None = None


@dataclass
class ProgramRunArgs:
    kernel_run_args: list[KernelRunArgs] = field(default_factory=list)
    tensor_args: dict[str, Tensor | ForeignTensorArgument] = field(default_factory=dict)
    dfb_run_overrides: list[DFBRunOverrides] = field(default_factory=list)

    def of_kernel(self, kernel: str) -> KernelRunArgs:
        """Arguments of ``kernel``; none if the run has no entry for it."""
        return next((each for each in self.kernel_run_args if each.kernel == kernel), KernelRunArgs(kernel))


def AddRuntimeArgsForNode(  # noqa: N802 (upstream's name)
    runtime_arg_values: RuntimeArgValues, node: Node, named_values: Mapping[str, int] | Iterable[tuple[str, int]]
) -> None:
    """Sets the arguments of one core.

    >>> values: RuntimeArgValues = {}
    >>> AddRuntimeArgsForNode(values, (0, 0), {"num_tiles": 4, "start_id": 0})
    >>> values["num_tiles"]
    {(0, 0): 4}
    """
    require("runtime_arg_values", runtime_arg_values, dict, "a dict of arguments by name")
    given = list(named_values.items()) if isinstance(named_values, Mapping) else named_values
    pairs = items("named_values", given, "a dict, or a list of (name, value) pairs")
    for index, pair in enumerate(pairs):
        if not isinstance(pair, tuple) or len(pair) != 2 or not isinstance(pair[0], str):
            raise TypeError(f"named_values[{index}] must be a pair (name, value), not {shown(pair)}")
    as_core(node)
    for name, value in pairs:
        runtime_arg_values.setdefault(name, {})[node] = uint32(value, f"named_values[{name!r}]")


def MakeRuntimeArgsForSingleNode(  # noqa: N802 (upstream's name)
    node: Node, named_values: Mapping[str, int] | Iterable[tuple[str, int]]
) -> RuntimeArgValues:
    """The arguments of a kernel that runs on one core only."""
    values: RuntimeArgValues = {}
    AddRuntimeArgsForNode(values, node, named_values)
    return values
