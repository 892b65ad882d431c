# SPDX-License-Identifier: Apache-2.0
"""Many calls of the compute API in one kernel, one result tile for each: how modes are tested value by value.

A call is its C++ text, so that what is tested can be read off the table: ``tests/house/test_api_modes.py`` does.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.tile_program import run_tiles
from tilewright import ttnn

_KERNEL = """
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"
{includes}

void load() {{
    tile_regs_acquire();
{copies}
}}

void hand_over() {{
    tile_regs_commit();
    cb_reserve_back(16, 1);
    tile_regs_wait();
}}

void store(uint32_t dst) {{
    pack_tile(dst, 16);
    tile_regs_release();
    cb_push_back(16, 1);
}}

void kernel_main() {{
    compute_kernel_hw_startup(0, 16);
{waits}
{calls}
}}
"""


@dataclasses.dataclass(frozen=True)
class Call:
    """One call: its text, with operands in DST 0, 1 ..., what it makes of them, and where its result lies.

    What is expected may be the upper left part of the tile, where a call says nothing of the rest. A call of the pack
    thread stands between the two threads' halves: its text is ``before_pack``.
    """

    text: str
    expected: Callable[..., Any]
    result: int = 0
    before_pack: str = ""


def run_calls(
    device: ttnn.Device,
    calls: Sequence[Call],
    operands: Sequence[np.ndarray],
    dtype: ttnn.DataType | Sequence[ttnn.DataType],
    includes: Sequence[str],
    *,
    in_dst: bool = True,
    result_dtype: ttnn.DataType | None = None,
    **config: Any,
) -> list[np.ndarray]:
    """The result tile of each call. Operands lie in c_0, c_1 ..., and their first tiles, ``in_dst``, in DST 0, 1 ...

    ``dtype`` is that of all of them or one for each; results have the first operand's unless said.
    """
    dtypes = [dtype] * len(operands) if isinstance(dtype, ttnn.DataType) else list(dtype)
    copies = [f"    copy_init({i});\n    copy_tile({i}, 0, {i});" for i in range(len(operands)) if in_dst]
    kernel = _KERNEL.format(
        includes="\n".join(f'#include "api/compute/{name}.h"' for name in includes),
        copies="\n".join(copies),
        waits="\n".join(f"    cb_wait_front({i}, {operand.size // 1024});" for i, operand in enumerate(operands)),
        calls="\n".join(
            f"    load();\n    {call.text}\n    hand_over();\n    {call.before_pack}\n    store({call.result});"
            for call in calls
        ),
    )
    inputs = list(zip(operands, dtypes, strict=True))
    result = run_tiles(device, inputs, kernel, (32 * len(calls), 32), result_dtype or dtypes[0], **config)
    return [result[32 * i : 32 * (i + 1)] for i in range(len(calls))]


def assert_all_near(
    calls: Sequence[Call], results: Sequence[np.ndarray], operands: Sequence[np.ndarray], relative: float
) -> None:
    """Every element is within ``relative`` of what its call expects in float64, or a quarter of that, of one."""
    for call, found in zip(calls, results, strict=True):
        expected = call.expected(*(operand.astype(np.float64) for operand in operands))
        part = found[tuple(map(slice, expected.shape))]
        text = call.text + call.before_pack
        np.testing.assert_allclose(part, expected, rtol=relative, atol=relative / 4, err_msg=text)


def assert_all_exact(calls: Sequence[Call], results: Sequence[np.ndarray], operands: Sequence[np.ndarray]) -> None:
    """Every result is what its call expects, element by element; integers by their bits."""
    for call, found in zip(calls, results, strict=True):
        expected = call.expected(*operands).astype(found.dtype)
        np.testing.assert_array_equal(found[tuple(map(slice, expected.shape))], expected, err_msg=call.text)
