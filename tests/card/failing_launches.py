# SPDX-License-Identifier: Apache-2.0
"""Launches programs that cannot end well, says what each call raised, and goes on; ends without closing its device."""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import Any

import numpy as np
import ttnn

SOURCES = {
    "hangs": "void kernel_main() { cb_wait_front(0, 1); }",
    "does not compile": "void kernel_main() { no_such_function(); }",
    "faults": "void kernel_main() { *reinterpret_cast<volatile int*>(0x0) = 1; }",
    "loops": "void kernel_main() { for (volatile uint32_t i = 0;; i = i + 1) { } }",
    "works": '#include "api/debug/dprint.h"\nvoid kernel_main() { DPRINT << "hello" << ENDL(); }',
}


def launch(name: str) -> str:
    """Error of a call of ``generic_op``."""
    kernel = ttnn.KernelDescriptor(
        kernel_source=SOURCES[name],
        source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=core,
        config=ttnn.ReaderConfigDescriptor(),
    )
    cb = ttnn.CBDescriptor(
        total_size=4096,
        core_ranges=core,
        format_descriptors=[ttnn.CBFormatDescriptor(buffer_index=0, data_format=ttnn.bfloat16, page_size=2048)],
    )
    program = ttnn.ProgramDescriptor(kernels=[kernel], semaphores=[], cbs=[cb])
    try:
        ttnn.generic_op([tensor, tensor], program)
    except RuntimeError as error:
        return str(error)
    except KeyboardInterrupt:
        return "KeyboardInterrupt"
    return "nothing"


def open_card() -> tuple[Any, Any]:
    device = ttnn.open_device(device_id=0)
    values = ttnn.Tensor(np.ones((1, 1, 32, 32), np.float32), ttnn.bfloat16).to(ttnn.TILE_LAYOUT).to(device)
    return device, values


core = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])
device, tensor = open_card()
for name in ("hangs", "does not compile", "faults", "works"):
    print(f"{name} raised {launch(name)}\n", flush=True)
ttnn.close_device(device)
device, tensor = open_card()
print("opened again", np.array(ttnn.add(tensor, tensor).cpu().to(ttnn.ROW_MAJOR_LAYOUT).to_list()).sum(), flush=True)
if "interrupt" in sys.argv:
    threading.Timer(5.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    print("loops raised", launch("loops"), flush=True)
