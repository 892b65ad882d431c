# SPDX-License-Identifier: Apache-2.0
"""Kernel and named values to a ``KernelDescriptor``."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from typing import Any, TypeAlias

from tilewright._program.kernel import KernelDescriptor
from tilewright._program.kernel_config import KernelConfig
from tilewright._program.tensor_accessor_args import TensorAccessorArgs
from tilewright._tensor.cores import CoreCoord, CoreRangeSet
from tilewright._tensor.tensor import Tensor
from tilewright.kernels._errors import KernelArgumentError
from tilewright.kernels._parameters import ParameterLayout
from tilewright.kernels._types import BOOL, CB_INDEX, FLOAT32, INT32, UINT32, Type, float_bits

# Values by name: int, float or bool, as the parameter says.
Values: TypeAlias = Mapping[str, float]
# The same values on every core, or the values of each core.
RuntimeValues: TypeAlias = Values | Mapping[CoreCoord, Values]
_INTEGERS = {UINT32: range(0, 2**32), INT32: range(-(2**31), 2**31), CB_INDEX: range(0, 64)}


def kernel_descriptor(
    name: str,
    source: str,
    layout: ParameterLayout,
    core_ranges: CoreRangeSet,
    *,
    compile_time_args: Values,
    runtime_args: RuntimeValues,
    common_runtime_args: Values,
    tensors: Mapping[str, Tensor],
    config: KernelConfig,
) -> KernelDescriptor:
    """See :meth:`tilewright.kernels._language.Kernel.descriptor`."""
    _check_names(name, "tensors", layout.tensors, tensors)
    for tensor_name, tensor in tensors.items():
        if not isinstance(tensor, Tensor):
            raise KernelArgumentError(f"{name}: tensors[{tensor_name!r}] must be a Tensor, not {tensor!r}")
    compile_time = _words(name, "compile_time_args", layout, layout.scalars, compile_time_args)
    for tensor_name in layout.tensors:
        compile_time += TensorAccessorArgs(tensors[tensor_name]).get_compile_time_args()
    return KernelDescriptor(
        kernel_source=source,
        source_type=KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=core_ranges,
        compile_time_args=compile_time,
        runtime_args=_runtime_args(name, layout, core_ranges, runtime_args, tensors),
        common_runtime_args=_words(name, "common_runtime_args", layout, layout.common_runtime, common_runtime_args),
        config=config,
        name=name,
    )


def _runtime_args(
    name: str,
    layout: ParameterLayout,
    core_ranges: CoreRangeSet,
    given: RuntimeValues,
    tensors: Mapping[str, Tensor],
) -> list[tuple[CoreCoord, list[int]]]:
    addresses = {tensor_name: tensor.buffer_address() for tensor_name, tensor in tensors.items()}
    scalars = tuple(each for each in layout.runtime if each not in layout.tensors)
    by_core = _by_core(name, core_ranges, given)
    rows = []
    for core in core_ranges:
        words = _words(name, f"runtime_args{_of(core, given)}", layout, scalars, by_core[core])
        values = dict(zip(scalars, words, strict=True))
        rows.append((core, [addresses[each] if each in addresses else values[each] for each in layout.runtime]))
    return rows


def _of(core: CoreCoord, given: RuntimeValues) -> str:
    return f" of core ({core.x},{core.y})" if any(isinstance(key, CoreCoord) for key in given) else ""


def _by_core(name: str, core_ranges: CoreRangeSet, given: Any) -> dict[CoreCoord, Values]:
    if not any(isinstance(key, CoreCoord) for key in given):
        return {core: given for core in core_ranges}
    cores = set(core_ranges)
    missing = [core for core in core_ranges if core not in given]
    if missing:
        raise KernelArgumentError(f"{name}: runtime_args has no values for core ({missing[0].x},{missing[0].y})")
    extra = [core for core in given if core not in cores]
    if extra:
        raise KernelArgumentError(f"{name}: runtime_args names {extra[0]!r}, which is not among the kernel's cores")
    return dict(given)


def _check_names(name: str, what: str, wanted: tuple[str, ...], given: Mapping[str, Any]) -> None:
    missing = [each for each in wanted if each not in given]
    extra = [str(each) for each in given if each not in wanted]
    if missing or extra:
        problems = [f"{', '.join(missing)} missing"] if missing else []
        problems += [f"{', '.join(extra)} unknown"] if extra else []
        takes = ", ".join(wanted) if wanted else "nothing"
        raise KernelArgumentError(f"{name}: {what}: {'; '.join(problems)}. It takes {takes}.")


def _words(name: str, what: str, layout: ParameterLayout, wanted: tuple[str, ...], given: Values) -> list[int]:
    _check_names(name, what, wanted, given)
    words = []
    for each in wanted:
        try:
            words.append(_word(given[each], layout.types[each]))
        except ValueError as error:
            raise KernelArgumentError(f"{name}: {what}: {each} must be {error}, not {given[each]!r}") from None
    return words


def _word(value: Any, type_: Type) -> int:
    """The 32 bits that hold ``value``; a ValueError that says what it should be if it does not fit."""
    if type_ == BOOL:
        if not isinstance(value, bool):
            raise ValueError("True or False")
        return int(value)
    if type_ == FLOAT32:
        if not isinstance(value, numbers.Real) or isinstance(value, bool):
            raise ValueError("a float32")
        try:
            return float_bits(float(value))
        except OverflowError:
            raise ValueError("a float32 (at most 3.4028235e+38)") from None
    allowed = _INTEGERS[type_]
    if not isinstance(value, numbers.Integral) or int(value) not in allowed:
        what = "the index of a circular buffer" if type_ == CB_INDEX else "a uint32" if type_ == UINT32 else "an int32"
        raise ValueError(f"{what} ({allowed[0]} to {allowed[-1]})")
    return int(value) & 0xFFFFFFFF
