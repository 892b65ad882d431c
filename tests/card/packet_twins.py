# SPDX-License-Identifier: Apache-2.0
"""Kernels that send packets with a bug that only the checker sees, and their repaired twins, on a row of four chips.

A kernel of chip 0 sends pages of a tensor to chip 1, or multicasts a semaphore to chips 1 to 3. Arguments: names of
variants, run one after another; each bug has a twin with ``-repaired`` behind its name.
"""

import sys

import torch
import ttnn

# The header and the route of each packet; data and signal have headers of their own.
SENDER = r"""
#include "api/dataflow/dataflow_api.h"
#include "hostdev/fabric_edm_packet_header.hpp"
#include "tt_metal/fabric/hw/inc/edm_fabric/edm_fabric_worker_adapters.hpp"
#include "tt_metal/fabric/hw/inc/packet_header_pool.h"
#include "tt_metal/fabric/hw/inc/tt_fabric_api.h"

using tt::tt_fabric::WorkerToFabricEdmSender;

void send_header(WorkerToFabricEdmSender& link, volatile PACKET_HEADER_TYPE* header) {
    link.send_payload_flush_blocking_from_address((uint32_t)(uintptr_t)header, sizeof(PACKET_HEADER_TYPE));
}

void kernel_main() {
    const uint32_t semaphore = get_arg_val<uint32_t>(0), source = get_arg_val<uint32_t>(1);
    const uint32_t target = get_arg_val<uint32_t>(2), rounds = get_arg_val<uint32_t>(3);
    const uint32_t bytes = get_arg_val<uint32_t>(4), flush = get_arg_val<uint32_t>(5);
    const uint32_t page_step = get_arg_val<uint32_t>(6), signal_link = get_arg_val<uint32_t>(7);
    const uint32_t chips = get_arg_val<uint32_t>(8), closes = get_arg_val<uint32_t>(9);
    size_t next = 10;
    auto link = WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(next);
    auto other = WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(next);
    link.open();
    other.open();
    auto* data = PacketHeaderPool::allocate_header();
    auto* signal = PacketHeaderPool::allocate_header();
    data->to_chip_unicast(1);
    if (chips == 1) {
        signal->to_chip_unicast(1);
    } else {
        signal->to_chip_multicast(tt::tt_fabric::MulticastRoutingCommandHeader{1, (uint8_t)chips});
    }
    const uint64_t there = get_noc_addr(my_x[0], my_y[0], semaphore);
    signal->to_noc_unicast_atomic_inc(tt::tt_fabric::NocUnicastAtomicIncCommandHeader{there, 1, flush != 0});
    const auto from = TensorAccessor(tensor_accessor::make_interleaved_dspec<true>(), source, 2048);
    const auto to = TensorAccessor(tensor_accessor::make_interleaved_dspec<true>(), target, 2048);
    cb_reserve_back(0, 2);
    const uint32_t scratch = get_write_ptr(0);
    noc_async_read_page(0, from, scratch);
    noc_async_read_page(1, from, scratch + 2048);
    noc_async_read_barrier();
    for (uint32_t round = 0; round < rounds; round++) {
        if (bytes != 0) {
            data->to_noc_unicast_write(
                tt::tt_fabric::NocUnicastCommandHeader{to.get_noc_addr(round * page_step)}, bytes);
            link.wait_for_empty_write_slot();
            link.send_payload_without_header_non_blocking_from_address(scratch + 2048 * round, bytes);
            send_header(link, data);
        }
        auto& chosen = signal_link == 0 ? link : other;
        chosen.wait_for_empty_write_slot();
        send_header(chosen, signal);
        for (uint32_t look = 0; look < 64; look++) {
            invalidate_l1_cache();  // the packets arrive and the receiver reads meanwhile; nothing makes sure of it
        }
    }
    link.close();
    if (closes != 0) {
        other.close();
    }
    noc_async_write_barrier();
}
"""

RECEIVER = r"""
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    auto* semaphore = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(0));
    const uint32_t target = get_arg_val<uint32_t>(1), rounds = get_arg_val<uint32_t>(2);
    const uint32_t bytes = get_arg_val<uint32_t>(3), page_step = get_arg_val<uint32_t>(4);
    const auto from = TensorAccessor(tensor_accessor::make_interleaved_dspec<true>(), target, 2048);
    cb_reserve_back(0, 1);
    for (uint32_t round = 0; round < rounds; round++) {
        noc_semaphore_wait_min(semaphore, round + 1);
        if (bytes != 0) {
            noc_async_read_page(round * page_step, from, get_write_ptr(0));
            noc_async_read_barrier();
        }
    }
    noc_semaphore_set(semaphore, 0);
}
"""

