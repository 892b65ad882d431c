# SPDX-License-Identifier: Apache-2.0
"""Programs of two chips of which one cannot end well: what each call raised, and whether both chips work afterwards."""

import os
import signal
import threading

import torch
import ttnn

WAITS = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() { noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(0)), 1); }
"""
SOURCES = {
    "faults": "void kernel_main() { *reinterpret_cast<volatile int*>(0x0) = 1; }",
    "does not compile": "void kernel_main() { no_such_function(); }",
    "reads outside": """
#include "api/dataflow/dataflow_api.h"

void kernel_main() { noc_async_read(get_noc_addr(63, 63, 0), get_arg_val<uint32_t>(0), 32); noc_async_read_barrier(); }
""",
    "ends": "void kernel_main() { }",
    "loops": "void kernel_main() { for (volatile uint32_t i = 0;; i = i + 1) { } }",
}
CORE = ttnn.CoreCoord(0, 0)
CORES = ttnn.CoreRangeSet([ttnn.CoreRange(CORE, CORE)])


def program(source: str, argument: int) -> ttnn.ProgramDescriptor:
    kernel = ttnn.KernelDescriptor(
        kernel_source=source,
        source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=CORES,
        runtime_args=[(CORE, [argument])],
        config=ttnn.WriterConfigDescriptor(),
    )
    return ttnn.ProgramDescriptor(kernels=[kernel], semaphores=[], cbs=[])


def launch(mesh: ttnn.MeshDevice, name: str) -> str:
    """What a call raised in which chip 0 waits for a signal and chip 1 runs the named kernel."""
    semaphore = ttnn.create_global_semaphore(mesh, CORES, 0)
    address = ttnn.get_global_semaphore_address(semaphore)
    programs = ttnn.MeshProgramDescriptor()
    for chip, source in enumerate((WAITS, SOURCES[name])):
        place = ttnn.MeshCoordinate(0, chip)
        programs[ttnn.MeshCoordinateRange(place, place)] = program(source, address)
    tensors = [on_mesh(mesh, torch.zeros(2, 1, 32, 32).bfloat16()) for _ in range(2)]
    try:
        ttnn.generic_op(tensors, programs)
        ttnn.synchronize_device(mesh)
    except RuntimeError as error:
        return " ".join(str(error).split())
    except KeyboardInterrupt:
        return "KeyboardInterrupt"
    return "nothing"


def on_mesh(mesh: ttnn.MeshDevice, values: torch.Tensor) -> ttnn.Tensor:
    mapper = ttnn.ShardTensorToMesh(mesh, dim=0)
    return ttnn.from_torch(values, layout=ttnn.TILE_LAYOUT, device=mesh, mesh_mapper=mapper)


def is_usable(mesh: ttnn.MeshDevice) -> bool:
    """Whether both chips compute, and packets go in both directions."""
    x = torch.randn(2, 1, 32, 32).bfloat16()
    gathered = ttnn.all_gather(on_mesh(mesh, x), dim=3, topology=ttnn.Topology.Linear)
    doubled = ttnn.to_torch(gathered + gathered, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=0))
    wanted = 2 * torch.cat([x[:1], x[1:]], dim=3)
    return torch.equal(doubled, wanted.expand(2, -1, -1, -1))


def main() -> None:
    ttnn.set_fabric_config(ttnn.FabricConfig.FABRIC_1D)
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(1, 2))
    for name in SOURCES:
        if name == "loops":
            threading.Timer(5.0, os.kill, (os.getpid(), signal.SIGINT)).start()
        print(f"{name} raised {launch(mesh, name)}", flush=True)
        print(f"{name}, afterwards: {'usable' if is_usable(mesh) else 'wrong'}", flush=True)
    ttnn.close_mesh_device(mesh)
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(1, 2))
    print(f"opened again: {'usable' if is_usable(mesh) else 'wrong'}", flush=True)
    part = mesh.create_submesh(ttnn.MeshShape(1, 1))
    ttnn.close_mesh_device(part)
    print(f"a chip closed: {'usable' if is_usable(mesh) else 'wrong'}", flush=True)
    ttnn.close_mesh_device(mesh)
    print("closed")


main()
