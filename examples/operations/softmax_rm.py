# SPDX-License-Identifier: Apache-2.0
"""Softmax of rows, and of rows with a mask."""

from tilewright import BroadcastTensor, Rows, check_operation, operation
from tilewright.formula import Value, exp, max, reciprocal, softmax, sum, where


@operation
def softmax_rm(x: Rows) -> Value:
    """exp(x - max(x)) / sum(exp(x - max(x)))."""
    largest = max(x)
    powers = exp(x - largest)
    return powers * reciprocal(sum(powers))


@operation
def masked_softmax_rm(x: Rows, mask: BroadcastTensor) -> Value:
    """Softmax of the elements whose mask is above zero; the others count as -1e9. One mask may serve several slabs."""
    return softmax(where(mask > 0, x, -1e9))


def test_softmax_rm() -> None:
    check_operation(softmax_rm)


def test_masked_softmax_rm() -> None:
    check_operation(masked_softmax_rm)
