# SPDX-License-Identifier: Apache-2.0
"""A kernel raises a semaphore of the next chip, with a bug or without; a kernel there waits for it.

Arguments: names of bugs, run one after another on the same mesh; "none" is the repaired twin.
"""

import sys

import torch
import ttnn

SENDER = r"""
#include "api/dataflow/dataflow_api.h"
#include "hostdev/fabric_edm_packet_header.hpp"
#include "tt_metal/fabric/hw/inc/edm_fabric/edm_fabric_worker_adapters.hpp"
#include "tt_metal/fabric/hw/inc/packet_header_pool.h"
#include "tt_metal/fabric/hw/inc/tt_fabric_api.h"

enum class Bug : uint32_t { None, TooManyHops, NoHops, NoWaitForSlot, NotClosed, NoPacket, TooFewPackets };

void kernel_main() {
    const auto bug = static_cast<Bug>(get_arg_val<uint32_t>(0));
    const uint32_t semaphore = get_arg_val<uint32_t>(1);
    size_t next = 2;
    auto link = tt::tt_fabric::WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(next);
    link.open();
    auto* header = PacketHeaderPool::allocate_header();
    const uint64_t there = get_noc_addr(my_x[0], my_y[0], semaphore);
    if (bug == Bug::TooManyHops) {
        header->to_chip_unicast(2);
    } else if (bug == Bug::NoHops) {
        header->routing_fields = {};
    } else {
        header->to_chip_unicast(1);
    }
    header->to_noc_unicast_atomic_inc(tt::tt_fabric::NocUnicastAtomicIncCommandHeader{there, 1});
    const uint32_t packets = bug == Bug::NoPacket ? 0 : bug == Bug::NoWaitForSlot ? 100 : 1;
    for (uint32_t packet = 0; packet < packets; packet++) {
        if (bug != Bug::NoWaitForSlot) {
            link.wait_for_empty_write_slot();
        }
        link.send_payload_flush_blocking_from_address((uint32_t)(uintptr_t)header, sizeof(PACKET_HEADER_TYPE));
    }
    if (bug != Bug::NotClosed) {
        link.close();
    }
    noc_async_write_barrier();
}
"""

RECEIVER = r"""
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    auto* semaphore = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(0));
    noc_semaphore_wait_min(semaphore, get_arg_val<uint32_t>(1));
    noc_semaphore_set(semaphore, 0);
}
"""

BUGS = ("none", "too-many-hops", "no-hops", "no-wait-for-slot", "not-closed", "no-packet", "too-few-packets")


def kernel(source: str, arguments: list[int]) -> ttnn.KernelDescriptor:
    core = ttnn.CoreCoord(0, 0)
    return ttnn.KernelDescriptor(
        kernel_source=source,
        source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=ttnn.CoreRangeSet([ttnn.CoreRange(core, core)]),
        compile_time_args=[],
        runtime_args=[(core, arguments)],
        config=ttnn.WriterConfigDescriptor(),
    )


def send(mesh: ttnn.MeshDevice, bug: str) -> None:
    core = ttnn.CoreCoord(0, 0)
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(core, core)])
    semaphore = ttnn.create_global_semaphore(mesh, cores, 0)
    address = ttnn.get_global_semaphore_address(semaphore)
    places = [ttnn.MeshCoordinate(0, chip) for chip in (0, 1)]
    nodes = [mesh.get_fabric_node_id(place) for place in places]
    sender = ttnn.ProgramDescriptor(kernels=[], semaphores=[], cbs=[])
    connection = ttnn.setup_fabric_connection(nodes[0], nodes[1], 0, sender, core)
    sender.kernels = [kernel(SENDER, [BUGS.index(bug), address, *connection])]
    wanted = 2 if bug == "too-few-packets" else 1
    receiver = ttnn.ProgramDescriptor(kernels=[kernel(RECEIVER, [address, wanted])], semaphores=[], cbs=[])
    programs = ttnn.MeshProgramDescriptor()
    for place, program in zip(places, (sender, receiver), strict=True):
        programs[ttnn.MeshCoordinateRange(place, place)] = program
    x = torch.zeros(2, 1, 32, 32).bfloat16()
    mapper = ttnn.ShardTensorToMesh(mesh, dim=0)
    tensors = [ttnn.from_torch(x, layout=ttnn.TILE_LAYOUT, device=mesh, mesh_mapper=mapper) for _ in range(2)]
    ttnn.generic_op(tensors, programs)
    ttnn.synchronize_device(mesh)


def main() -> None:
    ttnn.set_fabric_config(ttnn.FabricConfig.FABRIC_1D)
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(1, 2))
    for bug in sys.argv[1:]:
        try:
            send(mesh, bug)
            print(f"{bug}: no error", flush=True)
        except RuntimeError as error:
            print(f"{bug}: {' '.join(str(error).split())}", flush=True)
    ttnn.close_mesh_device(mesh)
    print("closed")


main()
