# SPDX-License-Identifier: Apache-2.0
"""The program cache of an operation made of descriptors: what a call that finds its program changes in it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright import ttnn
from tilewright._cpp_ops.bridge import StaleProgramError
from tilewright._cpp_ops.build import build_operation
from tilewright._cpp_ops.library import OperationLibrary

FOLDER = Path(__file__).parent / "sum_pages"
SOURCE = "sum_pages_nanobind.cpp"
DYNAMIC = "return {{.kernel_idx = 0, .arg_idx = 0, .value = attributes.scale, .is_common = true}};"


def loaded(folder: Path) -> OperationLibrary:
    library = build_operation(folder).load(ttnn)
    library.compare_with_fresh(True)
    return library


def changed(place: Path, old: str, new: str) -> OperationLibrary:
    """The operation with one text in the place of another."""
    folder = place / "sum_pages"
    shutil.copytree(FOLDER, folder)
    text = (folder / SOURCE).read_text()
    assert old in text
    (folder / SOURCE).write_text(text.replace(old, new, 1))
    return loaded(folder)


class Rows:
    """Tensors of different values, which all stay allocated: no two lie at one address."""

    def __init__(self, device: Any) -> None:
        self._device, self._kept = device, list[Any]()

    def __call__(self, rows: int, seed: int) -> tuple[NDArray[np.uint32], Any]:
        values = np.random.default_rng(seed).integers(0, 1000, (rows, 64), np.uint32)
        tensor = ttnn.from_numpy(values, layout=ttnn.ROW_MAJOR_LAYOUT, device=self._device)
        self._kept.append(tensor)
        return values, tensor


def test_vectors_optionals_and_dynamic_arguments_give_exact_results() -> None:
    sums = loaded(FOLDER).functions["sum_pages"]
    with ttnn.manage_device(device_id=0) as device:
        rows = Rows(device)
        for rows_of, scale, with_bias in ((4, 2, False), (40, 3, True), (4, 5, True), (40, 7, True), (4, 9, False)):
            (a, x), (b, y), (c, bias) = (rows(rows_of, seed) for seed in (scale, scale + 1, scale + 2))
            result = sums([x, y], scale, bias=bias if with_bias else None)
            assert np.array_equal(ttnn.to_numpy(result), scale * (a + b) + (c if with_bias else 0))
            again = sums([x, x], scale)  # one buffer twice: every argument is set anew
            assert np.array_equal(ttnn.to_numpy(again), 2 * scale * a)


def test_call_that_finds_its_program_is_validated() -> None:
    sums = loaded(FOLDER).functions["sum_pages"]
    with ttnn.manage_device(device_id=0) as device:
        _, x = Rows(device)(4, 0)
        sums([x], 2)
        with pytest.raises(RuntimeError, match="Scale 100 is too large"):
            sums([x], 100)
        with pytest.raises(RuntimeError, match="There must be an input"):
            sums([], 2)
        with pytest.raises(RuntimeError, match="Device Operations expect device tensors as inputs"):
            sums([ttnn.from_numpy(np.zeros((4, 64), np.uint32))], 2)
        sums([x], 3, limit=4)


def test_descriptor_with_a_part_of_a_program_changes_that_part(tmp_path: Path) -> None:
    single = "return described(attributes, args, output, CoreRangeSet(CoreRange({0, 0})));\n        }"
    override = """
        static void override_runtime_arguments(
            Program& program, const operation_attributes_t& attributes, const tensor_args_t& args, Tensor& output,
            const std::optional<ttnn::MeshCoordinate>&) {
            auto& words = GetRuntimeArgs(program, 0, CoreCoord{0, 0});
            words[2] = output.buffer()->address();
            words[4] = args.inputs.front().buffer()->address();
            GetCommonRuntimeArgs(program, 0)[0] = attributes.scale;
            ProgramDescriptor one_buffer;  // no kernel: arguments stay
            one_buffer.cbs.emplace_back();
            apply_descriptor_runtime_args(program, one_buffer);
        }"""
    sums = changed(tmp_path, single, single + override).functions["sum_pages"]
    with ttnn.manage_device(device_id=0) as device:
        rows = Rows(device)
        for scale in (2, 3):
            values, x = rows(4, scale)
            assert np.array_equal(ttnn.to_numpy(sums([x], scale)), scale * values)


@pytest.mark.parametrize(
    ("old", "new", "first", "second", "said"),
    [
        (
            DYNAMIC,
            "return {};",
            (4, 2),
            (4, 3),
            r"kernel sum.cpp: common runtime argument 0 is 2, a fresh program has 3 \(not in the program hash; "
            "a cached descriptor gets the addresses of bound buffers only",
        ),
        (
            "hash_operation<SumPages>(args)",
            "hash_operation<SumPages>(args.inputs.size())",
            (4, 2),
            (40, 2),
            r"made by .*SingleCore; select_program_factory gives .*MultiCore .* not in the program hash",
        ),
        (
            "list.push_back(output.buffer());",
            "list.push_back(output.buffer()->address());",
            (4, 2),
            (4, 2),
            r"core 0-0: runtime argument 2 is \d+, a fresh program has \d+",
        ),
    ],
    ids=["scalar that is not dynamic", "factory not in the hash", "address that is not bound"],
)
def test_stale_program_is_found(
    tmp_path: Path, old: str, new: str, first: tuple[int, int], second: tuple[int, int], said: str
) -> None:
    sums = changed(tmp_path, old, new).functions["sum_pages"]
    with ttnn.manage_device(device_id=0) as device:
        rows, kept = Rows(device), []
        for number, (count, scale) in enumerate((first, second)):
            _, x = rows(count, number)
            if number == 0:
                kept.append(sums([x], scale))
                continue
            with pytest.raises(StaleProgramError, match=f"(?s){said}"):
                sums([x], scale)
