# SPDX-License-Identifier: Apache-2.0
"""Softmax on all cores with one line missing: the maximum of a row is never popped, and the next has no room.

``tilewright report examples/forgotten_pop.py -o run.html`` draws the waits between kernels.
"""

from __future__ import annotations

from softmax.program import softmax_program

from tilewright import ttnn

device = ttnn.open_device(device_id=0)
try:
    x = ttnn.full([4096, 1024], 1.0, ttnn.bfloat16, ttnn.TILE_LAYOUT, device)
    y = ttnn.empty_like(x)
    ttnn.generic_op([x, y], softmax_program(x, y, broken=True))
finally:
    ttnn.close_device(device)
