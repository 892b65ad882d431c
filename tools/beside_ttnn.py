# SPDX-License-Identifier: Apache-2.0
"""Writes docs/beside-ttnn.md: exported examples beside ttnn's own operations, both run by the real ttnn on the card.

    make beside-ttnn

Needs a Python with ttnn and torch, named by TILEWRIGHT_REAL_TTNN.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from tilewright import ops
from tilewright._record.call_record import CallRecord
from tilewright.ops import Operation
from tilewright.ops._export import export_operation
from tilewright.timing._record_entries import call_number, entries_of
from tilewright.timing._traffic import TransferKind, flows_of

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "beside-ttnn.md"
SHAPE = (256, 512)
# Calls that take a tile through the unpackers or the matrix unit; those with a count of tiles say how to read it.
_TILES = ("CopyTile", "TransposeTile", "UnaryBroadcast", "BinaryTiles", "BinaryReuseDest", "ReduceTile", "MatmulTiles")
_COUNTED = ("TilizeBlock", "UntilizeBlock", "UnpackTilize")
_BLOCKS = ("MatmulBlock", "PackUntilizeBlock")
_VECTOR = ("SfpuUnary", "SfpuBinary", "SfpuTernary", "SfpuTypecast", "SfpuOther")


@dataclasses.dataclass(frozen=True)
class Pair:
    """An example, and the same with ttnn's own operations: of tensors in tiles, and of torch tensors."""

    module: str
    operation: str
    theirs: str
    reference: str
    matrix: bool = False


PAIRS = (
    Pair("softmax_rm", "softmax_rm", "ttnn.softmax(x, dim=-1)", "torch.softmax(x, -1)"),
    Pair(
        "rms_norm_w_rm", "rms_norm_w_rm", "ttnn.rms_norm(x, epsilon=1e-6, weight=gamma)",
        "x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * gamma",
    ),
    Pair(
        "", "layernorm_fused_rm", "ttnn.layer_norm(x, epsilon=1e-5, weight=gamma, bias=beta)",
        "torch.nn.functional.layer_norm(x, x.shape[-1:], gamma, beta, 1e-5)",
    ),
    Pair(
        "norms_rm", "residual_layernorm_rm",
        "ttnn.layer_norm(x, epsilon=1e-5, weight=gamma, bias=beta, residual_input_tensor=residual)",
        "torch.nn.functional.layer_norm(x + residual, x.shape[-1:], gamma, beta, 1e-5)",
    ),
    Pair(
        "", "variance_w_rm", "ttnn.var(x, -1, keepdim=True, correction=False)",
        "x.var(-1, correction=0, keepdim=True)",
    ),
    Pair("columns_rm", "column_mean_rm", "ttnn.mean(x, -2, keepdim=True)", "x.mean(-2, keepdim=True)"),
    Pair("activations_rm", "bias_gelu_rm", "ttnn.gelu(ttnn.add(x, bias))", "torch.nn.functional.gelu(x + bias)"),
    Pair("activations_rm", "geglu_rm", "ttnn.multiply(x, ttnn.gelu(gate))", "x * torch.nn.functional.gelu(gate)"),
    Pair("activations_rm", "swiglu_rm", "ttnn.multiply(x, ttnn.silu(gate))", "x * torch.nn.functional.silu(gate)"),
    Pair(
        "softmax_rm", "masked_softmax_rm", "ttnn.softmax(ttnn.where(ttnn.gtz(mask), x, -1e9), dim=-1)",
        "torch.softmax(torch.where(mask > 0, x, -1e9), -1)",
    ),
    Pair(
        "linear_rm", "linear_gelu_rm", 'ttnn.linear(x, weights, bias=bias, activation="gelu")',
        "torch.nn.functional.gelu(x @ weights + bias)",
    ),
    Pair(
        "linear_rm", "gated_linear_rm", "ttnn.matmul(ttnn.multiply(x, ttnn.silu(gate)), weights)",
        "(x * torch.nn.functional.silu(gate)) @ weights",
    ),
    Pair(
        "linear_rm", "rms_norm_linear_rm", "ttnn.matmul(ttnn.rms_norm(x, epsilon=1e-6, weight=gamma), weights)",
        "(x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * gamma) @ weights",
    ),
    Pair(
        "linear_rm", "attention_rm", "ttnn.matmul(ttnn.softmax(ttnn.multiply(scores, 0.125), dim=-1), values)",
        "torch.softmax(scores * 0.125, -1) @ values",
    ),
)  # fmt: skip


def declared(pair: Pair) -> Operation:
    module = importlib.import_module(f"examples.operations.{pair.module}") if pair.module else ops
    found = getattr(module, pair.operation)
    assert isinstance(found, Operation)
    return found


SCRIPT = """
import json, os, sys
import torch, ttnn

device = ttnn.open_device(device_id=0)
records = os.environ["TILEWRIGHT_RECORDS"]
results = []


def measured(call, exact):
    before = len(os.listdir(records))
    found = ttnn.to_torch(call())
    error = (found.double().reshape(exact.shape) - exact).abs()
    return {"first": before, "last": len(os.listdir(records)), "error": float(error.max())}


def tensors(values, layout):
    return {name: ttnn.from_torch(each, layout=layout, device=device) for name, each in values.items()}


for name, shapes, theirs, reference in json.loads(sys.argv[1]):
    sys.path.insert(0, os.path.join(sys.argv[2], name))
    ours = getattr(__import__(name), name)
    torch.manual_seed(0)
    values = {}
    for each, shape in shapes.items():
        scale = shape[0] ** 0.5 if each in ("weights", "values") else 1.0
        values[each] = (torch.randn(shape) / scale).bfloat16()
    exact = eval(reference, {"torch": torch, **{key: each.double() for key, each in values.items()}})
    rows, tiles = tensors(values, ttnn.ROW_MAJOR_LAYOUT), tensors(values, ttnn.TILE_LAYOUT)
    made = {"ours": measured(lambda: ours(*rows.values()), exact)}
    made["theirs"] = measured(lambda: eval(theirs, {"ttnn": ttnn, **tiles}), exact)
    results.append(made)
ttnn.close_device(device)
print("RESULTS " + json.dumps(results))
"""


