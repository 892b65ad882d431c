# SPDX-License-Identifier: Apache-2.0
"""Calls some of ttnn's operations and prints, as JSON, how far each result is from float64: 1 is what is allowed.

Allowed is, for every element, a number of units in the last place of bfloat16 (2**-8), one for each step that rounds or
truncates, of the result itself or, where terms cancel, of the size results typically have. A product of matrices has
eight: by default ttnn asks for LoFi, which takes five bits of one operand. Data movement allows nothing.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from typing import Any

import numpy as np
import ttnn

from tilewright._card.times import card_times

Array = np.ndarray[Any, np.dtype[np.float64]]
generator = np.random.default_rng(0)


def random(*shape: int) -> Array:
    """Numbers that bfloat16 can hold."""
    values = generator.standard_normal(shape).astype(np.float32)
    return (values.view(np.uint32) & 0xFFFF0000).view(np.float32).astype(np.float64)


def softmax(values: Array) -> Array:
    powers = np.exp(values - values.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def put(values: Array, memory: Any = None, layout: Any = ttnn.TILE_LAYOUT) -> Any:
    tensor = ttnn.Tensor(values.astype(np.float32), ttnn.bfloat16)
    tensor = tensor.to(layout) if layout != ttnn.ROW_MAJOR_LAYOUT else tensor
    return tensor.to(device, memory) if memory is not None else tensor.to(device)


def get(tensor: Any) -> Array:
    host = tensor.cpu()
    host = host if host.layout == ttnn.ROW_MAJOR_LAYOUT else host.to(ttnn.ROW_MAJOR_LAYOUT)
    return np.array(host.to_list(), dtype=np.float64).reshape(tuple(tensor.shape))


a, b, w = random(1, 1, 64, 128), random(1, 1, 64, 128), random(1, 1, 128, 96)
height = dict(core_grid=ttnn.CoreGrid(y=2, x=1), strategy=ttnn.ShardStrategy.HEIGHT)
# By name: the call, what it should give, units allowed.
OPERATIONS = {
    "add": (lambda: ttnn.add(put(a), put(b)), a + b, 1),
    "exp": (lambda: ttnn.exp(put(a)), np.exp(a), 2),
    "softmax": (lambda: ttnn.softmax(put(a), dim=-1), softmax(a), 6),
    "matmul": (lambda: ttnn.matmul(put(a), put(w)), a @ w, 8),
    "sum": (lambda: ttnn.sum(put(a), dim=-1, keepdim=True), a.sum(-1, keepdims=True), 4),
    "concat": (lambda: ttnn.concat([put(a), put(b)], dim=-1), np.concatenate([a, b], -1), 0),
    "to_layout": (lambda: ttnn.to_layout(put(a), ttnn.ROW_MAJOR_LAYOUT), a, 0),
    "add in L1": (lambda: ttnn.add(put(a, ttnn.L1_MEMORY_CONFIG), put(b, ttnn.L1_MEMORY_CONFIG)), a + b, 1),
    "exp sharded": (lambda: ttnn.exp(put(a, ttnn.create_sharded_memory_config(a.shape, **height))), np.exp(a), 2),
    "add again": (lambda: ttnn.add(put(b), put(a)), a + b, 1),
}


def distance(got: Array, wanted: Array, units: int) -> float:
    typical = np.sqrt(np.square(wanted).mean())
    allowed = units * 2.0**-8 * np.maximum(np.abs(wanted), typical)
    difference = np.abs(got - wanted)
    if not units:
        return 0.0 if not difference.any() else float("inf")
    return float((difference / allowed).max())


device = ttnn.open_device(device_id=0)
chosen = sys.argv[1:] or list(OPERATIONS)
results = {}
before = card_times()
for name in chosen:
    call, wanted, units = OPERATIONS[name]
    results[name] = distance(get(call()), wanted, units)
spent = card_times() - before
grid = device.compute_with_storage_grid_size()
ttnn.close_device(device)
print(json.dumps({"grid": [grid.x, grid.y], "results": results, "spent": dataclasses.asdict(spent)}))
