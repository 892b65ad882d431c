# SPDX-License-Identifier: Apache-2.0
"""A ttnn call as the host's process describes it (``current_tensors`` in _card/host.py).

The first line of JSON has the functions that led to the call, the second what all tensors of the device take, or
``null``. One line follows for each tensor, in the order of the call; ``null`` for one whose pages neither go round the
banks nor are rows of shards. Of a tensor that cannot be described in full nothing is known: silence is better than a
false alarm.
"""

from __future__ import annotations

import json
from typing import Any

from tilewright._launch.host_memory import ForeignTensor
from tilewright._launch.observer import BankUse, Caller, TensorMemory
from tilewright._tensor.dtype import DataType
from tilewright._tensor.layout import Layout, page_geometry
from tilewright._tensor.memory_config import BufferType
from tilewright._tensor.shape import Shape
from tilewright._tensor.tile import Tile


def callers_told(text: str) -> tuple[Caller, ...]:
    """Functions that led to the call, outermost first."""
    lines = text.splitlines()
    return tuple(Caller(name, instance) for name, instance in json.loads(lines[0])) if lines else ()


def memory_told(text: str) -> TensorMemory | None:
    """What all tensors of the device take, where known."""
    lines = text.splitlines()
    described = json.loads(lines[1]) if len(lines) > 1 else None
    return None if described is None else TensorMemory(BankUse(*described["dram"]), BankUse(*described["l1"]))


def tensors_told(text: str) -> tuple[ForeignTensor | None, ...]:
    """Each tensor of the text; None for one that is not known, or lies where one before it does."""
    numbers: dict[tuple[bool, int], int] = {}
    tensors: list[ForeignTensor | None] = []
    for line in text.splitlines()[2:]:
        tensor = _tensor(json.loads(line))
        if tensor is not None and numbers.setdefault((tensor.is_dram, tensor.address), len(tensors)) != len(tensors):
            tensor = None
        tensors.append(tensor)
    return tuple(tensors)


def _tensor(described: dict[str, Any] | None) -> ForeignTensor | None:
    if described is None or described["memory"] not in (BufferType.DRAM.name, BufferType.L1.name):
        return None
    try:
        dtype, layout, tile = DataType[described["dtype"]], Layout[described["layout"]], Tile(described["tile"])
        shape = Shape(described["shape"])
        geometry = page_geometry(shape, dtype, layout, tile)
    except (KeyError, TypeError, ValueError):
        return None  # a dtype, layout or tile that is not simulated
    is_sharded = described["rows_of_shard"] > 0
    if not is_sharded and (geometry != (described["page_bytes"], described["num_pages"]) or not described["num_pages"]):
        return None  # padded otherwise, or a view of another tensor's memory
    return ForeignTensor(
        is_dram=described["memory"] == BufferType.DRAM.name,
        address=described["address"],
        page_bytes=described["page_bytes"],
        stride=described["stride"],
        num_pages=0 if is_sharded else described["num_pages"],
        layout=layout,
        shape=shape,
        tile=tile,
        dtype=dtype,
        pages_per_shard=described["rows_of_shard"],
        is_new=described["is_new"] and not is_sharded,
    )
