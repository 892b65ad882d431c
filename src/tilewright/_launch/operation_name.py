# SPDX-License-Identifier: Apache-2.0
"""Names of the ttnn calls that launches are part of, such as ``ttnn.mean > ttnn.sum``, outermost call first.

Without imports: the process of a host reads it, too.
"""

from __future__ import annotations

IN_TRACE = " (trace)"  # behind the operation of a launch that a trace replays


def is_call_of(name: str, operation: str) -> bool:
    """Whether the innermost call of a launch's operation is the one of a name, in a trace or not.

    >>> is_call_of("ttnn.bitcast", "ttnn.view > ttnn.bitcast (trace)")
    True
    """
    return operation.removesuffix(IN_TRACE).endswith(name)
