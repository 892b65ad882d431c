# SPDX-License-Identifier: Apache-2.0
"""A formula is computed on each chip of a mesh by itself: a reduction over chips is refused with its name."""

from __future__ import annotations

import pytest

from tilewright import Rows, operation
from tilewright.formula import _functions as functions
from tilewright.formula._graph import FormulaError, Value


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min"])
def test_reduction_over_the_chips_of_a_mesh_is_refused(name: str) -> None:
    function = "max" if name == "min" else name
    with pytest.raises(FormulaError, match=rf"{function}\(-?x, cluster_axis=1\): .* with ttnn.all_reduce or"):

        @operation
        def reduced(x: Rows) -> Value:
            return x - getattr(functions, name)(x, cluster_axis=1)
