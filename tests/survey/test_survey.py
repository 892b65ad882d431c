# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from pathlib import Path

import pytest

from tilewright._errors import TilewrightError
from tools.survey.__main__ import main
from tools.survey.verdict import first_error, missing_name
from tools.ttnn_wheel import wheel_root

# One kernel or two of each sort: object and free functions, named and positional arguments, defines of the host.
_SAMPLE = "|".join(
    (
        "eltwise/unary/device/kernels/compute/eltwise_sfpu.cpp",
        "eltwise/binary_ng/device/kernels/compute/eltwise_binary_no_bcast.cpp",
        "eltwise/binary_ng/device/kernels_ng/dataflow/reader_interleaved_row_bcast.cpp",
        "reduction/generic/device/kernels/compute/reduce.cpp",
        "normalization/softmax/device/kernels/attention/compute/softmax.cpp",
        "normalization/layernorm/device/kernels/compute/layernorm.cpp",
        "matmul/device/kernels/compute/bmm.cpp",
        "data_movement/tilize/device/kernels/compute/tilize.cpp",
        "data_movement/transpose/device/kernels/dataflow/reader_unary_transpose_wh_interleaved.cpp",
        "operations/kv_cache/device/kernels/dataflow/reader_fill",
        "data_movement/concat/device/kernels/dataflow/reader_concat_interleaved_start_id.cpp",
        "embedding/device/kernels/dataflow/embeddings_tilize.cpp",
    )
)


def test_survey_counts_kernels_and_names_missing_functions(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(package), "--json"])
    findings = json.loads(capsys.readouterr().out)
    assert findings["kernels"] == {"core": 5, "quasar": 1, "multi-chip": 2}
    verdicts = {Path(each["kernel"]).name: each for each in findings["compilers"][0]["verdicts"]}
    assert {name: each["status"] for name, each in verdicts.items()} == {
        "reader_copy.cpp": "passed",
        "writer_named.cpp": "passed",
        "add.cpp": "passed",
        "reader_broken.cpp": "failed",
        "reader_api_constant.cpp": "failed",
    }
    assert verdicts["reader_broken.cpp"]["missing"] == "noc_async_read_from_the_moon"
    assert verdicts["reader_api_constant.cpp"]["missing"] == "API_CONSTANT_OF_THE_PACKAGE"


def test_the_table_and_the_list(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(package), "--only", "broken", "--list-failures"])
    out = capsys.readouterr().out
    assert "8 kernels: 5 for a single chip, 1 for Quasar and 2 for several chips" in out
    assert "0 of 1 kernels compile (0.0 %), 1 do not compile" in out
    assert "1  noc_async_read_from_the_moon" in out
    assert "reader_broken.cpp" in out


def test_wrong_arguments_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(TilewrightError, match="is not a ttnn package"):
        main([str(tmp_path)])
    with pytest.raises(SystemExit):
        main([str(tmp_path), "--only", "("])
    assert "not a regular expression" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([str(tmp_path), "--jobs", "0"])
    assert "--jobs is 0; it must be at least 1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("output", "name"),
    [
        ("k.cpp:3:5: error: 'no_such_tile' was not declared in this scope", "no_such_tile"),
        ("k.cpp:3:5: error: 'no_such' is not a member of 'ckernel'", "no_such"),
        ("k.cpp:1:10: fatal error: api/none.h: No such file or directory", "api/none.h"),
        ("k.cpp:3:5: error: 'class Noc' has no member named 'teleport'", "teleport"),
        ("k.cpp:3:5: error: use of undeclared identifier 'no_such_tile'", "no_such_tile"),
        ("k.cpp:1:10: fatal error: 'api/none.h' file not found", "api/none.h"),
        ("k.cpp:3:5: error: static assertion failed: width", ""),
    ],
)
def test_missing_names_of_both_compilers(output: str, name: str) -> None:
    assert missing_name(f"note: something\n{output}\nk.cpp:9:9: error: 'later' was not declared") == name
    assert first_error(output) == output.split("error: ", 1)[1]


def test_sample_of_the_published_kernels(capsys: pytest.CaptureFixture[str]) -> None:
    root = wheel_root()
    if not root.is_dir():
        pytest.skip("the ttnn wheel is not in the cache; `python -m tools.survey` downloads it")
    main([str(root), "--only", _SAMPLE, "--json"])
    report = json.loads(capsys.readouterr().out)["compilers"][0]
    assert len(report["verdicts"]) >= 12
    assert [each for each in report["verdicts"] if each["status"] == "failed"] == []
