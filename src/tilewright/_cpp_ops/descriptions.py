# SPDX-License-Identifier: Apache-2.0
"""ttnn's objects as values of messages, and back: tensors, shapes, memory configs, cores, options of kernels.

Only attributes are read that the published ttnn and ours both have, so one description serves both.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tilewright._cpp_ops.bound_classes import BoundEnum, BoundObject
from tilewright._cpp_ops.message import ObjectId
from tilewright._tensor.arch import describe_arch

_CONFIG_CLASSES = ("ComputeKernelConfig", "WormholeComputeKernelConfig", "BlackholeComputeKernelConfig")


class ObjectTable:
    """Python objects that a library holds handles of."""

    def __init__(self) -> None:
        self._objects: dict[int, Any] = {}
        self._next = 1

    def add(self, value: Any) -> ObjectId:
        number = self._next
        self._next += 1
        self._objects[number] = value
        return ObjectId(number)

    def get(self, identity: ObjectId) -> Any:
        return self._objects[identity.number]

    def find(self, number: int) -> Any:
        """The object with this number, None if the library gave it up."""
        return self._objects.get(number)

    def release(self, number: int) -> None:
        self._objects.pop(number, None)

    def __len__(self) -> int:
        return len(self._objects)


class Descriptions:
    """Conversions for one library: its table of objects, and the ttnn its tensors belong to."""

    def __init__(self, ttnn: Any) -> None:
        self.ttnn = ttnn
        self.objects = ObjectTable()
        self._devices: list[Any] = []
        self.bound_classes: dict[str, type[BoundObject]] = {}
        self.bound_enums: dict[str, type[BoundEnum]] = {}  # by their type in C++

    def value(self, thing: Any) -> Any:
        """A Python argument as a value; things a library cannot know are handles."""
        if thing is None or isinstance(thing, (bool, int, float, str)):
            return thing
        if isinstance(thing, (BoundObject, BoundEnum)):
            return self._bound(thing)
        kind = type(thing).__name__
        if kind == "Tensor":
            return self.tensor(thing)
        if isinstance(thing, (list, tuple)):
            return ["tuple" if isinstance(thing, tuple) else "list", *map(self.value, thing)]
        if kind == "Shape":
            return ["Shape", *map(int, thing)]
        if kind == "MemoryConfig":
            return self.memory_config(thing)
        if kind in ("CoreCoord", "CoreGrid"):
            return [kind if kind == "CoreCoord" else "CoreCoord", int(thing.x), int(thing.y)]
        if kind == "CoreRange":
            return _core_range(thing)
        if kind == "CoreRangeSet":
            return core_range_set(thing)
        if kind == "ShardSpec":
            return ["ShardSpec", *_shard_spec(thing)]
        if kind == "Tile":
            return ["Tile", *map(int, thing.tile_shape)]
        if kind in _CONFIG_CLASSES:
            return _compute_kernel_config(thing)
        if callable(getattr(thing, "compute_with_storage_grid_size", None)):
            return self.device(thing)
        name = getattr(thing, "name", None)
        if isinstance(name, str) and hasattr(thing, "value"):
            return ["enum", name]
        return self.objects.add(thing)

    def _bound(self, thing: BoundObject | BoundEnum) -> Any:
        """An object or enum value of a library's classes; a handle where the library is another one."""
        if isinstance(thing, BoundObject):
            known = type(thing) is self.bound_classes.get(type(thing).__name__)
            return thing._description() if known else self.objects.add(thing)
        kinds = (kind for kind, bound in self.bound_enums.items() if type(thing) is bound)
        kind = next(kinds, None)
        return self.objects.add(thing) if kind is None else ["enum", thing.name, kind, thing.value]

    def tensor(self, tensor: Any) -> list[Any]:
        """A tensor in the form that ``FromValue<ttnn::Tensor>`` reads."""
        device = tensor.device() if tensor.storage_type().name == "DEVICE" else None
        allocated = bool(tensor.is_allocated())
        return [
            "Tensor",
            self.objects.add(tensor),
            ["Shape", *map(int, tensor.shape)],
            ["Shape", *map(int, tensor.padded_shape)],
            tensor.dtype.name,
            tensor.layout.name,
            ["Tile", *map(int, tensor.tile.tile_shape)],
            self.memory_config(tensor.memory_config()),
            None if device is None else self.device(device),
            allocated,
            int(tensor.buffer_address()) if device is not None and allocated else 0,
        ]

    def device(self, device: Any) -> list[Any]:
        """A device in the form that ``device_of`` reads."""
        key = next((number for number, known in enumerate(self._devices) if known is device), None)
        if key is None:
            key = len(self._devices)
            self._devices.append(device)
        arch = device.arch().name
        chip = describe_arch(arch.lower())
        grid = device.compute_with_storage_grid_size()
        dram = device.dram_grid_size()
        unreserved = int(self.ttnn.get_max_worker_l1_unreserved_size())
        return [
            "Device",
            self.objects.add(device),
            key,
            arch,
            ["CoreCoord", int(grid.x), int(grid.y)],
            ["CoreCoord", int(dram.x), int(dram.y)],
            chip.l1_bytes,
            chip.l1_unreserved_base,
            unreserved,
            int(dram.x) * int(dram.y),
            chip.l1_alignment,
            chip.dram_alignment,
            int(device.get_num_devices()),
        ]

    def last_device(self) -> Any:
        """The device a call named last, or None."""
        return self._devices[-1] if self._devices else None

    def memory_config(self, config: Any) -> list[Any]:
        shards = config.shard_spec
        nd_shards = config.nd_shard_spec
        return [
            "MemoryConfig",
            config.memory_layout.name,
            config.buffer_type.name,
            None if shards is None else _shard_spec(shards),
            None if nd_shards is None else _nd_shard_spec(nd_shards),
            nd_shards is not None and (shards is None or _created_with_nd_shard_spec(config)),
        ]

    def thing(self, value: Any) -> Any:
        """A value of a library as ttnn's object."""
        if isinstance(value, ObjectId):
            return self.objects.get(value)
        if not isinstance(value, list) or not value or not isinstance(value[0], str):
            return value
        kind, rest = value[0], value[1:]
        if kind in ("list", "tuple"):
            items = [self.thing(each) for each in rest]
            return items if kind == "list" else tuple(items)
        if kind == "enum":
            bound = self.bound_enums.get(rest[1])
            return self.enum(rest[0]) if bound is None else bound(rest[2])
        if kind == "object":
            return self.bound_classes[rest[0]]._of(rest[1])
        makers = {
            "Shape": lambda: self.ttnn.Shape(rest),
            "CoreCoord": lambda: self.ttnn.CoreCoord(*rest),
            "CoreRange": lambda: self.core_range(value),
            "CoreRangeSet": lambda: self.core_ranges(value),
            "MemoryConfig": lambda: self.to_memory_config(value),
            "Tile": lambda: self.ttnn.Tile(rest),
        }
        return makers[kind]()

    def enum(self, name: str) -> Any:
        """A value of one of ttnn's enums, by its name."""
        for kind in ("DataType", "Layout", "TensorMemoryLayout", "BufferType", "MathFidelity"):
            found = getattr(getattr(self.ttnn, kind), name, None)
            if found is not None:
                return found
        return name

    def core_range(self, value: list[Any]) -> Any:
        coord = self.ttnn.CoreCoord
        return self.ttnn.CoreRange(coord(value[1], value[2]), coord(value[3], value[4]))

    def core_ranges(self, value: list[Any]) -> Any:
        return self.ttnn.CoreRangeSet([self.core_range(each) for each in value[1:]])

    def to_memory_config(self, value: list[Any]) -> Any:
        ttnn = self.ttnn
        layout, place = getattr(ttnn.TensorMemoryLayout, value[1]), getattr(ttnn.BufferType, value[2])
        if value[3] is not None:
            grid, height, width, orientation = value[3]
            spec = ttnn.ShardSpec(self.core_ranges(grid), [height, width], getattr(ttnn.ShardOrientation, orientation))
            return ttnn.MemoryConfig(layout, place, spec)
        if value[4] is not None:
            shape, grid, orientation, strategy = value[4]
            spec = ttnn.NdShardSpec(
                ttnn.Shape(shape[1:]),
                self.core_ranges(grid),
                getattr(ttnn.ShardOrientation, orientation),
                getattr(ttnn.ShardDistributionStrategy, strategy),
            )
            return ttnn.MemoryConfig(place, spec)
        return ttnn.MemoryConfig(layout, place)


