# SPDX-License-Identifier: Apache-2.0
"""Systems of several chips: how they are arranged and linked, and the description of them that tt-metal reads."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence

from tilewright._card.package import CardError
from tilewright._tensor.argument import text

MOST_CHIPS = 32  # PCI has five bits for a device
MOST_CORES = 1920  # of all chips: their L1s lie below 4 GiB, 2 MiB apart


@dataclasses.dataclass(frozen=True)
class Mesh:
    """Rows and columns of chips, each linked to its neighbours.

    Attributes:
        links: ethernet links between two neighbours.
        is_torus: rows and columns of more than two chips are closed to rings.
    """

    rows: int = 1
    columns: int = 1
    links: int = 2
    is_torus: bool = False

    @property
    def chips(self) -> int:
        return self.rows * self.columns

    def __str__(self) -> str:
        return f"{self.rows}x{self.columns}" + ("-torus" if self.is_torus else "")

    def cables(self, channels: Sequence[int]) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        """Each link as the chip and ethernet channel at both of its ends.

        Args:
            channels: of each chip, in the order in which links take them.

        >>> list(Mesh(1, 3, links=1).cables([0, 6]))
        [((0, 0), (1, 0)), ((1, 6), (2, 0))]
        """
        used = [0] * self.chips
        for left, right in self._neighbours():
            for _ in range(self.links):
                yield (left, channels[used[left]]), (right, channels[used[right]])
                used[left] += 1
                used[right] += 1

    def _neighbours(self) -> Iterator[tuple[int, int]]:
        for row in range(self.rows):
            for column in range(self.columns):
                chip = row * self.columns + column
                if column + 1 < self.columns:
                    yield chip, chip + 1
                elif self.is_torus and self.columns > 2:
                    yield chip, row * self.columns
                if row + 1 < self.rows:
                    yield chip, chip + self.columns
                elif self.is_torus and self.rows > 2:
                    yield chip, column


ONE_CHIP = Mesh()

# Products with several chips: the chip's product (products.py), and the arrangement as tt-metal's mesh graph has it.
SYSTEMS = {
    "n300": ("n300", Mesh(1, 2)),
    "t3000": ("n300", Mesh(2, 4)),
    "p150x2": ("p150", Mesh(1, 2, links=4)),
    "p150x4": ("p150", Mesh(2, 2, links=4)),
    "p150x8": ("p150", Mesh(2, 4)),
    "galaxy": ("galaxy", Mesh(8, 4, links=4)),
}


def chosen_mesh(system: str) -> Mesh:
    """The arrangement that ``--system`` names: a product, or rows x columns of chips.

    >>> str(chosen_mesh("t3000")), str(chosen_mesh("1x8-torus"))
    ('2x4', '1x8-torus')
    """
    if text("system", system) in SYSTEMS:
        return SYSTEMS[system][1]
    sides = re.fullmatch(r"(\d{1,2})x(\d{1,2})(-torus)?", system)
    rows, columns = (int(side) for side in sides.groups()[:2]) if sides else (0, 0)
    if sides is None or not 1 <= rows * columns <= MOST_CHIPS:
        raise CardError(
            f"--system {system} is unknown; allowed: {', '.join(SYSTEMS)}, or rows x columns of at most {MOST_CHIPS} "
            "chips, such as 1x4 or 2x4-torus"
        )
    return Mesh(rows, columns, is_torus=sides[3] is not None)


def system_for(rows: int, columns: int) -> str:
    """Options that give a mesh of so many chips, for a message.

    >>> system_for(2, 4), system_for(1, 5)
    ('give --system 2x4 (or t3000, p150x8)', 'give --system 1x5')
    """
    if rows * columns > MOST_CHIPS:
        return f"at most {MOST_CHIPS} are simulated"
    products = [name for name, (_, mesh) in SYSTEMS.items() if (mesh.rows, mesh.columns) == (rows, columns)]
    return f"give --system {rows}x{columns}" + (f" (or {', '.join(products)})" if products else "")
