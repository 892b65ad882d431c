# SPDX-License-Identifier: Apache-2.0
"""Circular buffers over tensors of another format, which is known before the program runs."""

from __future__ import annotations

from collections.abc import Iterator

from tilewright._launch.host_memory import ForeignTensor
from tilewright._launch.observer import Launch
from tilewright._program.circular_buffer import CBDescriptor
from tilewright._rules import RULES
from tilewright._tensor.tensor import Tensor
from tilewright.check._finding import Finding

_SAME = 0xF  # a card's format registers have four bits
_RAW = 0xF0  # raw formats fit all


def formats_over_tensors(launch: Launch) -> Iterator[Finding]:
    """A finding for each circular buffer that lies over a tensor and has another format than its elements."""
    if not any(kernel.is_compute for kernel in launch.program.kernels):
        return
    rule = RULES["tensor-format"]
    for cb in launch.program.cbs:
        for number, tensor in enumerate(launch.tensors):
            if tensor is None or not _lies_over(cb, tensor):
                continue
            for each in cb.format_descriptors:
                code, wanted = each.data_format.value, tensor.dtype.data_format
                if code < _RAW and (code ^ wanted.value) & _SAME:
                    cores = tuple((core.x, core.y) for core in cb.core_ranges)
                    text = (
                        f"{each.label} is {each.data_format.name} and lies over tensor {number}, which is {wanted.name}"
                    )
                    yield Finding(rule.id, "", "", 0, None, cores, each.label, 0, text, rule.cause, rule.cure)


def _lies_over(cb: CBDescriptor, tensor: Tensor | ForeignTensor) -> bool:
    if isinstance(tensor, ForeignTensor):
        return cb.host_lays_over_tensor and not tensor.is_dram and cb.host_address == tensor.address
    return cb.buffer is not None and tensor.device() is not None and cb.buffer is tensor.buffer()
