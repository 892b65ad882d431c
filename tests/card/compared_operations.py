# SPDX-License-Identifier: Apache-2.0
"""Operations for ``tilewright exec --compare``: some right, one whose golden function is wrong, some without one."""

from __future__ import annotations

from typing import Any

import torch
import ttnn


def wrong(values: Any, *_: Any, **__: Any) -> Any:
    """Half as much again in one element."""
    expected = torch.exp(values)
    expected[0, 0, 5, 7] *= 1.5
    return expected


def unable(*_: Any, **__: Any) -> Any:
    raise NotImplementedError("no meaning is known")


ttnn.attach_golden_function(ttnn.exp, wrong)
ttnn.attach_golden_function(ttnn.tanh, unable)
torch.manual_seed(0)
device = ttnn.open_device(device_id=0)
values = torch.randn(1, 1, 32, 64)
x = ttnn.from_torch(values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
x + x
ttnn.exp(x)
ttnn.tanh(x)
ttnn.sum(ttnn.exp(x), dim=-1)
ttnn.permute(x, (0, 1, 3, 2))
ttnn.deallocate(x)
print("the script's own number", torch.initial_seed())
