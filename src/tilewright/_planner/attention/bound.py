# SPDX-License-Identifier: Apache-2.0
"""Error bound of an attention, element by element.

Scores are a product (:mod:`tilewright._planner.error_bound` has its rule) and functions of it. The matrix unit reads 10
mantissa bits of a score and of the largest score it is compared with: 2^-10 of each is an error of the exponent. Which
number is subtracted does not matter, as long as all of a row have the same: powers of earlier blocks shrink by
exp(before - largest), whose exponents are cut as those of the powers are, so the shares cancel; each costs a rounding
of the exponent, of exp and of a product. Powers are rounded to the format of their buffer where they are kept, and 9
mantissa bits of a Float32 are taken by the product with the values, 10 by the sum. A result is a quotient of sums N / D
with errors n and d: it is off by at most (n + |N / D| * d) / (D - d), and what the last steps round. Where scores are
so large that d is as large as D, a result still is a mean of the values: it lies between the smallest and the largest.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from tilewright._planner.attention.pattern import Attention
from tilewright._planner.error_bound import (
    ARITHMETIC,
    FUNCTION,
    READ,
    READ_FACTOR,
    SUM,
    TINY,
    WRITTEN,
    Bounds,
    Rounding,
    analysed,
)
from tilewright._planner.model import Schedule
from tilewright.formula._evaluate import Float64, of_heads

_CUTS_OF_PRODUCT = 2.0**-18
# Powers of errors below it are far from the smallest and the largest float32.
_LARGEST_EXPONENT = 60.0


def attention_bounds(
    schedule: Schedule,
    found: Attention,
    names: Mapping[str, Any],
    num_blocks: int,
    errors: Mapping[str, Float64] | None = None,
) -> Bounds:
    """The exact result for arrays and numbers by name, and how far off each element may be.

    Args:
        errors: how far off tensors may be, by name; the others are exact.
    """
    formats = {each.name: each.format for each in schedule.stores.values()}
    tensors = {each.name: np.asarray(names[each.name], np.float64) for each in found.inputs}
    off = {name: np.broadcast_to((errors or {}).get(name, np.zeros(1)), each.shape) for name, each in tensors.items()}
    heads = tensors[found.queries.name].shape
    is_cut = {name: formats[f"{name}_tiled"] == "Float32" for name in tensors}
    with np.errstate(all="ignore"):
        q, e_q = tensors[found.queries.name], off[found.queries.name]
        k, e_k, v, e_v = (
            of_heads(each[name], heads) for name in (found.keys.name, found.values.name) for each in (tensors, off)
        )
        k, e_k = np.swapaxes(k, -1, -2), np.swapaxes(e_k, -1, -2)
        cuts = [READ_FACTOR * is_cut[each.name] for each in (found.queries, found.keys)]
        product = np.matmul(q, k)
        sizes = np.matmul(np.abs(q) + e_q, np.abs(k) + e_k)
        e_product = sizes * (sum(cuts) + _CUTS_OF_PRODUCT * any(cuts) + q.shape[-1] * SUM)
        e_product = e_product + np.matmul(e_q, np.abs(k) + e_k) + np.matmul(np.abs(q), e_k)
        given = {**names, found.product.name: product}
        scores, e_scores = analysed(schedule, found.scores, given, {**(errors or {}), found.product.name: e_product})
        scores, e_scores = np.broadcast_to(scores, product.shape), np.broadcast_to(e_scores, product.shape)
        if found.is_causal:
            rows, columns = product.shape[-2:]
            is_seen = np.tri(rows, columns, columns - rows, dtype=bool)
            scores, e_scores = np.where(is_seen, scores, -np.inf), np.where(is_seen, e_scores, 0.0)
        # Minus infinity of a mask stays what it is, whatever is added.
        is_masked = functools.reduce(
            np.logical_or, [np.isneginf(tensors[each.name]) for each in found.masks], np.zeros(1, dtype=bool)
        )
        is_hidden = np.isneginf(scores) & is_masked & np.isfinite(product) & np.isfinite(e_product)
        e_scores = np.where(is_hidden, 0.0, e_scores)
        largest = scores.max(axis=-1, keepdims=True)
        size = np.where(np.isfinite(scores), np.abs(scores), 0.0)
        exponent = e_scores + (READ + num_blocks * ARITHMETIC) * (size + e_scores + np.abs(largest))
        # The largest score is off, too, but all of a row by the same.
        shifted = scores - largest
        weights = np.exp(shifted)
        relative = (1 + FUNCTION) ** (num_blocks + 1) * (1 + ARITHMETIC) ** (2 * num_blocks) - 1
        written = WRITTEN[formats["powers"]]
        read = (READ_FACTOR, READ) if formats["powers"] == "Float32" else (0.0, 0.0)
        e_weights = np.exp(shifted + exponent) * (1 + relative + written) - weights + TINY
        e_factors = e_weights + read[0] * (weights + e_weights)
        e_counted = e_weights + read[1] * (weights + e_weights)
        keys = scores.shape[-1]
        summed = (keys + num_blocks) * SUM
        cut = READ_FACTOR * is_cut[found.values.name]
        total = weights.sum(axis=-1, keepdims=True)
        e_total = (e_counted + summed * (weights + e_counted)).sum(axis=-1, keepdims=True)
        above = np.matmul(weights, v)
        reach = np.abs(v) + e_v
        e_above = np.matmul(e_factors, reach) + np.matmul(weights, e_v)
        e_above = e_above + (cut + (_CUTS_OF_PRODUCT if cut else 0.0) + summed) * np.matmul(weights + e_factors, reach)
        exact = above / total
        room = total - e_total
        error = np.where(room > 0, (e_above + np.abs(exact) * e_total) / room, np.inf)
        apart = 2 * (sum(read) + cut + _CUTS_OF_PRODUCT + summed)
        exponents = exponent.max(axis=-1, keepdims=True, where=np.isfinite(scores), initial=0.0)
        among_values = np.where(exponents < _LARGEST_EXPONENT, _among_values(exact, v, e_v, apart), np.inf)
        error = np.minimum(error, among_values)
        error = error + (FUNCTION + 2 * ARITHMETIC) * (np.abs(exact) + error)
        error = error + WRITTEN[_output_format(schedule)] * (np.abs(exact) + error) + TINY
        is_known = np.isfinite(exact) & np.isfinite(error)
        exact, error = np.where(is_known, exact, 0.0), np.where(is_known, error, np.inf)
    return Bounds((exact,), (error,), roundings_of_attention(schedule))


def _among_values(exact: Float64, values: Float64, errors: Float64, apart: float) -> Float64:
    """How far off a mean of values is at most, whatever its weights are; ``apart``: of what is summed, as a share."""
    lowest = (values - errors).min(axis=-2, keepdims=True)
    highest = (values + errors).max(axis=-2, keepdims=True)
    error: Float64 = np.maximum(highest - exact, exact - lowest)
    sizes: Float64 = np.maximum(np.abs(lowest), np.abs(highest))
    return error + apart * sizes


def _output_format(schedule: Schedule) -> str:
    return schedule.stores[schedule.outputs[0]].format


def roundings_of_attention(schedule: Schedule) -> tuple[Rounding, ...]:
    """Where it rounds."""
    written, powers = _output_format(schedule), schedule.stores["powers"].format
    return (
        Rounding("scores", READ, "the matrix unit reads 10 mantissa bits of a Float32"),
        Rounding("largest", READ, "the matrix unit reads 10 mantissa bits of a Float32"),
        Rounding("powers", WRITTEN[powers], f"powers are rounded to {powers}"),
        Rounding(schedule.outputs[0], WRITTEN[written], f"the result is rounded to {written}"),
        Rounding("DST", ARITHMETIC, f"float32 arithmetic; {FUNCTION:.2g} for functions such as exp"),
    )