# Rounds, bytes of a packet, flush, pages from one round to the next, link of the signal, chips signalled, close.
SOUND = (2, 2048, 1, 1, 0, 1, 1)
VARIANTS = {
    "no-flush": (2, 2048, 0, 1, 0, 1, 1),
    "other-link": (2, 2048, 1, 1, 1, 1, 1),
    "same-page": (2, 2048, 1, 0, 0, 1, 1),
    "two-pages": (1, 4096, 1, 1, 0, 1, 1),
    "not-closed": (2, 2048, 1, 1, 0, 1, 0),
    "short-multicast": (1, 0, 1, 1, 0, 2, 1),
    "no-flush-repaired": SOUND,
    "other-link-repaired": SOUND,
    "same-page-repaired": SOUND,
    "two-pages-repaired": SOUND,
    "not-closed-repaired": SOUND,
    "short-multicast-repaired": (1, 0, 1, 1, 0, 3, 1),
}
CORE = ttnn.CoreCoord(0, 0)
CORES = ttnn.CoreRangeSet([ttnn.CoreRange(CORE, CORE)])


def kernel(source: str, arguments: list[int]) -> ttnn.KernelDescriptor:
    return ttnn.KernelDescriptor(
        kernel_source=source,
        source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=CORES,
        compile_time_args=[],
        runtime_args=[(CORE, arguments)],
        config=ttnn.WriterConfigDescriptor(),
    )


def scratch() -> ttnn.CBDescriptor:
    page = ttnn.CBFormatDescriptor(buffer_index=0, data_format=ttnn.bfloat16, page_size=2048)
    return ttnn.CBDescriptor(total_size=2 * 2048, core_ranges=CORES, format_descriptors=[page])


def run(mesh: ttnn.MeshDevice, variant: str) -> None:
    rounds, size, flush, page_step, signal_link, chips, closes = VARIANTS[variant]
    semaphore = ttnn.create_global_semaphore(mesh, CORES, 0)
    address = ttnn.get_global_semaphore_address(semaphore)
    x = torch.randn(4, 1, 32, 64).bfloat16()
    mapper = ttnn.ShardTensorToMesh(mesh, dim=0)
    tensors = [ttnn.from_torch(x, layout=ttnn.TILE_LAYOUT, device=mesh, mesh_mapper=mapper) for _ in range(2)]
    source, target = (each.buffer_address() for each in tensors)
    places = [ttnn.MeshCoordinate(0, chip) for chip in range(4)]
    nodes = [mesh.get_fabric_node_id(place) for place in places]
    sender = ttnn.ProgramDescriptor(kernels=[], semaphores=[], cbs=[scratch()])
    links = [ttnn.setup_fabric_connection(nodes[0], nodes[1], link, sender, CORE) for link in (0, 1)]
    arguments = [address, source, target, rounds, size, flush, page_step, signal_link, chips, closes]
    sender.kernels = [kernel(SENDER, [*arguments, *links[0], *links[1]])]
    programs = ttnn.MeshProgramDescriptor()
    programs[ttnn.MeshCoordinateRange(places[0], places[0])] = sender
    for place in places[1:] if "multicast" in variant else places[1:2]:
        receiver = kernel(RECEIVER, [address, target, rounds, size, page_step])
        programs[ttnn.MeshCoordinateRange(place, place)] = ttnn.ProgramDescriptor(
            kernels=[receiver], semaphores=[], cbs=[scratch()]
        )
    ttnn.generic_op(tensors, programs)
    ttnn.synchronize_device(mesh)


def main() -> None:
    ttnn.set_fabric_config(ttnn.FabricConfig.FABRIC_1D)
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(1, 4))
    for variant in sys.argv[1:]:
        try:
            run(mesh, variant)
            print(f"{variant}: ended", flush=True)
        except RuntimeError as error:
            print(f"{variant}: {' '.join(str(error).split())}", flush=True)
    ttnn.close_mesh_device(mesh)
    print("closed")


main()
