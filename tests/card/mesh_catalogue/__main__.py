# SPDX-License-Identifier: Apache-2.0
"""Calls ttnn's operations for several chips on a mesh, each against torch, element by element.

tilewright exec --system 1x4-torus -- python -m tests.card.mesh_catalogue 1x4 FABRIC_1D_RING Ring [OPERATION ...]

It prints an outcome for each operation: right, wrong, or the first line of its error.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import torch
import ttnn

from tests.card.mesh_catalogue import (
    attention_cases,
    expert_cases,
    fused_cases,
    gather_cases,
    halo_cases,
    llama_cases,
    norm_cases,
    prefill_cases,
    reduce_cases,
    ring_attention_cases,
    socket_cases,
)
from tests.card.mesh_catalogue.chips import Chips

CASES: dict[str, Callable[[Chips], bool]] = {
    name: case
    for cases in (
        gather_cases,
        halo_cases,
        reduce_cases,
        fused_cases,
        norm_cases,
        attention_cases,
        ring_attention_cases,
        expert_cases,
        prefill_cases,
        llama_cases,
        socket_cases,
    )
    for name, case in cases.CASES.items()
}


def outcome(case: Callable[[Chips], bool], chips: Chips) -> str:
    torch.manual_seed(0)
    try:
        return "right" if case(chips) else "wrong"
    except (RuntimeError, TypeError) as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        told = lines.index("info:") + 1 if "info:" in lines else 0
        return f"error: {' '.join(lines[told : told + 1])}"


def main(shape: str, fabric: str, topology: str, *names: str) -> None:
    rows, columns = map(int, shape.split("x"))
    ttnn.set_fabric_config(getattr(ttnn.FabricConfig, fabric))
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(rows, columns))
    line = getattr(ttnn.Topology, topology)
    chips = Chips(mesh, line, ttnn.Topology.Mesh if "2D" in fabric else line)
    for name in names or CASES:
        print(f"{name}: {outcome(CASES[name], chips)}", flush=True)
    ttnn.close_mesh_device(mesh)


if __name__ == "__main__":
    main(*sys.argv[1:])
