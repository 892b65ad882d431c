# SPDX-License-Identifier: Apache-2.0
"""Measures the real ttnn on the simulated card, in a Python that has it; prints rows as JSON.

``bench/real_ttnn.py`` runs it under ``tilewright exec``. Whose time it is comes from the card's library: what is left
beside its reads, writes and launches is ttnn's own host code.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
import ttnn

from bench.transformer_layers import DECODER, ENCODER, SEQUENCE, InTorch, InTtnn, Layer, distance, random_weights
from tilewright._card.times import CardTimes, card_times

Row = dict[str, Any]

# Fast dispatch writes tensors through a ring in host memory. Its first pass costs page faults, so it is not measured.
RING_BYTES = 1 << 30


def best(call: Callable[[], object], turns: int) -> tuple[float, CardTimes]:
    """Seconds of the fastest call, and what the card did in it."""
    call()
    fastest, spent = float("inf"), card_times() - card_times()
    for _ in range(turns):
        before, begin = card_times(), time.perf_counter()
        call()
        seconds = time.perf_counter() - begin
        if seconds < fastest:
            fastest, spent = seconds, card_times() - before
    return fastest, spent


def shares(seconds: float, spent: CardTimes) -> dict[str, float]:
    """Whose the seconds are: ttnn's host code, ours, kernels'."""
    ours = spent.reading + spent.writing + spent.launching - spent.running
    return {"host": seconds - ours - spent.running, "ours": ours, "kernels": spent.running}


def row(name: str, seconds: float, spent: CardTimes, torch_seconds: float) -> Row:
    return {"name": name, "seconds": seconds, "torch": torch_seconds, **shares(seconds, spent)}


def operations(device: Any, turns: int) -> Iterator[Row]:
    for size in (1024, 4096):
        x, y = (torch.randn(size, size).bfloat16() for _ in range(2))
        on_device = [ttnn.from_torch(each, layout=ttnn.TILE_LAYOUT, device=device) for each in (x, y)]
        pairs: dict[str, tuple[Callable[..., Any], Callable[[], object]]] = {
            "add": (ttnn.add, lambda x=x, y=y: x + y),
            "exp": (lambda a, _: ttnn.exp(a), lambda x=x: torch.exp(x)),
            "softmax": (lambda a, _: ttnn.softmax(a, dim=-1), lambda x=x: torch.softmax(x, -1)),
            "layer_norm": (
                lambda a, _: ttnn.layer_norm(a),
                lambda x=x: torch.nn.functional.layer_norm(x, x.shape[-1:]),
            ),
            "matmul": (ttnn.matmul, lambda x=x, y=y: x @ y),
        }
        for name, (ours, rival) in pairs.items():
            count = turns if size == 1024 or name != "matmul" else 1
            seconds, spent = best(lambda ours=ours, given=on_device: ours(*given), count)
            yield row(f"ttnn.{name} {size}x{size} bf16", seconds, spent, best(rival, count)[0])


def transfers(device: Any, turns: int) -> Iterator[Row]:
    x = torch.randn(4096, 4096).bfloat16()
    for layout, name in ((ttnn.TILE_LAYOUT, "tiles"), (ttnn.ROW_MAJOR_LAYOUT, "rows")):
        on_host = ttnn.from_torch(x, layout=layout)
        on_device = ttnn.to_device(on_host, device)
        size = x.numel() * x.element_size()
        for _ in range(RING_BYTES // size):
            ttnn.copy_host_to_device_tensor(on_host, on_device)
        for verb, call in (
            ("writing", lambda a=on_host, b=on_device: ttnn.copy_host_to_device_tensor(a, b)),
            ("reading", lambda b=on_device: ttnn.from_device(b)),
        ):
            seconds, spent = best(call, turns)
            ours = spent.reading + spent.writing
            yield {"name": f"{verb} a tensor of {name}, 32 MiB", "bytes": size, "seconds": seconds, "ours": ours}


def warm_launch(device: Any, turns: int) -> Row:
    """A tile on each of 64 cores: what is left beside the kernels is the launch itself."""
    tiles = ttnn.from_torch(torch.randn(64 * 32, 32).bfloat16(), layout=ttnn.TILE_LAYOUT, device=device)
    least = float("inf")
    for _ in range(turns * 10):
        before = card_times()
        ttnn.exp(tiles)
        spent = card_times() - before
        least = min(least, spent.launching - spent.running)
    return {"name": "launch on 64 cores without its kernels", "least": least}


def replayed_trace(device: Any, turns: int) -> Row:
    """Forty launches on 64 cores, called and replayed from a trace."""
    x = ttnn.from_torch(torch.randn(256, 256).bfloat16(), layout=ttnn.TILE_LAYOUT, device=device)

    def launch() -> None:
        y = x
        for _ in range(20):
            y = ttnn.exp(ttnn.add(y, x))

    def call() -> None:
        launch()
        ttnn.synchronize_device(device)

    called, _ = best(call, turns)
    trace = ttnn.begin_trace_capture(device, cq_id=0)
    launch()
    ttnn.end_trace_capture(device, trace, cq_id=0)
    replayed, _ = best(lambda: ttnn.execute_trace(device, trace, cq_id=0, blocking=True), turns)
    ttnn.release_trace(device, trace)
    return {"name": "replayed trace of 40 launches", "replayed": replayed, "called": called}


def layer(described: Layer, kind: str, device: Any) -> Row:
    """One layer, right against float64, beside torch in bfloat16."""
    generator = torch.Generator().manual_seed(1)
    weights = random_weights(described, generator)
    x = torch.randn((1, SEQUENCE, described.hidden), generator=generator).bfloat16()
    wanted = getattr(InTorch(described, weights, torch.float64), kind)(x.double())
    ours, rival = InTtnn(described, weights, device), InTorch(described, weights, torch.bfloat16)
    given = ours.put(x)
    off = distance(ttnn.to_torch(getattr(ours, kind)(given)), wanted, described.roundings)
    seconds, spent = best(lambda: getattr(ours, kind)(given), 3)
    return {
        **row(f"{described.name}, {SEQUENCE} tokens", seconds, spent, best(lambda: getattr(rival, kind)(x), 3)[0]),
        "distance": off,
    }


def main(turns: int) -> None:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    begin = time.perf_counter()
    device = ttnn.open_device(device_id=0, trace_region_size=1 << 20)
    opened = time.perf_counter() - begin
    card_times()
    rows: list[Row] = [{"name": "open_device", "opened": opened}, warm_launch(device, turns)]
    rows += [replayed_trace(device, turns)]
    rows += transfers(device, turns)
    rows += operations(device, turns)
    rows += [layer(ENCODER, "encoder", device), layer(DECODER, "decoder", device)]
    ttnn.close_device(device)
    print(json.dumps(rows))


if __name__ == "__main__":
    main(int(sys.argv[1]))
