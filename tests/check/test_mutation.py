# SPDX-License-Identifier: Apache-2.0
"""Synchronising calls removed one at a time: named, not reached, or not noticed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.ttnn_script import ADD_ONE
from tilewright import ttnn
from tilewright._cli.main import main
from tilewright.check._call_sites import call_sites
from tilewright.check._unneeded_calls import one_format

# A barrier that waits for nothing, a call that no core reaches, and one in a comment.
ADDED = """    noc_async_write_barrier();
    if (get_arg_val<uint32_t>(0) == 3) {
        noc_semaphore_set(reinterpret_cast<volatile uint32_t*>(address), 1);
    }
    // cb_push_back(0, 1);
}
"""


def test_each_call_of_a_kernel_is_decided(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "script.py"
    end = "    noc_async_write_barrier();\n}\n"
    assert ADD_ONE.count(end) == 1
    script.write_text(ADD_ONE.replace(end, end.removesuffix("}\n") + ADDED))
    assert main(["check", str(script), "--mutate", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    fates = {(each["call"].split("(")[0], each["line"]): each["fate"] for each in answer["mutants"]}
    calls = [name for name, _ in fates]
    assert calls == [
        "cb_reserve_back",
        "noc_async_read_barrier",
        "noc_async_write_barrier",
        "noc_async_write_barrier",
        "noc_semaphore_set",
    ], answer
    decided = list(fates.values())
    assert decided == ["equivalent", "named", "equivalent", "equivalent", "not reached"]
    lines = [line for (name, line) in fates if name == "noc_async_write_barrier"]
    evidence = [each["evidence"] for each in answer["mutants"] if each["fate"] == "equivalent"]
    assert evidence[0] == "no kernel pushes pages of c_0, which is scratch memory"
    assert evidence[1:] == [f"the same call in line {line} does its work" for line in reversed(lines)]


def test_calls_in_comments_texts_and_expressions_are_no_statements() -> None:
    text = """/* cb_pop_front(0, 1); */ const char* s = "cb_pop_front(0, 1);"; int x = cb_wait_front(0, 1);
    void cb_push_back(int, int);
    if (a) cb_reserve_back(0, (1 + 2)); else noc_async_read_barrier();"""
    assert [(site.line, site.call) for site in call_sites(text)] == [
        (3, "cb_reserve_back(0, (1 + 2))"),
        (3, "noc_async_read_barrier()"),
    ]


def test_traffic_explains_why_a_call_changes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One page in a buffer of two: neither room nor the pop is needed in this run."""
    example = Path(__file__).resolve().parents[2] / "examples" / "claims"
    script = tmp_path / "copy_pages.py"
    script.write_text(
        (example / "copy_pages.py").read_text().replace("PAGES = 4", "PAGES = 1").replace("64, 64", "32, 32")
    )
    (tmp_path / "reader.cpp").write_text((example / "reader.cpp").read_text())
    writer = (example / "writer.cpp").read_text()
    pop = "        cb_pop_front(0, 1);\n"
    (tmp_path / "writer.cpp").write_text(writer.replace(pop, f"        noc_async_write_barrier();\n{pop}"))
    main(["check", str(script), "--mutate", "--json", "--ttnn", "built-in"])
    answer = json.loads(capsys.readouterr().out)
    fates = {each["call"].split("(")[0]: (each["fate"], each["evidence"]) for each in answer["mutants"]}
    fits = "all pages pushed to c_0 in this run fit the buffer; a run with more pages needs the call"
    assert fates["cb_reserve_back"] == ("equivalent", fits)
    assert fates["cb_wait_front"][0] == fates["noc_async_read_barrier"][0] == "named"


