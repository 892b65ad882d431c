# SPDX-License-Identifier: Apache-2.0
"""The kernel API as Python kernels see it.

Kernels import the names they use::

    from tilewright.kernels.api import cb_wait_front, noc_async_read_page, reduce_tile, PoolType, ReduceDim

Names and arguments are those of tt-metal's kernel API (``_api_table.py``). Template arguments stand in brackets:
``reduce_tile[PoolType.SUM, ReduceDim.REDUCE_ROW](...)``. Editors and type checkers know them from ``api.pyi``.
"""

from __future__ import annotations

from typing import Any

from tilewright.kernels._api_table import CONSTANTS, ENUMERATIONS, FUNCTIONS, dprint, nearest_name


def __getattr__(name: str) -> Any:
    for table in (FUNCTIONS, CONSTANTS, ENUMERATIONS):
        if name in table:
            return table[name]
    # Python itself asks every module for names such as __path__.
    hint = None if name.startswith("__") else nearest_name(name)
    raise AttributeError(f"the kernel API has no {name}" + (f"; did you mean {hint}?" if hint else ""), name=name)


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = ["dprint", *CONSTANTS, *ENUMERATIONS, *FUNCTIONS]
