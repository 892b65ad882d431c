# SPDX-License-Identifier: Apache-2.0
"""Formulas: what an operation computes, written in Python, known as a graph.

A declaration is written with the functions here::

    from tilewright import Row, Rows, operation
    from tilewright.formula import mean, rsqrt, square

    @operation
    def rms_norm_w_rm(x: Rows, gamma: Row, *, epsilon: float = 1e-6):
        \"\"\"Rows divided by the root of their mean square.\"\"\"
        return x * rsqrt(mean(square(x)) + epsilon) * gamma
"""

from tilewright.formula import _functions
from tilewright.formula._functions import *  # noqa: F403 (its __all__ is the list of the language's functions)
from tilewright.formula._graph import Along, Extent, FormulaError, Value
from tilewright.formula._own_phase import own_phase
from tilewright.formula._tracing import Formula, trace

__all__ = ["Along", "Extent", "Formula", "FormulaError", "Value", "own_phase", "trace"]
__all__ += _functions.__all__
