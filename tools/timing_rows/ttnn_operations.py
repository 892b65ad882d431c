# SPDX-License-Identifier: Apache-2.0
"""The maths of tilewright's operations as the real ttnn does it; ``beside_ttnn.py`` runs it on a simulated card.

``ttnn_operations.py RECORDS OUT.json SHAPE ...`` writes which records each case made.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ttnn


def _centralize(x: Any, width: int, device: Any) -> Any:
    return ttnn.subtract(x, ttnn.mean(x, dim=-1, keepdim=True))


def _variance(x: Any, width: int, device: Any) -> Any:
    return ttnn.var(x, dim=-1, keepdim=True)


def _standardize(x: Any, width: int, device: Any) -> Any:
    return ttnn.layer_norm(x)


def _layernorm(x: Any, width: int, device: Any) -> Any:
    weight, bias = (
        ttnn.empty([1, width], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device) for _ in range(2)
    )
    return ttnn.layer_norm(x, weight=weight, bias=bias)


OPERATIONS: dict[str, Callable[[Any, int, Any], Any]] = {
    "centralize_w_rm": _centralize,
    "variance_w_rm": _variance,
    "standardize_w_rm": _standardize,
    "layernorm_fused_rm": _layernorm,
}


def main(arguments: list[str]) -> None:
    records, out, *shapes = arguments
    device = ttnn.open_device(device_id=0)
    made = {}
    for name, operation in OPERATIONS.items():
        for text in shapes:
            sides = [int(side) for side in text.split("x")]
            x = ttnn.empty(sides, dtype=ttnn.bfloat16, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
            ttnn.synchronize_device(device)
            before = set(Path(records).iterdir())
            result = operation(ttnn.to_layout(x, ttnn.TILE_LAYOUT), sides[-1], device)
            ttnn.to_layout(result, ttnn.ROW_MAJOR_LAYOUT)
            ttnn.synchronize_device(device)
            made[f"{name} {text}"] = sorted(path.name for path in set(Path(records).iterdir()) - before)
            print(name, text, len(made[f"{name} {text}"]), file=sys.stderr, flush=True)
    ttnn.close_device(device)
    Path(out).write_text(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1:])
