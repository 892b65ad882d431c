# SPDX-License-Identifier: Apache-2.0
"""The operations that docs/beside-ttnn.md compares: formulas, ttnn's own calls for the same, references, shapes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from examples.operations.activations_rm import bias_gelu_rm, swiglu_rm
from examples.operations.blocks_rm import attention_heads_rm
from examples.operations.columns_rm import batch_norm_rm, column_mean_rm
from examples.operations.linear_rm import gated_linear_rm, linear_gelu_rm, linear_residual_rm, rms_norm_linear_rm
from examples.operations.norms_rm import residual_layernorm_rm
from examples.operations.rms_norm_w_rm import rms_norm_w_rm
from examples.operations.softmax_rm import masked_softmax_rm, softmax_rm
from tilewright.formula import Value, mean, rsqrt, softmax, square, transpose
from tilewright.formula._parameters import Positive
from tilewright.ops import Operation
from tilewright.ops._declaration import Row, Rows, operation

Shape = tuple[int, ...]
SHAPES: tuple[Shape, ...] = ((256, 512), (1024, 1024), (512, 4096))


@operation
def layer_norm(x: Rows, gamma: Row, beta: Row, *, epsilon: Positive = 1e-5) -> Value:
    """Layer normalisation."""
    centred = x - mean(x)
    return centred * rsqrt(mean(square(centred)) + epsilon) * gamma + beta


@operation
def variance(x: Rows) -> Value:
    """Population variance of rows."""
    return mean(square(x - mean(x)))


@operation
def attention_decode(q: Rows, k: Rows, v: Rows, *, scale: Positive = 0.125) -> Value:
    """Attention of one new token of each head."""
    return softmax(q @ transpose(k) * scale) @ v


@dataclasses.dataclass(frozen=True)
class Pair:
    """A formula, and the same with ttnn's own operations.

    Attributes:
        theirs: ttnn's calls, of which the fastest counts; of tensors in tiles, by the formula's names.
        reference: the same of torch tensors in float64.
        shapes: of the inputs, by name, of each case.
        theirs_only: further tensors of ttnn's calls, as expressions of torch tensors.
        error: what our call allows the matrix unit to leave out of a product; None is the default.
    """

    name: str
    operation: Operation
    theirs: tuple[str, ...]
    reference: str
    shapes: tuple[Mapping[str, Shape], ...]
    theirs_only: Mapping[str, str] = dataclasses.field(default_factory=dict)
    error: float | None = None


def _rows(*rows: str, row: tuple[str, ...] = ()) -> tuple[dict[str, Shape], ...]:
    """Cases of inputs as large as the result, and of inputs of one row."""
    return tuple({**dict.fromkeys(rows, each), **dict.fromkeys(row, (1, each[-1]))} for each in SHAPES)


def _linear(rows: tuple[str, ...] = ("x",), results: tuple[str, ...] = (), row: str = "", bias: str = "") -> tuple[
    dict[str, Shape], ...
]:  # fmt: skip
    """Cases of a product: M x K rows, a K x N matrix ``weights``."""
    found = []
    for m, k, n in ((256, 512, 512), (1024, 1024, 1024), (512, 2048, 1024)):
        shapes: dict[str, Shape] = dict.fromkeys(rows, (m, k))
        shapes |= {row: (1, k)} if row else {}
        shapes["weights"] = (k, n)
        shapes |= {bias: (1, n)} if bias else {}
        found.append(shapes | dict.fromkeys(results, (m, n)))
    return tuple(found)


def _heads(rows: int | None, mask: bool) -> tuple[dict[str, Shape], ...]:
    """Cases of attention: heads, length of the keys; ``rows`` of queries, or as many as keys."""
    found = []
    for heads, length in ((4, 128), (8, 256), (8, 512)):
        q = (heads, rows or length, 64)
        shapes: dict[str, Shape] = {"q": q, "k": (heads, length, 64), "v": (heads, length, 64)}
        found.append(shapes | ({"mask": (heads, q[1], length)} if mask else {}))
    return tuple(found)


# ttnn's matmuls have HiFi2, whose error is as large as ours if we allow as much: of bfloat16, and of Float32.
_LIKE_HIFI2, _LIKE_HIFI2_OF_FLOAT32 = 2.0**-7, 2.0**-6
_SCORES = "ttnn.multiply(ttnn.matmul(q, k, transpose_b=True), 0.125)"
PAIRS = (
    Pair("softmax", softmax_rm, ("ttnn.softmax(x, dim=-1)",), "torch.softmax(x, -1)", _rows("x")),
    Pair(
        "masked softmax", masked_softmax_rm, ("ttnn.softmax(ttnn.where(ttnn.gtz(mask), x, -1e9), dim=-1)",),
        "torch.softmax(torch.where(mask > 0, x, -1e9), -1)", _rows("x", "mask"),
    ),
    Pair(
        "RMS norm", rms_norm_w_rm, ("ttnn.rms_norm(x, epsilon=1e-6, weight=gamma)",),
        "x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * gamma", _rows("x", row=("gamma",)),
    ),
    Pair(
        "layer norm", layer_norm, ("ttnn.layer_norm(x, epsilon=1e-5, weight=gamma, bias=beta)",),
        "torch.nn.functional.layer_norm(x, x.shape[-1:], gamma[0], beta[0], 1e-5)", _rows("x", row=("gamma", "beta")),
    ),
    Pair(
        "residual + layer norm", residual_layernorm_rm,
        ("ttnn.layer_norm(x, epsilon=1e-5, weight=gamma, bias=beta, residual_input_tensor=residual)",),
        "torch.nn.functional.layer_norm(x + residual, x.shape[-1:], gamma[0], beta[0], 1e-5)",
        _rows("x", "residual", row=("gamma", "beta")),
    ),
    Pair(
        "variance of rows", variance, ("ttnn.var(x, -1, keepdim=True, correction=False)",),
        "x.var(-1, correction=0, keepdim=True)", _rows("x"),
    ),
    Pair(
        "mean of columns", column_mean_rm, ("ttnn.mean(x, -2, keepdim=True)",), "x.mean(-2, keepdim=True)", _rows("x"),
    ),
    Pair(
        "norm of columns", batch_norm_rm,
        (
            "ttnn.add(ttnn.multiply(ttnn.multiply(ttnn.subtract(x, ttnn.mean(x, -2, keepdim=True)), ttnn.rsqrt("
            "ttnn.add(ttnn.var(x, -2, keepdim=True, correction=False), 1e-5))), gamma), beta)",
        ),
        "(x - x.mean(-2, keepdim=True)) * torch.rsqrt(x.var(-2, correction=0, keepdim=True) + 1e-5) * gamma + beta",
        _rows("x", row=("gamma", "beta")),
    ),
    Pair(
        "bias + GeLU", bias_gelu_rm,
        ("ttnn.gelu(ttnn.add(x, bias))", "ttnn.add(x, bias, activations=[ttnn.UnaryOpType.GELU])"),
        "torch.nn.functional.gelu(x + bias)", _rows("x", row=("bias",)),
    ),
    Pair(
        "SwiGLU", swiglu_rm,
        (
            "ttnn.multiply(x, ttnn.silu(gate))",
            "ttnn.multiply(x, gate, input_tensor_b_activations=[ttnn.UnaryOpType.SILU])",
        ),
        "x * torch.nn.functional.silu(gate)", _rows("x", "gate"),
    ),
    Pair(
        "linear + bias + GeLU", linear_gelu_rm, ('ttnn.linear(x, weights, bias=bias, activation="gelu")',),
        "torch.nn.functional.gelu(x @ weights + bias)", _linear(bias="bias"), error=_LIKE_HIFI2,
    ),
    Pair(
        "linear + bias + residual", linear_residual_rm, ("ttnn.add(ttnn.linear(x, weights, bias=bias), residual)",),
        "x @ weights + bias + residual", _linear(bias="bias", results=("residual",)), error=_LIKE_HIFI2,
    ),
    Pair(
        "gated linear", gated_linear_rm,
        (
            "ttnn.matmul(ttnn.multiply(x, ttnn.silu(gate)), weights)",
            "ttnn.matmul(ttnn.multiply(x, gate, input_tensor_b_activations=[ttnn.UnaryOpType.SILU]), weights)",
        ),
        "(x * torch.nn.functional.silu(gate)) @ weights", _linear(rows=("x", "gate")), error=_LIKE_HIFI2,
    ),
    Pair(
        "RMS norm + linear", rms_norm_linear_rm,
        ("ttnn.matmul(ttnn.rms_norm(x, epsilon=1e-6, weight=gamma), weights)",),
        "(x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * gamma) @ weights", _linear(row="gamma"),
        error=_LIKE_HIFI2_OF_FLOAT32,
    ),
    Pair(
        "attention, prefill", attention_heads_rm,
        (
            f"ttnn.matmul(ttnn.softmax(ttnn.add({_SCORES}, mask), dim=-1), v)",
            "ttnn.transformer.scaled_dot_product_attention(q4, k4, v4, attn_mask=mask4, is_causal=False, scale=0.125)",
        ),
        "torch.softmax(q @ k.mT * 0.125 + mask, -1) @ v", _heads(None, mask=True),
        {"q4": "q[None]", "k4": "k[None]", "v4": "v[None]", "mask4": "mask[None]"},
    ),
    Pair(
        "attention, decode", attention_decode,
        (
            f"ttnn.matmul(ttnn.softmax({_SCORES}, dim=-1), v)",
            "ttnn.transformer.scaled_dot_product_attention_decode(q4, k4, v4, is_causal=False, scale=0.125)",
        ),
        "torch.softmax(q @ k.mT * 0.125, -1) @ v", _heads(1, mask=False),
        {"q4": "q.permute(1, 0, 2)[None]", "k4": "k[None]", "v4": "v[None]"},
    ),
)  # fmt: skip