def run(directory: Path) -> list[dict[str, dict[str, float]]]:
    """Both of every pair on the card; launches leave their records in a folder of the directory."""
    given = []
    for pair in PAIRS:
        operation = declared(pair)
        export_operation(operation, directory / pair.operation)
        shapes = {each.name: each.shape_of(SHAPE) for each in operation.inputs}
        if "weights" in shapes:
            shapes["weights"] = (SHAPE[-1], SHAPE[-1])
        given.append((pair.operation, shapes, pair.theirs, pair.reference))
    script, records = directory / "both.py", directory / "records"
    script.write_text(SCRIPT)
    records.mkdir()
    python = os.environ["TILEWRIGHT_REAL_TTNN"]
    variables = {"PYTHONPATH": str(ROOT / "src"), "TILEWRIGHT_RECORDS": str(records), "LOGURU_LEVEL": "ERROR"}
    command = [python, "-m", "tilewright", "exec", str(script), json.dumps(given), str(directory)]
    print(f"running {len(PAIRS)} pairs with {python}", file=sys.stderr)
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **variables}, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULTS ")]
    if not lines:
        raise SystemExit(done.stdout[-2000:] + done.stderr[-4000:])
    return json.loads(lines[0].removeprefix("RESULTS "))  # type: ignore[no-any-return]


def figures(records: list[CallRecord]) -> str:
    """What the launches of one call need: columns of the table."""
    buffers = max(len({each.index for each in record.buffers}) for record in records)
    l1 = max(_l1_bytes(record) for record in records)
    moved = sum(flow.bytes for record in records for flow in flows_of(record) if _is_dram(flow))
    tiles = sum(_tiles(record) for record in records)
    vector = sum(_calls(record, _VECTOR) for record in records)
    return f"{len(records)} | {buffers} | {l1 / 1024:.0f} | {moved / 1024:.0f} | {tiles} | {vector}"


def _l1_bytes(record: CallRecord) -> int:
    cores = {core for each in record.buffers for core in each.cores}
    return max(sum(each.pages * each.page_bytes for each in record.buffers if core in each.cores) for core in cores)


def _is_dram(flow: object) -> bool:
    kind, node = flow.kind, flow.node  # type: ignore[attr-defined]
    return kind in (TransferKind.READ, TransferKind.WRITE) and node is not None and node.core is None


def _calls(record: CallRecord, names: tuple[str, ...]) -> int:
    wanted = [call_number(name) for name in names]
    return sum(int(np.isin(each.calls, wanted).sum()) for each in entries_of(record))


def _tiles(record: CallRecord) -> int:
    total = _calls(record, _TILES)
    for entries in entries_of(record):
        counted = np.isin(entries.calls, [call_number(name) for name in _COUNTED])
        blocks = np.isin(entries.calls, [call_number(name) for name in _BLOCKS])
        total += int(entries.c[counted].sum())
        total += sum(math.prod((int(c) & 0xFFFF, int(c) >> 16)) for c in entries.c[blocks])
    return total


def page(results: list[dict[str, dict[str, float]]], records: list[CallRecord]) -> str:
    lines = [
        "# Beside ttnn's own operations",
        "",
        "The table compares tilewright's operations (examples of `examples/operations` and shipped ones) with ttnn's",
        "own operations for the same maths. tilewright's operations are exported, and the real ttnn runs both on the",
        f"simulated Wormhole card: bfloat16, {SHAPE[0]}x{SHAPE[1]}, default configurations. Exported packages take",
        "row-major tensors, ttnn's operations tiled ones; conversions between the layouts are not counted.",
        "`make beside-ttnn` writes this page.",
        "",
        "| column | meaning |",
        "|---|---|",
        "| error | largest absolute difference from torch in float64 |",
        "| launches | programs launched |",
        "| CBs, L1 | the largest of one launch, on one core |",
        "| DRAM | bytes read and written |",
        "| tiles | tiles through the unpackers and the FPU, including tilized and untilized ones, excluding packs |",
        "| SFPU | passes of the SFPU over a tile |",
        "",
        "An exported matmul reads the matrix once for every tile-row; ttnn's matmul shares it between cores.",
        "",
        "| operation | by | error | launches | CBs | L1 KiB | DRAM KiB | tiles | SFPU |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for pair, result in zip(PAIRS, results, strict=True):
        for who, text in (("ours", "exported"), ("theirs", f"`{pair.theirs}`")):
            made = result[who]
            of_call = figures(records[int(made["first"]) : int(made["last"])])
            name = f"`{pair.operation}`" if who == "ours" else ""
            lines.append(f"| {name} | {text} | {made['error']:.2g} | {of_call} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        results = run(directory)
        records = [CallRecord.load(path) for path in sorted((directory / "records").iterdir())]
        PAGE.write_text(page(results, records))
    print(PAGE)


if __name__ == "__main__":
    main()