def _core_range(thing: Any) -> list[Any]:
    return ["CoreRange", int(thing.start.x), int(thing.start.y), int(thing.end.x), int(thing.end.y)]


def core_range_set(thing: Any) -> list[Any]:
    """A CoreRangeSet as a value."""
    return ["CoreRangeSet", *map(_core_range, thing.ranges())]


def _shard_spec(spec: Any) -> list[Any]:
    height, width = map(int, spec.shape)
    return [core_range_set(spec.grid), height, width, spec.orientation.name]


def _nd_shard_spec(spec: Any) -> list[Any]:
    return [
        ["Shape", *map(int, spec.shard_shape)],
        core_range_set(spec.grid),
        spec.orientation.name,
        spec.shard_distribution_strategy.name,
    ]


def _created_with_nd_shard_spec(config: Any) -> bool:
    """Which of two shard specs the config was made with: ttnn derives the other, and has no attribute for it."""
    return bool(json.loads(config.to_json())["created_with_nd_shard_spec"])


def _compute_kernel_config(config: Any) -> list[Any]:
    flags = ("math_approx_mode", "fp32_dest_acc_en", "packer_l1_acc", "dst_full_sync_en")
    return [
        "ComputeKernelConfig",
        config.math_fidelity.name,
        *(bool(getattr(config, flag, False)) for flag in flags),
    ]


def keyword_values(descriptions: Descriptions, keywords: Mapping[str, Any]) -> list[Any]:
    """Keyword arguments of a call."""
    return [[name, descriptions.value(value)] for name, value in keywords.items()]
