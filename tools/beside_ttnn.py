# SPDX-License-Identifier: Apache-2.0
"""Writes docs/beside-ttnn.md: formulas beside ttnn's own operations, on both chips, by the model of time.

    make beside-ttnn
    python -m tools.beside_ttnn --folder .beside_ttnn --only softmax --chip blackhole

Ours and ttnn's of each pair on each chip are steps; their figures are kept in the folder and not measured again, so a
run that was interrupted goes on where it was. After a change of the planner remove ``run_ours_*``. Needs a Python with
ttnn and torch, named by TILEWRIGHT_REAL_TTNN.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from tilewright import ttnn
from tilewright._launch.observer import observed_launches
from tilewright._record.call_record import CallRecord
from tilewright._tensor.dtype import bfloat16_numpy_dtype
from tilewright.ops import Options, Outcome
from tilewright.ops._accuracy import held
from tilewright.ops._plan_by_clock import chip_of, plan_words
from tilewright.timing._advice import advise
from tilewright.timing._observer import TimeObserver
from tilewright.timing._predicted_time import predict
from tilewright.timing._replay import replay
from tilewright.timing._traced_calls import NotTracedError
from tools.beside_ttnn_pairs import PAIRS, Pair

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "beside-ttnn.md"
CHIPS = ("wormhole_b0", "blackhole")
# Above this share of ttnn's time a row counts as lost and gets a reason: what two runs of a model of time differ by.
SAME = 1.01
_TRISC = 2  # processor of a compute kernel in a record
Figures: TypeAlias = dict[str, Any]
_SIZES = ("DRAM", "ttnn DRAM", "L1", "ttnn L1")


def inputs_of(pair: Pair, case: int) -> dict[str, np.ndarray[Any, Any]]:
    """The tensors of a case, as float32 that bfloat16 holds; matrices so scaled that products are about 1."""
    generator = np.random.default_rng(case)
    found = {}
    for name, shape in pair.shapes[case].items():
        scale = math.sqrt(shape[0]) if name == "weights" else 1.0
        exact = generator.standard_normal(shape, dtype=np.float32) / np.float32(scale)
        found[name] = exact.astype(bfloat16_numpy_dtype()).astype(np.float32)
    return found


def figures_of(records: Sequence[CallRecord]) -> Figures:
    """Time, traffic and L1 of the launches of one call."""
    times = [replay(record) for record in records]
    longest = max(range(len(times)), key=lambda index: times[index].cycles)
    return {
        "us": sum(time.microseconds for time in times),
        "launches": len(records),
        "cores": max(time.num_cores for time in times),
        "dram": sum(time.dram_read_bytes + time.dram_write_bytes for time in times),
        "l1": max(_l1_bytes(record) for record in records),
        "config": _config(records[longest]),
        "bound": advise(records[longest], times[longest]).sentence,
    }


def _config(record: CallRecord) -> str:
    """Fidelity, width of DST and approximations of a launch's compute kernels."""
    compute = next((each for each in record.kernels if each.processor == _TRISC), None)
    if compute is None:
        return "no compute kernel"
    fidelity = ("LoFi", "HiFi2", "HiFi3", "HiFi4")[compute.fidelity - 1]
    functions = "approximate" if compute.math_approx else "exact"
    return f"{fidelity}, {32 if compute.fp32_dest else 16}-bit DST, {functions} functions"


def _l1_bytes(record: CallRecord) -> int:
    cores = {core for each in record.buffers for core in each.cores}
    return max((sum(b.pages * b.page_bytes for b in record.buffers if core in b.cores) for core in cores), default=0)