TWO_BUFFERS = """
from tilewright import ttnn

FILL = "void kernel_main() { for (uint32_t cb = 0; cb < 2; cb++) { cb_reserve_back(cb, 1); cb_push_back(cb, 1); } }"
TAKE = "void kernel_main() { for (uint32_t cb = 0; cb < 2; cb++) { cb_wait_front(cb, 1); cb_pop_front(cb, 1); } }"
device = ttnn.open_device(device_id=0)
core = ttnn.num_cores_to_corerangeset(1, (8, 8))
x = ttnn.full([32, 32], 1.0, ttnn.bfloat16, ttnn.TILE_LAYOUT, device)
text = ttnn.KernelDescriptor.SourceType.SOURCE_CODE
kernels = [
    ttnn.KernelDescriptor(FILL, text, core_ranges=core, config=ttnn.ReaderConfigDescriptor()),
    ttnn.KernelDescriptor(TAKE, text, core_ranges=core, config=ttnn.WriterConfigDescriptor()),
]
cbs = [ttnn.CBDescriptor(2048, core, [ttnn.CBFormatDescriptor(index, ttnn.bfloat16, 2048)]) for index in (0, 1)]
ttnn.generic_op([x, x], ttnn.ProgramDescriptor(kernels=kernels, cbs=cbs))
"""


def test_a_call_for_several_buffers_is_explained_for_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "two_buffers.py"
    script.write_text(TWO_BUFFERS)
    main(["check", str(script), "--mutate", "--json", "--ttnn", "built-in"])
    answer = json.loads(capsys.readouterr().out)
    fates = {each["call"].split("(")[0]: (each["fate"], each["evidence"]) for each in answer["mutants"]}
    fits = "all pages pushed to c_0 and c_1 in this run fit the buffer; a run with more pages needs the call"
    assert fates["cb_reserve_back"] == ("equivalent", fits)
    assert fates["cb_push_back"][0] == "named"


OWN_BUFFER = """
void kernel_main() {
    for (int i = 0; i < 3; i++) { cb_reserve_back(0, 1); cb_push_back(0, 1); cb_wait_front(0, 1); cb_pop_front(0, 1); }
}
"""
SETTINGS = """
#include "api/compute/reduce.h"
#include "api/compute/reconfig_data_format.h"
void kernel_main() { reconfig_data_format_srca(0); reduce_uninit(); }
"""


def test_settings_and_room_that_no_call_needs_have_a_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Room in a buffer that the kernel empties itself, and settings that no call behind them uses."""
    script = tmp_path / "script.py"
    script.write_text(
        TWO_BUFFERS.replace("FILL =", f"FILL = {OWN_BUFFER!r}; OLD =")
        .replace("TAKE =", f"TAKE = {SETTINGS!r}; GONE =")
        .replace("WriterConfigDescriptor", "ComputeConfigDescriptor")
        .replace("index, ttnn.bfloat16, 2048", "index, (ttnn.bfloat16, ttnn.float32)[index], 2048")
    )
    main(["check", str(script), "--mutate", "--json", "--ttnn", "built-in"])
    answer = json.loads(capsys.readouterr().out)
    fates = {each["call"].split("(")[0]: (each["fate"], each["evidence"]) for each in answer["mutants"]}
    own = "the kernel itself pops the pages of c_0 before it fills them again"
    assert fates["cb_reserve_back"] == ("equivalent", own)
    assert fates["cb_push_back"][0] == "named"
    formats = "all calls behind it find the formats that they need without it"
    assert fates["reconfig_data_format_srca"] == ("equivalent", formats)
    reset = "no call behind it in this run needs what it resets; a run with more work may"
    assert fates["reduce_uninit"] == ("equivalent", reset)


def test_formats_that_never_change_need_no_settings() -> None:
    cores = ttnn.num_cores_to_corerangeset(1, (8, 8))
    kernel = ttnn.KernelDescriptor("compute.cpp", core_ranges=cores, config=ttnn.ComputeConfigDescriptor())

    def format_of(*dtypes: ttnn.DataType) -> str:
        cbs = [
            ttnn.CBDescriptor(4096, cores, [ttnn.CBFormatDescriptor(index, dtype, 2048)])
            for index, dtype in enumerate(dtypes)
        ]
        return one_format(ttnn.ProgramDescriptor(kernels=[kernel], cbs=cbs), kernel)

    assert format_of(ttnn.bfloat16, ttnn.bfloat16) == "Float16_b"
    assert format_of(ttnn.bfloat16, ttnn.float32) == ""
