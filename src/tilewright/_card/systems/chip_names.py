# SPDX-License-Identifier: Apache-2.0
"""Names of cores in a system of several chips.

The engine numbers the rows of all chips one after another. Messages name the chip, and the row in it.
"""

from __future__ import annotations

import re

_PLACE = r"\((\d+),(\d+)\)"
_CORES = re.compile(rf"\b(cores? )({_PLACE}(?:(?:-|, | and ){_PLACE})*)")


def with_chips(text: str, rows: int) -> str:
    """A message with the chip of every core in it; a chip has so many rows.

    >>> with_chips("reader on core (3,9), writer on cores (0,0)-(7,7)", rows=8)
    'reader on core (3,1) of chip 1, writer on cores (0,0)-(7,7) of chip 0'
    >>> with_chips("cores (0,0)-(7,15) wait", rows=8)
    'cores (0,0) of chip 0-(7,7) of chip 1 wait'
    >>> with_chips("on cores (0,0), (0,8) and (0,16)", rows=8)
    'on cores (0,0) of chip 0, (0,0) of chip 1 and (0,0) of chip 2'
    """
    return _CORES.sub(lambda match: match[1] + _named(match[2], rows), text)


def chip_and_core(core: tuple[int, int], rows: int) -> str:
    """A core of the system by its chip.

    >>> chip_and_core((3, 9), rows=8)
    'chip 1 (3,1)'
    """
    return f"chip {core[1] // rows} ({core[0]},{core[1] % rows})"


def _named(places: str, rows: int) -> str:
    chips = {int(y) // rows for _, y in re.findall(_PLACE, places)}
    shared = f" of chip {chips.pop()}" if len(chips) == 1 else ""

    def place(match: re.Match[str]) -> str:
        chip, row = divmod(int(match[2]), rows)
        return f"({match[1]},{row})" + ("" if shared else f" of chip {chip}")

    return re.sub(_PLACE, place, places) + shared
