# SPDX-License-Identifier: Apache-2.0
"""Runs the operations of measured rows with the real ttnn on the simulated card, so that their calls are recorded.

``measure_timing`` starts ``python -m tools.timing_rows.run_rows ROWS.tsv CARD RECORDS OUT.jsonl`` for each card.
It writes a line for each row: the files of its launches, or why it could not be run.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from pathlib import Path
from typing import Any

import ttnn

from tilewright._record.call_record import CallRecord
from tools.timing_rows.row_calls import BETWEEN_CARDS, CALLS
from tools.timing_rows.row_convolutions import LAUNCHES
from tools.timing_rows.row_tensors import Bench, measured
from tools.timing_rows.rows_file import Row, card_of, read

# Of each core, kept free for tables of sliding windows, as models that convolve ask for.
_L1_SMALL = 16384


def run_row(bench: Bench, row: Row, records: Path) -> dict[str, Any]:
    what = measured(row)
    if what.family in BETWEEN_CARDS:
        return {"why": "it runs between cards, and simulated cards are not connected"}
    try:
        call = CALLS[what.family](bench, what)
        ttnn.synchronize_device(bench.device)
        before = set(records.iterdir())
        result = call()
        ttnn.synchronize_device(bench.device)
        del result
    except Exception as error:
        return {"why": str(error).strip().splitlines()[0][:160]}
    word = LAUNCHES.get(what.family, "")
    made = sorted(path for path in set(records.iterdir()) - before)
    return {"records": [path.name for path in made if _has_kernel(path, word)]}


def _has_kernel(record: Path, word: str) -> bool:
    """Whether a launch has a kernel with a word in its name: one call may be several launches."""
    return not word or any(word in kernel.name for kernel in CallRecord.load(record).kernels)


def main(arguments: list[str]) -> int:
    rows_file, card, records, out = arguments
    device = ttnn.open_device(device_id=0, l1_small_size=_L1_SMALL)
    bench = Bench(device)
    done = set()
    if Path(out).exists():
        done = {json.loads(line)["row"] for line in Path(out).read_text().splitlines()}
    with Path(out).open("a") as answers:
        for number, row in enumerate(read(Path(rows_file))):
            if card_of(row).name != card or number in done:
                continue
            began = time.monotonic()
            answer = {"row": number, **run_row(bench, row, Path(records))}
            print(f"row {number}: {row['op']}, {time.monotonic() - began:.1f} s", file=sys.stderr, flush=True)
            answers.write(json.dumps(answer) + "\n")
            answers.flush()
            gc.collect()
    ttnn.close_device(device)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