def run_ours(pair: Pair, chip: str) -> list[Figures]:
    """The formula in each case: tensors in tiles, the planner's own choice."""
    device = ttnn.open_device(device_id=0, arch=chip)
    found = []
    for case in range(len(pair.shapes)):
        given = {
            name: ttnn.as_tensor(each, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
            for name, each in inputs_of(pair, case).items()
        }
        with observed_launches(TimeObserver()) as launches:
            outcome = pair.operation.launch(given, Options(error=pair.error))
        exact = pair.operation.outcome_bounds(outcome, held(given)).exact[0]
        error = np.abs(outcome.outputs[0].to_numpy().astype(np.float64) - exact).max()
        plans = [f"{plan_words(part.plan)}, {part.plan.split.describe()}" for part in outcome.parts]
        made = figures_of([each.record for each in launches])
        predicted = sum(_predicted(part, device) for part in outcome.parts)
        found.append({**made, "predicted": predicted, "plan": "; ".join(plans), "error": float(error)})
    ttnn.close_device(device)
    return found


def _predicted(part: Outcome, device: ttnn.Device) -> float:
    """Microseconds that a launch was predicted to take; NaN of kernels that are not predicted, as of matmuls."""
    dtypes = {name: each.dtype for name, each in part.tensors.items()}
    try:
        return predict(part.plan, dtypes, *chip_of(device)).microseconds
    except NotTracedError:
        return math.nan


SCRIPT = """
import json, os, sys
import numpy as np
import torch, ttnn

given = json.loads(open(sys.argv[1]).read())
records = os.environ["TILEWRIGHT_RECORDS"]
device = ttnn.open_device(device_id=0)
results = []
for case in given["cases"]:
    values = {name: torch.from_numpy(np.load(path)).bfloat16() for name, path in case.items()}
    exact = eval(given["reference"], {"torch": torch, **{name: each.double() for name, each in values.items()}})
    made = {"calls": []}
    for name, text in given["theirs_only"].items():
        values[name] = eval(text, dict(values)).contiguous()
    tiles = {name: ttnn.from_torch(each, layout=ttnn.TILE_LAYOUT, device=device) for name, each in values.items()}
    for call in given["theirs"]:
        before = len(os.listdir(records))
        try:
            found = ttnn.to_torch(eval(call, {"ttnn": ttnn, **tiles})).double()
        except (RuntimeError, TypeError) as error:
            made["calls"].append({"call": call, "refused": str(error).splitlines()[0][:200]})
            continue
        if found.numel() != exact.numel():
            found = found.reshape(-1, found.shape[-1])[: exact.numel() // found.shape[-1]]
        error = float((found.reshape(exact.shape) - exact).abs().max())
        made["calls"].append({"call": call, "first": before, "last": len(os.listdir(records)), "error": error})
    results.append(made)
ttnn.close_device(device)
print("RESULTS " + json.dumps(results))
"""


def run_theirs(pair: Pair, chip: str) -> list[Figures]:
    """ttnn's calls in each case on the simulated card."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        records = folder / "records"
        records.mkdir()
        cases: list[dict[str, str]] = []
        for case in range(len(pair.shapes)):
            cases.append({})
            for tensor, values in inputs_of(pair, case).items():
                cases[-1][tensor] = str(folder / f"{case}_{tensor}.npy")
                np.save(cases[-1][tensor], values)
        asked = {"cases": cases, "reference": pair.reference, "theirs": pair.theirs}
        (folder / "given.json").write_text(json.dumps({**asked, "theirs_only": dict(pair.theirs_only)}))
        (folder / "theirs.py").write_text(SCRIPT)
        variables = {"PYTHONPATH": str(ROOT / "src"), "TILEWRIGHT_RECORDS": str(records), "LOGURU_LEVEL": "ERROR"}
        command = [os.environ["TILEWRIGHT_REAL_TTNN"], "-m", "tilewright", "exec", "--arch", chip]
        command += [str(folder / "theirs.py"), str(folder / "given.json")]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **variables}, check=False)
        lines = [line for line in done.stdout.splitlines() if line.startswith("RESULTS ")]
        if not lines:
            raise SystemExit(done.stdout[-2000:] + done.stderr[-4000:])
        kept = [CallRecord.load(path) for path in sorted(records.iterdir())]
        return [_of_case(each, kept) for each in json.loads(lines[0].removeprefix("RESULTS "))]


def _of_case(made: Mapping[str, Any], records: Sequence[CallRecord]) -> Figures:
    """The fastest of ttnn's calls."""
    calls = [
        {**figures_of(records[each["first"] : each["last"]]), "error": each["error"], "call": each["call"]}
        for each in made["calls"]
        if "refused" not in each
    ]
    refused = [each for each in made["calls"] if "refused" in each]
    return {**min(calls, key=lambda each: float(each["us"])), "refused": refused}


def path_of(run: Callable[[Pair, str], list[Figures]], pair: Pair, chip: str, folder: Path) -> Path:
    return folder / f"{run.__name__}_{pair.name.replace(' ', '_').replace(',', '')}_{chip}.json"


def kept(run: Callable[[Pair, str], list[Figures]], pair: Pair, chip: str, folder: Path) -> list[Figures]:
    """The figures of each case, from a file of the folder if they are there."""
    path = path_of(run, pair, chip, folder)
    if not path.exists():
        print(f"{run.__name__}: {pair.name} on {chip} ...", file=sys.stderr, flush=True)
        partial = path.with_suffix(".partial")
        partial.write_text(json.dumps(run(pair, chip)))
        partial.replace(path)
    return json.loads(path.read_text())  # type: ignore[no-any-return]


def measured(pair: Pair, chip: str, folder: Path) -> list[dict[str, Figures]]:
    """Ours and theirs in each case."""
    ours, theirs = (kept(run, pair, chip, folder) for run in (run_ours, run_theirs))
    return [{"ours": mine, "theirs": other} for mine, other in zip(ours, theirs, strict=True)]


def reason(ours: Figures, theirs: Figures) -> str:
    """Why ttnn is faster, from what both did; empty where it is not."""
    if ours["us"] <= SAME * theirs["us"]:
        return ""
    found = []
    if ours["dram"] > 1.2 * theirs["dram"]:
        found.append(
            f"{ours['dram'] / theirs['dram']:.1f} times the DRAM bytes: every core reads shared operands itself"
        )
    if ours["cores"] < 0.8 * theirs["cores"]:
        found.append(f"{ours['cores']} cores against {theirs['cores']}")
    if any(own > other for own, other in zip(*map(_exactness, (ours["config"], theirs["config"])), strict=True)):
        found.append(f"{ours['config']}; ttnn {theirs['config']}")
    if ours["launches"] > theirs["launches"]:
        found.append(f"{ours['launches']} programs against {theirs['launches']}")
    return "; ".join(found) or ours["bound"].partition(";")[0]


def _exactness(config: str) -> tuple[int, ...]:
    """Fidelity, width of DST and functions of a configuration, each a larger number where it takes longer."""
    if config.count(", ") != 2:  # no compute kernel
        return (0, 0, 0)
    fidelity, width, functions = config.split(", ")
    return ("LoFi", "HiFi2", "HiFi3", "HiFi4").index(fidelity), int(width[:2]), int(functions.startswith("exact"))


def is_as_exact(row: Mapping[str, Figures]) -> bool:
    """Whether our error is no larger than theirs, in the two digits that the page shows."""
    ours, theirs = (float(f"{row[each]['error']:.2g}") for each in ("ours", "theirs"))
    return ours <= theirs


def _allowed() -> str:
    """What our calls allow that allow more than the default."""
    errors: dict[float, list[str]] = {}
    for pair in PAIRS:
        if pair.error is not None:
            errors.setdefault(pair.error, []).append(pair.name)
    return "; ".join(f"`error=2**{math.log2(error):.0f}` for {', '.join(names)}" for error, names in errors.items())


def page(rows: Sequence[tuple[Pair, str, int, dict[str, Figures]]]) -> str:
    every = sum(len(pair.shapes) for pair in PAIRS) * len(CHIPS)
    ratios = [row["ours"]["us"] / row["theirs"]["us"] for *_, row in rows]
    fast = sum(ratio <= SAME for ratio in ratios)
    exact = sum(map(is_as_exact, (row for *_, row in rows)))
    both = sum(ratio <= SAME and is_as_exact(row) for ratio, (*_, row) in zip(ratios, rows, strict=True))
    off = [abs(row["ours"]["predicted"] / row["ours"]["us"] - 1) for *_, row in rows]
    median, worst, predicted = float(np.nanmedian(off)), float(np.nanmax(off)), int(np.isfinite(off).sum())
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    lines = [
        "# Beside ttnn's own operations",
        "",
        "Formulas beside ttnn's own operations for the same maths, on the same tensors: bfloat16 in tiles, interleaved",
        "in DRAM, default configurations of both; but where ttnn's default is a matmul at HiFi2, our call allows as",
        "much error (below). Our formulas run with the plan that the clock chooses",
        "([declarations.md](declarations.md)), the real ttnn on the simulated card. Where ttnn has several ways, the",
        "fastest counts. Times are those of the model ([timing.md](timing.md)), without gaps between launches; no card",
        "was measured. `make beside-ttnn` writes this page, in an hour or more, and goes on where it was interrupted.",
        "",
        *([f"**{len(rows)} of {every} rows are measured so far.**", ""] if len(rows) < every else []),
        f"Of {len(rows)} rows ours is faster or equal in {fast} ({fast / len(rows):.0%}), at an error that is equal or",
        f"smaller in {exact}; both are true of {both}. The geometric mean of the ratios of times is {mean:.2f}.",
        "Targets: 80 % of the rows, and 0.8.",
        "",
        f"Asked of ours: {_allowed()}.",
        "",
        f"The planner predicted our times in {predicted} rows without a run: {median:.1%} off the recorded run's",
        f"at the median, {worst:.1%} at the worst.",
        "",
        "| column | meaning |",
        "|---|---|",
        "| us | predicted time of all launches; ours, ttnn's |",
        "| ratio | ours divided by ttnn's: below 1 ours is faster |",
        "| error | largest absolute difference from torch in float64 |",
        "| DRAM | KiB read and written |",
        "| L1 | KiB of circular buffers on one core, of the largest launch |",
        "| reason | where ttnn is faster: what ours does more of |",
        "",
        f"| operation | shape | chip | us | ttnn us | ratio | error | ttnn error | {' | '.join(_SIZES)} | reason |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for (pair, chip, case, row), ratio in zip(rows, ratios, strict=True):
        shapes = pair.shapes[case].values()
        shape = " ".join("x".join(map(str, each)) for each in dict.fromkeys(shapes) if each[0] != 1)
        ours, theirs = row["ours"], row["theirs"]
        cells = [pair.name, shape, chip.removesuffix("_b0"), f"{ours['us']:.1f}", f"{theirs['us']:.1f}", f"{ratio:.2f}"]
        cells += [f"{each['error']:.2g}" for each in (ours, theirs)]
        cells += [f"{each['dram'] / 1024:.0f}" for each in (ours, theirs)]
        cells += [f"{each['l1'] / 1024:.0f}" for each in (ours, theirs)]
        lines.append(f"| {' | '.join([*cells, reason(ours, theirs)])} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=ROOT / ".beside_ttnn", help="where figures are kept")
    parser.add_argument("--only", default="", help="pairs whose name has this in it; the page is not written")
    parser.add_argument("--chip", choices=CHIPS, help="this chip only; the page is not written")
    parser.add_argument("--so-far", action="store_true", help="write the page of what is measured, measure nothing")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    chips = [options.chip] if options.chip else CHIPS
    rows = [
        (pair, chip, case, row)
        for pair in PAIRS
        if options.only in pair.name
        for chip in chips
        if not options.so_far
        or all(path_of(run, pair, chip, options.folder).exists() for run in (run_ours, run_theirs))
        for case, row in enumerate(measured(pair, chip, options.folder))
    ]
    text = page(rows)
    if options.only or options.chip:
        print(text)
    else:
        PAGE.write_text(text)
        print(PAGE)


if __name__ == "__main__":
    main()
