# SPDX-License-Identifier: Apache-2.0
"""CSV of timed launches in tt-metal's profiler format, for tt-perf-report and the like.

Only columns the model can fill are filled. ``OP TO OP LATENCY`` is 0: the model has no host and no dispatch. On the
clock of the ``CYCLE`` columns a launch begins where the one before it ended.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from tilewright._program.kernel_config import MathFidelity
from tilewright.timing._device_time import Core, DeviceTime, Processor
from tilewright.timing._timed_launch import TensorFacts, TimedLaunch

_FIDELITY = {1: MathFidelity.LoFi, 2: MathFidelity.HiFi2, 3: MathFidelity.HiFi3, 4: MathFidelity.HiFi4}
_SIDES = ("W", "Z", "Y", "X")
PROCESSORS = {
    Processor.BRISC: "BRISC",
    Processor.NCRISC: "NCRISC",
    Processor.UNPACK: "TRISC0",
    Processor.MATH: "TRISC1",
    Processor.PACK: "TRISC2",
}
_MOST_INPUTS = 8
START_CYCLE, END_CYCLE = "DEVICE FW START CYCLE", "DEVICE FW END CYCLE"
PerfRow = dict[str, str | int]


def perf_csv(launches: Sequence[TimedLaunch], available_cores: int) -> str:
    """One row for each launch, in order.

    Example::

        with observed_launches(TimeObserver()) as launches:
            my_operation(x)
        Path("ops_perf_results.csv").write_text(perf_csv(launches, 64))
    """
    rows: list[PerfRow] = []
    for launch in launches:
        rows.append(perf_row(len(rows) + 1, launch, available_cores, int(rows[-1][END_CYCLE]) if rows else 0))
    return csv_text(rows)


def csv_text(rows: Sequence[PerfRow]) -> str:
    """Rows under the names of all their columns."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def perf_row(number: int, launch: TimedLaunch, available_cores: int, start_cycle: int) -> PerfRow:
    """The row of a launch that begins at a cycle of the device's clock."""
    time = launch.time
    to_ns = 1e9 / time.clock_hz
    phases = max((kernel.fidelity for kernel in launch.record.kernels if kernel.processor >= 2), default=0)
    row: PerfRow = {
        "OP CODE": launch.op_code or launch.name,
        "OP TYPE": "tt_dnn_device",
        "GLOBAL CALL COUNT": number,
        "DEVICE ID": launch.chip or 0,
        "DEVICE ARCH": time.arch,
        "ATTRIBUTES": f"{{'operation': '{launch.operation}'; 'kernels': '{launch.label}'}}",
        "MATH FIDELITY": _FIDELITY[phases].name if phases else "",
        "CORE COUNT": time.num_cores,
        "AVAILABLE WORKER CORE COUNT": available_cores,
        "PARALLELIZATION STRATEGY": "",
        "HOST START TS": 0,
        "HOST END TS": 0,
        "HOST DURATION [ns]": 0,
        START_CYCLE: start_cycle,
        END_CYCLE: start_cycle + round(time.cycles),
        "DEVICE FW DURATION [ns]": round(time.cycles * to_ns),
        "DEVICE KERNEL DURATION [ns]": round(time.cycles * to_ns),
        "OP TO OP LATENCY [ns]": 0,
        "PM IDEAL [ns]": 1,
        **_per_core(time, to_ns),
    }
    for processor, lanes in time.by_processor.items():
        longest = max(lane.end - lane.begin for lane in lanes)
        row[f"DEVICE {PROCESSORS[processor]} KERNEL DURATION [ns]"] = round(longest * to_ns)
    for index in range(_MOST_INPUTS):
        row.update(_tensor(f"INPUT_{index}", launch.inputs[index] if index < len(launch.inputs) else None))
    row.update(_tensor("OUTPUT_0", launch.outputs[0] if launch.outputs else None))
    return row


def _per_core(time: DeviceTime, to_ns: float) -> PerfRow:
    """How much the cores of a launch differ."""
    begins: dict[Core, float] = {}
    ends: dict[Core, float] = {}
    for each in time.processors:
        begins[each.core] = min(each.begin, begins.get(each.core, each.begin))
        ends[each.core] = max(each.end, ends.get(each.core, each.end))
    spans = [ends[core] - begin for core, begin in begins.items()]
    per_core = "DEVICE KERNEL DURATION PER CORE"
    return {
        f"{per_core} MIN [ns]": round(min(spans) * to_ns),
        f"{per_core} MAX [ns]": round(max(spans) * to_ns),
        f"{per_core} AVG [ns]": round(sum(spans) / len(spans) * to_ns),
        "DEVICE KERNEL FIRST TO LAST START [ns]": round((max(begins.values()) - min(begins.values())) * to_ns),
    }


def _tensor(name: str, tensor: TensorFacts | None) -> PerfRow:
    columns = [f"{name}_{side}_PAD[LOGICAL]" for side in _SIDES]
    others = [f"{name}_LAYOUT", f"{name}_DATATYPE", f"{name}_MEMORY"]
    if tensor is None:
        return dict.fromkeys([*columns, *others], "")
    # A padded shape of tiles has at least two sides, that of a bias without padding may have one.
    logical = (*(1,) * (len(tensor.padded) - len(tensor.logical)), *tensor.logical)
    sides = [f"{padded}[{side}]" for padded, side in zip(tensor.padded, logical, strict=True)]
    four = [*["1[1]"] * (4 - len(sides)), *sides][-4:]
    return {
        **dict(zip(columns, four, strict=True)),
        **dict(zip(others, (tensor.layout, tensor.dtype, f"DEV_0_{tensor.memory}"), strict=True)),
    }
