# SPDX-License-Identifier: Apache-2.0
"""Kernels of a program: source, cores, arguments, and the processor they run on."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any, TypeAlias

from tilewright._program.kernel_config import (
    CONFIG_TYPES,
    ComputeConfigDescriptor,
    DataMovementProcessor,
    KernelConfig,
    ReaderConfigDescriptor,
    WriterConfigDescriptor,
    member,
)
from tilewright._program.runtime_args import RuntimeArgs, as_runtime_args
from tilewright._program.uint32_list import CopiedList, VectorUInt32, uint32
from tilewright._tensor.argument import items, path_text, require, text
from tilewright._tensor.cores import CoreRangeSet
from tilewright._tensor.ttnn_enum import TtnnEnum


class KernelBuildOptLevel(Enum):
    O1 = 0
    O2 = 1
    O3 = 2
    O0 = 3
    Os = 4
    Ofast = 5
    Oz = 6


class SourceType(TtnnEnum):
    FILE_PATH = 0
    SOURCE_CODE = 1


@dataclasses.dataclass(frozen=True)
class ArgumentsInL1:
    """Arguments the host puts into the L1 of a kernel's cores by itself; a launch leaves them where they are.

    Attributes:
        address: offset of the first runtime argument from the launch's configuration (``ConfigBases``).
        count: how many words may be read from there.
        common_address, common_count: the same of common runtime arguments.
    """

    address: int
    count: int
    common_address: int
    common_count: int


class KernelDescriptor:
    """One kernel: its source, the cores it runs on and the arguments it gets.

    ``name`` is ours: it is what messages call the kernel. Without one a kernel is called by its file's stem.

    >>> KernelDescriptor().source_type
    SourceType.FILE_PATH
    """

    SourceType: TypeAlias = SourceType

    def __init__(
        self,
        kernel_source: str | os.PathLike[str] | None = None,
        source_type: SourceType = SourceType.FILE_PATH,
        core_ranges: CoreRangeSet | None = None,
        compile_time_args: Iterable[int] = (),
        named_compile_time_args: Iterable[tuple[str, int]] = (),
        defines: Iterable[tuple[str, str]] = (),
        runtime_args: RuntimeArgs | Sequence[tuple[Any, Sequence[int]]] = (),
        common_runtime_args: Iterable[int] = (),
        opt_level: KernelBuildOptLevel | None = None,
        config: KernelConfig | None = None,
        compiler_include_paths: Sequence[str | os.PathLike[str]] = (),
        *,
        name: str | None = None,
    ) -> None:
        _require_all_or_none(kernel_source=kernel_source, core_ranges=core_ranges, config=config)
        self.kernel_source = _source("kernel_source", kernel_source, source_type)
        self.source_type = member("source_type", source_type, SourceType)
        self.core_ranges = core_ranges if core_ranges is not None else CoreRangeSet([])
        self.config = config if config is not None else ReaderConfigDescriptor()
        self.compile_time_args = compile_time_args
        self.named_compile_time_args = named_compile_time_args
        self.defines = defines
        self.runtime_args = runtime_args
        self.common_runtime_args = common_runtime_args
        self.opt_level = opt_level
        paths = items("compiler_include_paths", compiler_include_paths, "a list of paths")
        self.compiler_include_paths = [
            path_text(f"compiler_include_paths[{index}]", path) for index, path in enumerate(paths)
        ]
        # CB indices the kernel is known to use; a program is checked to have them on every core of the kernel.
        self.circular_buffers: frozenset[int] = frozenset()
        # Generated C++ around the source, for kernels with named bindings (see _program/specs/program_spec.py).
        self.bindings = ""
        self.entry = ""
        # For programs of a host that writes L1 itself (see card/); the arguments above are empty then.
        self.arguments_in_l1: ArgumentsInL1 | None = None
        self.name = name

    @property
    def name(self) -> str:
        """The kernel's name in messages."""
        if self._name:
            return self._name
        if self.source_type is SourceType.FILE_PATH and self.kernel_source:
            file = self.kernel_source.rpartition("/")[2]
            return file.rpartition(".")[0] or file
        if isinstance(self._config, ReaderConfigDescriptor | WriterConfigDescriptor):
            return "reader" if isinstance(self._config, ReaderConfigDescriptor) else "writer"
        return "compute" if self.is_compute else self.processor.name

    @name.setter
    def name(self, name: str | None) -> None:
        self._name = None if name is None else text("name", name)

    @property
    def is_compute(self) -> bool:
        return isinstance(self._config, ComputeConfigDescriptor)

    @property
    def processor(self) -> DataMovementProcessor:
        """The data-movement processor this kernel runs on; an error for compute kernels."""
        if isinstance(self._config, ComputeConfigDescriptor):
            raise TypeError(f"kernel {self.name} is a compute kernel: it has no data-movement processor")
        return self._config.processor

    @property
    def core_ranges(self) -> CoreRangeSet:
        return self._core_ranges

    @core_ranges.setter
    def core_ranges(self, core_ranges: CoreRangeSet) -> None:
        self._core_ranges = require_core_ranges("KernelDescriptor.core_ranges", core_ranges)

    @property
    def config(self) -> KernelConfig:
        return self._config

    @config.setter
    def config(self, config: KernelConfig) -> None:
        if not isinstance(config, CONFIG_TYPES):
            allowed = ", ".join(kind.__name__ for kind in CONFIG_TYPES)
            raise TypeError(f"config must be one of {allowed}, not {config!r}")
        self._config = config.copy()

    @property
    def compile_time_args(self) -> VectorUInt32:
        return self._compile_time_args

    @compile_time_args.setter
    def compile_time_args(self, values: Iterable[int]) -> None:
        self._compile_time_args = VectorUInt32(values, "compile_time_args")

    @property
    def common_runtime_args(self) -> VectorUInt32:
        return self._common_runtime_args

    @common_runtime_args.setter
    def common_runtime_args(self, values: Iterable[int]) -> None:
        self._common_runtime_args = VectorUInt32(values, "common_runtime_args")

    @property
    def named_compile_time_args(self) -> CopiedList[tuple[str, int]]:
        return CopiedList(self._named_compile_time_args, "KernelDescriptor.named_compile_time_args")

    @named_compile_time_args.setter
    def named_compile_time_args(self, pairs: Iterable[tuple[str, int]]) -> None:
        checked = _pairs("named_compile_time_args", pairs)
        self._named_compile_time_args = [
            (name, uint32(value, f"named_compile_time_args[{name!r}]")) for name, value in checked
        ]

    @property
    def defines(self) -> CopiedList[tuple[str, str]]:
        return CopiedList(self._defines, "KernelDescriptor.defines")

    @defines.setter
    def defines(self, pairs: Iterable[tuple[str, str]]) -> None:
        checked = _pairs("defines", pairs)
        for name, value in checked:
            if not isinstance(value, str):
                raise TypeError(f"defines: the value of {name!r} must be a str, not {value!r}")
        self._defines = checked

    @property
    def runtime_args(self) -> RuntimeArgs:
        return self._runtime_args

    @runtime_args.setter
    def runtime_args(self, value: RuntimeArgs | Sequence[tuple[Any, Sequence[int]]]) -> None:
        self._runtime_args = as_runtime_args(value)

    def clear_runtime_args(self) -> None:
        self._runtime_args.clear()

    def extend_runtime_args_uniform(self, values: Iterable[int]) -> None:
        """Add the same values at the end of every core's runtime args."""
        words = items("values", values, "a list of ints")
        for _, args in self._runtime_args:
            args.extend(words)

    def append_common_runtime_args_from(self, other: KernelDescriptor) -> None:
        require("other", other, KernelDescriptor, "a KernelDescriptor")
        self._common_runtime_args.extend(list(other.common_runtime_args))

    def append_runtime_args_from(self, other: KernelDescriptor) -> None:
        """Add ``other``'s args of each core to ours, zero-padded so that they start and end alike everywhere."""
        require("other", other, KernelDescriptor, "a KernelDescriptor")
        if not len(self._runtime_args):
            for core in self._core_ranges:
                self._runtime_args.append(core, [])
        longest = max((len(args) for _, args in other.runtime_args), default=0)
        for core, args in self._runtime_args:
            theirs = list(other.runtime_args.of_core(core) or ())
            args.extend(theirs + [0] * (longest - len(theirs)))

    def state(self) -> tuple[object, ...]:
        """Everything a launch looks at but the values of runtime arguments, in values that do not change."""
        return (
            self._name,
            self.kernel_source,
            self.source_type,
            self._core_ranges,
            self._config.state(),
            tuple(self._compile_time_args),
            tuple(self._named_compile_time_args),
            tuple(self._defines),
            self._runtime_args.state(),
            len(self._common_runtime_args),
            self.opt_level,
            tuple(self.compiler_include_paths),
            self.circular_buffers,
            self.bindings,
            self.entry,
            self.arguments_in_l1,
        )

    def copy(self) -> KernelDescriptor:
        other = self.without_arguments()
        other.runtime_args = self._runtime_args
        other.common_runtime_args = self._common_runtime_args
        return other

    def without_arguments(self) -> KernelDescriptor:
        """A copy without runtime arguments."""
        other = KernelDescriptor()
        other.kernel_source, other.source_type = self.kernel_source, self.source_type
        other.core_ranges, other.config = self._core_ranges, self._config
        other.compile_time_args = self._compile_time_args
        other.named_compile_time_args = self._named_compile_time_args
        other.defines = self._defines
        other.opt_level = self.opt_level
        other.compiler_include_paths = list(self.compiler_include_paths)
        other.circular_buffers = self.circular_buffers
        other.bindings, other.entry = self.bindings, self.entry
        other.arguments_in_l1 = self.arguments_in_l1
        other._name = self._name
        return other

    def __repr__(self) -> str:
        if self.source_type is SourceType.FILE_PATH:
            source = repr(self.kernel_source)
        else:
            source = f"<{len(self.kernel_source.splitlines())} lines of source>"
        parts = [f"name={self.name!r}", f"kernel_source={source}", f"core_ranges={self._core_ranges}"]
        for label in ("compile_time_args", "named_compile_time_args", "defines", "common_runtime_args"):
            values = list(getattr(self, label))
            if values:
                parts.append(f"{label}={values}")
        if len(self._runtime_args):
            parts.append(f"runtime_args={self._runtime_args!r}")
        parts.append(f"config={self._config!r}")
        return f"KernelDescriptor({', '.join(parts)})"


