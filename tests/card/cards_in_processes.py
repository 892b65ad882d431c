# SPDX-License-Identifier: Apache-2.0
"""A process with a card starts two more at once, each of which has a card of its own at the same addresses."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import ttnn

number = int(sys.argv[1]) if len(sys.argv) > 1 else 0
values = np.full((32, 32), 3.0 + number, np.float32)

device = ttnn.open_device(device_id=0)
tensor = ttnn.Tensor(values, ttnn.bfloat16).to(ttnn.TILE_LAYOUT).to(device)
place = tensor.buffer_address()
if number == 0:
    children = [
        subprocess.Popen([sys.executable, __file__, str(child)], stdout=subprocess.PIPE, text=True) for child in (1, 2)
    ]
    for child in children:
        print(child.communicate()[0], end="")
        assert child.returncode == 0
doubled = ttnn.add(tensor, tensor).cpu().to(ttnn.ROW_MAJOR_LAYOUT).to_list()
print(f"process {number} at {place}:", "right" if np.array_equal(doubled, 2 * values) else "wrong")
if number == 0:
    ttnn.begin_trace_capture(device, cq_id=0)  # and the script ends, as it does after an error
    print("a trace is being captured")
