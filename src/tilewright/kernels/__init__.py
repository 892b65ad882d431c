# SPDX-License-Identifier: Apache-2.0
"""The Python kernel language: kernels in restricted, typed Python that become tt-metal C++.

The functions kernels call are in ``tilewright.kernels.api``.
"""

from tilewright.kernels._cpp_kernel import CppKernel, cpp_kernel
from tilewright.kernels._errors import KernelArgumentError, KernelLanguageError
from tilewright.kernels._kernel_function import KernelFunction
from tilewright.kernels._language import Kernel, compute_kernel, kernel_function, reader_kernel, writer_kernel
from tilewright.kernels._parameters import CircularBuffers, CommonRuntimeArg, CompileTimeArg, RuntimeArg, TensorArg
from tilewright.kernels._types import (
    CB,
    float32,
    float_bits,
    float_from_bits,
    int32,
    l1_ptr,
    uint8,
    uint16,
    uint32,
    uint64,
)

__all__ = [
    "CB",
    "CircularBuffers",
    "CommonRuntimeArg",
    "CompileTimeArg",
    "CppKernel",
    "Kernel",
    "KernelArgumentError",
    "KernelFunction",
    "KernelLanguageError",
    "RuntimeArg",
    "TensorArg",
    "compute_kernel",
    "cpp_kernel",
    "float32",
    "float_bits",
    "float_from_bits",
    "int32",
    "kernel_function",
    "l1_ptr",
    "reader_kernel",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "writer_kernel",
]