def require_core_ranges(what: str, value: CoreRangeSet) -> CoreRangeSet:
    if not isinstance(value, CoreRangeSet):
        raise TypeError(f"{what} must be a CoreRangeSet such as CoreRangeSet([CoreRange(start, end)]), not {value!r}")
    return value


def _require_all_or_none(**required: object) -> None:
    missing = [name for name, value in required.items() if value is None]
    if missing and len(missing) < len(required):
        raise TypeError(f"KernelDescriptor needs {', '.join(required)}; missing: {', '.join(missing)}")


def _source(what: str, given: str | os.PathLike[str] | None, source_type: SourceType) -> str:
    if given is None:
        return ""
    return text(what, given) if source_type is SourceType.SOURCE_CODE else path_text(what, given)


def _pairs(what: str, pairs: Iterable[tuple[str, Any]]) -> list[tuple[str, Any]]:
    if isinstance(pairs, dict):
        raise TypeError(f"{what} must be a list of (name, value) pairs, not a dict; use list(your_dict.items())")
    result = items(what, pairs, "a list of (name, value) pairs")
    for index, pair in enumerate(result):
        if not isinstance(pair, tuple) or len(pair) != 2 or not isinstance(pair[0], str):
            raise TypeError(f"{what}[{index}] must be a pair (name, value), not {pair!r}")
    return result
