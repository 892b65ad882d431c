# SPDX-License-Identifier: Apache-2.0
"""Four chips in a square send packets round a corner of it: all the same way round, or along columns first.

Arguments: variants, run one after another on the same mesh. Round the square, packets of all chips wait for each
other's slots if there are enough of them.
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

void kernel_main() {
    const uint32_t semaphore = get_arg_val<uint32_t>(0), packets = get_arg_val<uint32_t>(1);
    size_t next = 6;
    auto link = tt::tt_fabric::WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(next);
    link.open();
    auto* header = PacketHeaderPool::allocate_header();
    for (uint32_t place = 0; place < 4; place++) {
        header->route_buffer[place] = (uint8_t)get_arg_val<uint32_t>(2 + place);
    }
    const uint64_t there = get_noc_addr(my_x[0], my_y[0], semaphore);
    header->to_noc_unicast_atomic_inc(tt::tt_fabric::NocUnicastAtomicIncCommandHeader{there, 1});
    for (uint32_t packet = 0; packet < packets; packet++) {
        link.wait_for_empty_write_slot();
        link.send_payload_flush_blocking_from_address((uint32_t)(uintptr_t)header, sizeof(PACKET_HEADER_TYPE));
    }
    link.close();
    noc_async_write_barrier();
    auto* arrived = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore);
    noc_semaphore_wait_min(arrived, packets);
    noc_semaphore_set(arrived, 0);
}
"""

EAST, WEST, NORTH, SOUTH, DELIVER = 1, 2, 4, 8, 32  # bits of an action (Routing2DCodec)
# For each chip: the neighbour it sends to, and the actions of both rows and both columns on the way to the chip
# opposite.
ROUND = {
    0: (1, 0, DELIVER, 0, SOUTH),
    1: (3, 0, WEST, DELIVER, 0),
    3: (2, DELIVER, 0, NORTH, 0),
    2: (0, EAST, 0, 0, DELIVER),
}
COLUMNS_FIRST = {**ROUND, 0: (2, 0, EAST, 0, DELIVER), 3: (1, WEST, 0, DELIVER, 0)}
VARIANTS = {"circle": (ROUND, 100), "few-in-a-circle": (ROUND, 4), "circle-repaired": (COLUMNS_FIRST, 100)}
CORE = ttnn.CoreCoord(0, 0)
CORES = ttnn.CoreRangeSet([ttnn.CoreRange(CORE, CORE)])


def run(mesh: ttnn.MeshDevice, variant: str) -> None:
    routes, packets = VARIANTS[variant]
    address = ttnn.get_global_semaphore_address(semaphore := ttnn.create_global_semaphore(mesh, CORES, 0))
    places = [ttnn.MeshCoordinate(chip // 2, chip % 2) for chip in range(4)]
    nodes = [mesh.get_fabric_node_id(place) for place in places]
    programs = ttnn.MeshProgramDescriptor()
    for chip, (neighbour, *actions) in routes.items():
        program = ttnn.ProgramDescriptor(kernels=[], semaphores=[], cbs=[])
        link = ttnn.setup_fabric_connection(nodes[chip], nodes[neighbour], 0, program, CORE)
        program.kernels = [
            ttnn.KernelDescriptor(
                kernel_source=SENDER,
                source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
                core_ranges=CORES,
                runtime_args=[(CORE, [address, packets, *actions, *link])],
                config=ttnn.WriterConfigDescriptor(),
            )
        ]
        programs[ttnn.MeshCoordinateRange(places[chip], places[chip])] = program
    x = torch.zeros(4, 1, 32, 32).bfloat16()
    mapper = ttnn.ShardTensorToMesh(mesh, dim=0)
    tensors = [ttnn.from_torch(x, layout=ttnn.TILE_LAYOUT, device=mesh, mesh_mapper=mapper) for _ in range(2)]
    ttnn.generic_op(tensors, programs)
    ttnn.synchronize_device(mesh)
    del semaphore


def main() -> None:
    ttnn.set_fabric_config(ttnn.FabricConfig.FABRIC_2D)
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(2, 2))
    for variant in sys.argv[1:]:
        try:
            run(mesh, variant)
            print(f"{variant}: ended", flush=True)
        except RuntimeError as error:
            print(f"{variant}: {' '.join(str(error).split())}", flush=True)
    ttnn.close_mesh_device(mesh)
    print("closed")


main()
