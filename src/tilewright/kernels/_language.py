# SPDX-License-Identifier: Apache-2.0
"""Kernel decorators: a Python function that becomes tt-metal C++.

Example::

    class Buffers(CircularBuffers):
        input = 0
        output = 16

    @compute_kernel
    def exponentiate(num_tiles: RuntimeArg, cb: Buffers) -> None:
        compute_kernel_hw_startup(cb.input, cb.output)
        copy_init(cb.input)
        exp_tile_init()
        for _ in range(num_tiles):
            ...

    print(exponentiate.cpp_source())
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Mapping
from typing import Any

from tilewright._program.kernel import KernelDescriptor
from tilewright._program.kernel_config import (
    ComputeConfigDescriptor,
    KernelConfig,
    ReaderConfigDescriptor,
    WriterConfigDescriptor,
)
from tilewright._tensor.cores import CoreRangeSet
from tilewright._tensor.tensor import Tensor
from tilewright.kernels._cpp_text import Line, plain_text, text_with_positions
from tilewright.kernels._descriptor import RuntimeValues, Values, kernel_descriptor
from tilewright.kernels._kernel_function import KernelFunction
from tilewright.kernels._parameters import ParameterLayout, argument_layout
from tilewright.kernels._translate import Unit


class KernelRole(enum.Enum):
    """A kernel's role on its core, which decides the processor it runs on."""

    READER = "reader"
    WRITER = "writer"
    COMPUTE = "compute"


_CONFIGS: dict[KernelRole, Callable[[], KernelConfig]] = {
    KernelRole.READER: ReaderConfigDescriptor,
    KernelRole.WRITER: WriterConfigDescriptor,
    KernelRole.COMPUTE: ComputeConfigDescriptor,
}


class Kernel(KernelFunction):
    """A kernel written in Python."""

    is_kernel = True

    def __init__(self, function: Callable[..., Any], role: KernelRole) -> None:
        super().__init__(function)
        self.role = role

    @functools.cached_property
    def _lines(self) -> list[Line]:
        return Unit(self, self.role is KernelRole.COMPUTE).lines()

    @functools.cached_property
    def _source(self) -> str:
        return plain_text(self._lines)

    @functools.cached_property
    def _source_with_positions(self) -> str:
        return text_with_positions(self._lines)

    def cpp_source(self, lines: bool = False) -> str:
        """The kernel in C++, as a card would compile it.

        A kernel is translated once, with the values the module's constants have then.

        Args:
            lines: put ``#line`` directives in, so that every message points into the Python file.

        Raises:
            KernelLanguageError: the kernel says something the language does not have, or does not add up.
        """
        return self._source_with_positions if lines else self._source

    @functools.cached_property
    def arguments(self) -> ParameterLayout:
        """The order of the kernel's arguments."""
        return argument_layout(self.parameters)

    @property
    def compile_time_arg_names(self) -> tuple[str, ...]:
        """Compile-time arguments in order; a tensor stands for all words of its accessor."""
        return self.arguments.compile_time

    @property
    def runtime_arg_names(self) -> tuple[str, ...]:
        """Runtime arguments in order; a tensor stands for its address."""
        return self.arguments.runtime

    @property
    def common_runtime_arg_names(self) -> tuple[str, ...]:
        return self.arguments.common_runtime

    def descriptor(
        self,
        core_ranges: CoreRangeSet,
        *,
        compile_time_args: Values | None = None,
        runtime_args: RuntimeValues | None = None,
        common_runtime_args: Values | None = None,
        tensors: Mapping[str, Tensor] | None = None,
        config: KernelConfig | None = None,
        lines: bool = True,
    ) -> KernelDescriptor:
        """The kernel with its arguments, ready for a ``ProgramDescriptor``.

        Args:
            compile_time_args: values by name; an int, float or bool as the parameter says.
            runtime_args: values by name for all cores, or by core: ``{CoreCoord(0, 0): {"num_tiles": 4}}``.
            tensors: the tensor of each ``TensorArg``; its accessor's arguments and its address follow from it.
            config: another configuration than the role's own.
            lines: whether positions point into the Python file.

        Raises:
            KernelArgumentError: an argument is missing, unknown or not of its parameter's type.
        """
        return kernel_descriptor(
            self.name,
            self.cpp_source(lines),
            self.arguments,
            core_ranges,
            compile_time_args=compile_time_args or {},
            runtime_args=runtime_args or {},
            common_runtime_args=common_runtime_args or {},
            tensors=tensors or {},
            config=config if config is not None else _CONFIGS[self.role](),
        )


def reader_kernel(function: Callable[..., Any]) -> Kernel:
    """Makes a function a data-movement kernel on NCRISC: ``@reader_kernel``."""
    return Kernel(function, KernelRole.READER)


def writer_kernel(function: Callable[..., Any]) -> Kernel:
    """Makes a function a data-movement kernel on BRISC: ``@writer_kernel``."""
    return Kernel(function, KernelRole.WRITER)


def compute_kernel(function: Callable[..., Any]) -> Kernel:
    """Makes a function a compute kernel: ``@compute_kernel``."""
    return Kernel(function, KernelRole.COMPUTE)


def kernel_function(function: Callable[..., Any]) -> KernelFunction:
    """Makes a function callable from kernels: ``@kernel_function``."""
    return KernelFunction(function)
