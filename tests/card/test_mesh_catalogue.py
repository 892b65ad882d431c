# SPDX-License-Identifier: Apache-2.0
"""A sample of the catalogue of operations for several chips; `python -m tests.card.mesh_catalogue` runs all."""

from __future__ import annotations

from tests.card.card_process import OnCard

# Through mux kernels of both versions, with packets to one chip and to several, and with a fused operation.
SAMPLE = (
    "experimental.all_gather_async",
    "experimental.all_reduce_async",
    "experimental.dit_fused_distributed_rmsnorm",
    "all_to_all_dispatch",
    "all_to_all_combine",
)


def test_sample_of_operations_for_several_chips_is_right(on_card: OnCard, real_ttnn_with_torch: str) -> None:
    command = (real_ttnn_with_torch, "-m", "tests.card.mesh_catalogue", "1x2", "FABRIC_1D", "Linear", *SAMPLE)
    result = on_card("--system", "n300", "--", *command)
    assert result.returncode == 0, result.stdout + result.stderr
    outcomes = dict(line.split(": ", 1) for line in result.stdout.splitlines() if ": " in line)
    assert outcomes == dict.fromkeys(SAMPLE, "right")
