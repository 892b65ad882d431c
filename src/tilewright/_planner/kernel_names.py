# SPDX-License-Identifier: Apache-2.0
"""Names of tensors in generated kernels.

Plain Python: an exported package's host code is written with it too.
"""

from __future__ import annotations

_SUFFIX = "_tensor"
# Variables and arguments of readers and writers, and names that Python's and C++'s own library has.
_OF_KERNELS = frozenset((
    "block", "cb", "column", "edge", "element", "end", "first", "height", "index", "inner", "last", "page", "row",
    "part", "rows", "slab", "start", "stick", "tile", "tile_column", "tile_row", "width", "abs", "max", "min",
    "range", "segment", "sum", "bool", "default", "delete", "double", "float", "int", "long", "new", "register",
    "short", "signed", "switch", "this", "union", "unsigned", "void", "volatile",
))  # fmt: skip


def in_kernels(tensor: str) -> str:
    """The name of a tensor's argument."""
    return tensor + _SUFFIX if tensor in _OF_KERNELS else tensor


def of_tensor(argument: str) -> str:
    """The tensor of an argument; kernels of one's own may use the declaration's name."""
    plain = argument.removesuffix(_SUFFIX)
    return plain if plain in _OF_KERNELS else argument
