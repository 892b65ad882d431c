# SPDX-License-Identifier: Apache-2.0
"""A user's operation in a file of its own, with a compute kernel of its own beside it to put faults into."""

from __future__ import annotations

from pathlib import Path

from tilewright._tensor.dtype import DataType
from tilewright._workshop.home import Home, find_operation
from tilewright.ops import Strategy, variance_w_rm

# The mean without its factor 1/W: the sum.
WRONG_MEAN = ("cb.mean, width_tiles, mean_factor_bits,", "cb.mean, width_tiles, 0x3F800000,")

DECLARATION = '''"""mine: the variance of rows."""

from NAME_kernels import compute_variance_w_rm, read

from tilewright import Rows, operation
from tilewright.formula import Value, mean, square
from tilewright.ops.variance_w_rm import BUFFERS


@operation(buffers=BUFFERS, kernels={"resident": {"reader": read, "compute": compute_variance_w_rm}})
def NAME(x: Rows) -> Value:
    """The variance of rows."""
    centralized = x - mean(x)
    squared = square(centralized)
    variance = mean(squared)
    return variance
'''


def make_operation(directory: Path, name: str = "mine") -> Home:
    """An operation whose resident kernels are in a file of its own."""
    text = variance_w_rm.kernel_text(variance_w_rm.form(DataType.BFLOAT16), Strategy.RESIDENT)
    (directory / f"{name}_kernels.py").write_text(text)
    (directory / f"{name}.py").write_text(DECLARATION.replace("NAME", name))
    return find_operation(str(directory / f"{name}.py"))


def change(home: Home, file: str, old: str, new: str) -> None:
    """Puts a fault into a file; the text it replaces must be there."""
    path = home.directory / file
    text = path.read_text()
    assert old in text, f"{file} has no {old!r}"
    path.write_text(text.replace(old, new))
