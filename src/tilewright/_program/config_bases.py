# SPDX-License-Identifier: Apache-2.0
"""Where a host that configures cores itself put the configuration of one launch."""

from __future__ import annotations

import dataclasses

Core = tuple[int, int]


@dataclasses.dataclass(frozen=True)
class ConfigBases:
    """L1 offset of a launch's configuration (tt-metal's ``kernel_config_base``) on each core.

    A program's offsets of arguments in L1, semaphores and tables count from there. Under fast dispatch the
    configuration moves through a ring in L1, so it is another one in each launch of the same program.

    >>> bases = ConfigBases(0x8000, (((1, 0), 0x9000),))
    >>> hex(bases.of((0, 0))), hex(bases.of((1, 0)))
    ('0x8000', '0x9000')
    """

    usual: int = 0
    others: tuple[tuple[Core, int], ...] = ()  # cores whose base is not the usual one

    def of(self, core: Core) -> int:
        return next((base for at, base in self.others if at == core), self.usual) if self.others else self.usual


NO_CONFIG = ConfigBases()
