# SPDX-License-Identifier: Apache-2.0
"""Compares a result of a model with float64, element by element."""

import torch

BFLOAT16 = 2.0**-8  # largest relative error of a rounding to bfloat16


def assert_close(name: str, result: torch.Tensor, expected: torch.Tensor, roundings: int) -> None:
    """Compare each element; print the largest error and what is allowed.

    Args:
        roundings: results that were stored in bfloat16 on the longest way from an input to the output. Each is wrong
            by at most ``BFLOAT16`` of the largest element; the errors of the steps are independent of each other, so
            they add up as the square root of their number.
    """
    error = (result.double() - expected).abs().max().item()
    allowed = roundings**0.5 * BFLOAT16 * expected.abs().max().item()
    print(f"{name}: largest error {error:.4f}, {allowed:.4f} allowed ({roundings} roundings to bfloat16)")
    assert error <= allowed, f"{name}: an element is wrong by {error:.4f}, {allowed:.4f} is allowed"
