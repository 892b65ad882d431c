# SPDX-License-Identifier: Apache-2.0
"""From a kernel and values by name to a ``KernelDescriptor``: complete, and in the right order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from tilewright.kernels.errors import KernelArgumentError
from tilewright.kernels.parameters import ArgumentLayout
from tilewright.program.kernel import KernelConfig, KernelDescriptor
from tilewright.program.tensor_accessor_args import TensorAccessorArgs
from tilewright.tensor.cores import CoreCoord, CoreRangeSet
from tilewright.tensor.tensor import Tensor

# The same values on every core, or the values of each core.
RuntimeValues: TypeAlias = Mapping[str, int] | Mapping[CoreCoord, Mapping[str, int]]


def kernel_descriptor(
    name: str,
    source: str,
    layout: ArgumentLayout,
    core_ranges: CoreRangeSet,
    *,
    compile_time_args: Mapping[str, int],
    runtime_args: RuntimeValues,
    common_runtime_args: Mapping[str, int],
    tensors: Mapping[str, Tensor],
    config: KernelConfig,
) -> KernelDescriptor:
    """See :meth:`tilewright.kernels.language.Kernel.descriptor`."""
    _check_names(name, "tensors", layout.tensors, tensors)
    for tensor_name, tensor in tensors.items():
        if not isinstance(tensor, Tensor):
            raise KernelArgumentError(f"{name}: tensors[{tensor_name!r}] must be a Tensor, not {tensor!r}")
    compile_time = _words(name, "compile_time_args", layout.scalars, compile_time_args)
    for tensor_name in layout.tensors:
        compile_time += TensorAccessorArgs(tensors[tensor_name]).get_compile_time_args()
    return KernelDescriptor(
        kernel_source=source,
        source_type=KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=core_ranges,
        compile_time_args=compile_time,
        runtime_args=_runtime_args(name, layout, core_ranges, runtime_args, tensors),
        common_runtime_args=_words(name, "common_runtime_args", layout.common_runtime, common_runtime_args),
        config=config,
        name=name,
    )


def _runtime_args(
    name: str,
    layout: ArgumentLayout,
    core_ranges: CoreRangeSet,
    given: RuntimeValues,
    tensors: Mapping[str, Tensor],
) -> list[tuple[CoreCoord, list[int]]]:
    addresses = {tensor_name: tensor.buffer_address() for tensor_name, tensor in tensors.items()}
    scalars = tuple(each for each in layout.runtime if each not in layout.tensors)
    by_core = _by_core(name, core_ranges, given)
    rows = []
    for core in core_ranges:
        values = dict(
            zip(scalars, _words(name, f"runtime_args{_of(core, given)}", scalars, by_core[core]), strict=True)
        )
        rows.append((core, [addresses[each] if each in addresses else values[each] for each in layout.runtime]))
    return rows


def _of(core: CoreCoord, given: RuntimeValues) -> str:
    return f" of core ({core.x},{core.y})" if any(isinstance(key, CoreCoord) for key in given) else ""


def _by_core(name: str, core_ranges: CoreRangeSet, given: Any) -> dict[CoreCoord, Mapping[str, int]]:
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


def _words(name: str, what: str, wanted: tuple[str, ...], given: Mapping[str, int]) -> list[int]:
    _check_names(name, what, wanted, given)
    for each in wanted:
        value = given[each]
        if not isinstance(value, int) or not 0 <= value < 2**32:
            raise KernelArgumentError(f"{name}: {what}: {each} must be a uint32 (0 to 4294967295), not {value!r}")
    return [int(given[each]) for each in wanted]
