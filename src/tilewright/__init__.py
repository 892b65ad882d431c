# SPDX-License-Identifier: Apache-2.0
"""Build and run Tenstorrent operations without a card.

``tilewright.ttnn`` has ttnn's names: open a device, describe a program, run it::

    from tilewright import ttnn

    device = ttnn.open_device(device_id=0)
    output = ttnn.generic_op([x, y], program)
"""

__version__ = "0.1.0"
