# SPDX-License-Identifier: Apache-2.0
"""Requests of an operation's library to Python: tensors, devices, work splits, and the launch of its programs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import numpy as np

from tilewright._cpp_ops.descriptions import Descriptions, core_range_set
from tilewright._cpp_ops.differences import program_differences
from tilewright._cpp_ops.errors import CppOperationError
from tilewright._cpp_ops.message import ObjectId
from tilewright._cpp_ops.program_specs import spec_program
from tilewright._cpp_ops.programs import FindKernel, program_descriptor

_LOG = logging.getLogger("tilewright.cpp")
_LEVELS = {"trace": 5, "debug": 10, "info": 20, "warning": 30, "error": 40, "critical": 50}


def write_log(level: str, kind: str, text: str) -> None:
    """A line of ``log_info`` and its relatives."""
    _LOG.log(_LEVELS[level], "%s: %s", kind, text)


class StaleProgramError(CppOperationError):
    """A cached program after ``override_runtime_arguments`` is not the one a fresh build would give."""


class Bridge:
    """The functions a library calls by name.

    Attributes:
        on_program: gets each recorded program before it is launched.
        launches: False where programs are recorded only.
    """

    def __init__(self, ttnn: Any, find_kernel: FindKernel) -> None:
        self.to = Descriptions(ttnn)
        self.on_program: Callable[[list[Any]], None] | None = None
        self.launches = True
        self._find_kernel = find_kernel
        self._functions: dict[str, Callable[..., Any]] = {
            "allocate": self._allocate,
            "any_device": self._any_device,
            "compare_factories": self._compare_factories,
            "compare_programs": self._compare_programs,
            "deallocate": self._deallocate,
            "elements": self._elements,
            "host_tensor": self._host_tensor,
            "log": write_log,
            "lowest_l1_address": self._lowest_l1_address,
            "num_cores_to_corerangeset": self._num_cores_to_corerangeset,
            "num_cores_to_corerangeset_in_subcoregrids": self._num_cores_in_subcoregrids,
            "operation": self._operation,
            "run_program": self._run_program,
            "run_spec": self._run_spec,
            "split_work_to_cores": self._split_work_to_cores,
            "tensor_accessor_args": self._tensor_accessor_args,
            "worker_core": self._worker_core,
        }

    @property
    def ttnn(self) -> Any:
        return self.to.ttnn

    def call(self, message: list[Any]) -> Any:
        """Answers one request: its name, then its arguments."""
        return self._functions[message[0]](*message[1:])

    def _allocate(self, spec: list[Any], device: ObjectId) -> Any:
        _, shape, padded, dtype, layout, tile, memory_config = spec
        ttnn = self.ttnn
        tensor = ttnn.allocate_tensor_on_device(
            ttnn.Shape(shape[1:]),
            getattr(ttnn.DataType, dtype),
            getattr(ttnn.Layout, layout),
            self.to.objects.get(device),
            self.to.to_memory_config(memory_config),
        )
        got = list(map(int, tensor.padded_shape))
        if got != padded[1:] or (layout == "TILE" and list(map(int, tensor.tile.tile_shape)) != tile[1:]):
            raise CppOperationError(
                f"the operation's output has padded shape {padded[1:]} and tiles of {tile[1]}x{tile[2]}; ttnn "
                f"allocates {got} and {list(tensor.tile.tile_shape)} for shape {shape[1:]}, and takes no others "
                "from Python"
            )
        return self.to.tensor(tensor)

    def _any_device(self) -> Any:
        device = self.to.last_device()
        if device is None:
            raise CppOperationError("the operation asks for the chip's figures before it got a tensor or a device")
        return self.to.device(device)

    def _deallocate(self, tensor: ObjectId, _force: bool) -> None:
        self.ttnn.deallocate(self.to.objects.get(tensor))

    def _elements(self, tensor: ObjectId) -> list[Any]:
        elements: list[Any] = np.asarray(self.to.objects.get(tensor).cpu().to_list()).reshape(-1).tolist()
        return elements

    def _host_tensor(self, values: list[Any], shape: list[Any], dtype: list[Any], layout: list[Any]) -> Any:
        ttnn = self.ttnn
        array = np.array(values, np.float32 if any(isinstance(each, float) for each in values) else np.int64)
        array = array.reshape(shape[1:])
        kind = {"dtype": self.to.thing(dtype), "layout": self.to.thing(layout)}
        if hasattr(ttnn, "from_numpy"):
            return self.to.tensor(ttnn.from_numpy(array, **kind))
        import torch

        return self.to.tensor(ttnn.from_torch(torch.from_numpy(array), **kind))

    def _lowest_l1_address(self, device: ObjectId) -> int | None:
        found, ttnn = self.to.objects.get(device), self.ttnn
        if hasattr(found, "l1_buffers"):
            return min((buffer.address for buffer in found.l1_buffers()), default=None)
        buffers = ttnn._ttnn.reports.get_buffers([found])
        return min((int(each.address) for each in buffers if each.buffer_type == ttnn.BufferType.L1), default=None)

    def _worker_core(self, device: ObjectId, core: list[Any]) -> list[Any]:
        worker = self.to.objects.get(device).worker_core_from_logical_core(self.to.thing(core))
        return ["CoreCoord", int(worker.x), int(worker.y)]

    def _split_work_to_cores(self, grid: list[Any], units: int, row_wise: bool) -> list[Any]:
        count, everywhere, first, second, per_first, per_second = self.ttnn.split_work_to_cores(
            self.to.thing(grid), units, row_wise
        )
        return [
            count,
            core_range_set(everywhere),
            core_range_set(first),
            core_range_set(second),
            per_first,
            per_second,
        ]

    def _num_cores_to_corerangeset(self, count: int, grid: list[Any], row_wise: bool) -> list[Any]:
        return core_range_set(self.ttnn.num_cores_to_corerangeset(count, self.to.thing(grid), row_wise))

    def _num_cores_in_subcoregrids(self, start: Any, count: int, grids: Any, row_wise: bool) -> list[Any]:
        to = self.to
        chosen = self.ttnn.num_cores_to_corerangeset_in_subcoregrids(to.thing(start), count, to.thing(grids), row_wise)
        return core_range_set(chosen)

    def _tensor_accessor_args(self, tensor: ObjectId, config: int) -> list[Any]:
        if config & 0xFC:
            raise CppOperationError("TensorAccessorArgs with arguments at run time are not available from Python")
        args = self.ttnn.TensorAccessorArgs(self.to.objects.get(tensor))
        return [list(args.get_compile_time_args()), list(args.get_common_runtime_args())]

    def _operation(self, name: str, positional: list[Any], keywords: list[Any]) -> Any:
        """Another operation of ttnn, called from C++."""
        found: Any = self.ttnn
        for part in name.split("."):
            found = getattr(found, part)
        given = {key: self.to.thing(value) for key, value in keywords}
        return self.to.value(found(*map(self.to.thing, positional), **given))

    def _compare_factories(self, operation: str, kept: str, selected: str) -> None:
        raise StaleProgramError(
            f"{operation}: the program in the cache was made by {kept}; select_program_factory gives {selected} for "
            "this call (what it depends on is not in the program hash)"
        )

    def _compare_programs(self, operation: str, cached: Any, fresh: Any, compared: str) -> None:
        differences = program_differences(cached, fresh, compared)
        if differences:
            listed = "".join(f"\n  {line}" for line in differences[:12])
            more = f"\n  and {len(differences) - 12} more" if len(differences) > 12 else ""
            raise StaleProgramError(
                f"{operation}: the program in the cache differs from the one that create gives for this call:"
                f"{listed}{more}"
            )

    def _run_program(self, operation: str, tensors: list[ObjectId], program: list[Any], _from_cache: bool) -> None:
        if program[0] == "spec":
            self._run_spec(operation, tensors, *program[1:])
            return
        if self.on_program is not None:
            self.on_program(program)
        io = [self.to.objects.get(each) for each in tensors]
        self._launch(io, program_descriptor(program, io, self.to, self._find_kernel))

    def _launch(self, io: list[Any], program: Any) -> None:
        if self.launches:
            # The published ttnn wants two tensors at least; an operation without an input has one.
            self.ttnn.generic_op(io if len(io) > 1 else io * 2, program)

    def _run_spec(self, operation: str, tensors: list[ObjectId], spec: list[Any], run_args: list[Any]) -> None:
        io = [self.to.objects.get(each) for each in tensors]
        self._launch(io, spec_program(operation, spec, run_args, self.to, self._find_kernel))
