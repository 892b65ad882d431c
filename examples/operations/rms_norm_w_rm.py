# SPDX-License-Identifier: Apache-2.0
"""Rows divided by the root of their mean square."""

from tilewright import Positive, Row, Rows, check_operation, operation
from tilewright.formula import Value, mean, rsqrt, square


@operation
def rms_norm_w_rm(x: Rows, gamma: Row, *, epsilon: Positive = 1e-6) -> Value:
    """x / sqrt(mean(x^2) + epsilon) * gamma."""
    mean_square = mean(square(x))
    inv_rms = rsqrt(mean_square + epsilon)
    return x * inv_rms * gamma


def test_rms_norm_w_rm() -> None:
    check_operation(rms_norm_w_rm)
