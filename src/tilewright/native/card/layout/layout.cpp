// SPDX-License-Identifier: Apache-2.0
// Prints the layout of an installed tt-metal's launch structures, one `name value` a line. It is compiled against that
// package's own headers (_card/launches/layout.py), once for Tensix cores and once each for idle and linked ethernet cores. So a
// release that moved a field is followed, and one that renamed it does not compile.
#include <cstddef>
#include <cstdint>
#include <cstdio>

#define HAL_BUILD release
#define tt_l1_ptr
#include "hostdev/dev_msgs.h"
#if defined(COMPILE_FOR_ERISC) && defined(MEM_AERISC_ROUTING_TABLE_BASE) && !defined(WITHOUT_FABRIC)
#define HAS_FABRIC
#ifndef ASSERT
#define ASSERT(...)
#endif
#include "hostdevcommon/fabric_common.h"
#endif
#include "tt_metal/impl/dispatch/kernels/cq_commands.hpp"

using namespace release;

static void print(const char* name, size_t value) { std::printf("%s %zu\n", name, value); }

#define FIELD(structure, field) print(#structure "." #field, offsetof(structure, field))
#define CONSTANT(name) print(#name, static_cast<size_t>(name))

// Fields that not every release has; the reader handles their absence.
#define OPTIONAL_FIELD(structure, field) \
    [](auto* of) { \
        using Type = std::remove_pointer_t<decltype(of)>; \
        if constexpr (requires(Type value) { value.field; }) { \
            print(#structure "." #field, offsetof(Type, field)); \
        } \
    }(static_cast<structure*>(nullptr))

#if !defined(COMPILE_FOR_IDLE_ERISC) && !defined(COMPILE_FOR_ERISC)
// Commands of the prefetch and dispatch kernels (fast dispatch): what each is called by, and where its fields lie.
static void print_commands() {
    print("CQPrefetchCmd", sizeof(CQPrefetchCmd));
    print("CQDispatchCmd", sizeof(CQDispatchCmd));
    print("CQDispatchCmdLarge", sizeof(CQDispatchCmdLarge));
    CONSTANT(CQ_PREFETCH_CMD_RELAY_LINEAR);
    CONSTANT(CQ_PREFETCH_CMD_RELAY_LINEAR_H);
    CONSTANT(CQ_PREFETCH_CMD_RELAY_PAGED);
    CONSTANT(CQ_PREFETCH_CMD_RELAY_PAGED_PACKED);
    CONSTANT(CQ_PREFETCH_CMD_RELAY_INLINE);
    CONSTANT(CQ_PREFETCH_CMD_RELAY_INLINE_NOFLUSH);
    CONSTANT(CQ_PREFETCH_CMD_EXEC_BUF);
    CONSTANT(CQ_PREFETCH_CMD_EXEC_BUF_END);
    CONSTANT(CQ_PREFETCH_CMD_STALL);
    CONSTANT(CQ_PREFETCH_CMD_DEBUG);
    CONSTANT(CQ_PREFETCH_CMD_TERMINATE);
    CONSTANT(CQ_PREFETCH_CMD_PAGED_TO_RINGBUFFER);
    CONSTANT(CQ_PREFETCH_CMD_SET_RINGBUFFER_OFFSET);
    CONSTANT(CQ_PREFETCH_CMD_RELAY_RINGBUFFER);
    CONSTANT(CQ_PREFETCH_CMD_RELAY_LINEAR_PACKED);
    CONSTANT(CQ_PREFETCH_CMD_RELAY_LINEAR_PACKED_H);
    CONSTANT(CQ_PREFETCH_RELAY_PAGED_IS_DRAM_SHIFT);
    CONSTANT(CQ_PREFETCH_RELAY_PAGED_LENGTH_ADJUST_MASK);
    CONSTANT(CQ_PREFETCH_PAGED_TO_RING_BUFFER_FLAG_RESET_TO_START);
    CONSTANT(CQ_DISPATCH_CMD_WRITE_LINEAR);
    CONSTANT(CQ_DISPATCH_CMD_WRITE_LINEAR_H);
    CONSTANT(CQ_DISPATCH_CMD_WRITE_LINEAR_H_HOST);
    CONSTANT(CQ_DISPATCH_CMD_WRITE_PAGED);
    CONSTANT(CQ_DISPATCH_CMD_WRITE_PACKED);
    CONSTANT(CQ_DISPATCH_CMD_WRITE_PACKED_LARGE);
    CONSTANT(CQ_DISPATCH_CMD_WAIT);
    CONSTANT(CQ_DISPATCH_CMD_SINK);
    CONSTANT(CQ_DISPATCH_CMD_DEBUG);
    CONSTANT(CQ_DISPATCH_CMD_DELAY);
    CONSTANT(CQ_DISPATCH_CMD_EXEC_BUF_END);
    CONSTANT(CQ_DISPATCH_CMD_SET_WRITE_OFFSET);
    CONSTANT(CQ_DISPATCH_CMD_TERMINATE);
    CONSTANT(CQ_DISPATCH_CMD_SEND_GO_SIGNAL);
    CONSTANT(CQ_DISPATCH_NOTIFY_SUBORDINATE_GO_SIGNAL);
    CONSTANT(CQ_DISPATCH_SET_NUM_WORKER_SEMS);
#if defined(HAS_CQ_DISPATCH_SET_GO_SIGNAL_NOC_DATA)
    CONSTANT(CQ_DISPATCH_SET_GO_SIGNAL_NOC_DATA);
    FIELD(CQDispatchCmd, set_go_signal_noc_data.num_words);
#endif
    CONSTANT(CQ_DISPATCH_CMD_WRITE_PACKED_LARGE_UNICAST);
    CONSTANT(CQ_DISPATCH_SET_SUB_DEVICE_WORKER_COUNTS);
    CONSTANT(CQ_DISPATCH_CMD_RT_PROFILER_FLUSH);
    CONSTANT(CQ_DISPATCH_CMD_PACKED_WRITE_FLAG_MCAST);
    CONSTANT(CQ_DISPATCH_CMD_PACKED_WRITE_FLAG_NO_STRIDE);
    CONSTANT(CQ_DISPATCH_CMD_PACKED_WRITE_LARGE_UNICAST_ADDR_DISCARD);
    CONSTANT(CQ_DISPATCH_CMD_WAIT_FLAG_NOTIFY_PREFETCH);
    CONSTANT(CQ_DISPATCH_CMD_WAIT_FLAG_WAIT_MEMORY);
    CONSTANT(CQ_DISPATCH_CMD_WAIT_FLAG_CLEAR_MEMORY);
    CONSTANT(CQ_DISPATCH_CMD_WAIT_FLAG_WAIT_STREAM);
    CONSTANT(CQ_DISPATCH_CMD_WAIT_FLAG_CLEAR_STREAM);
    CONSTANT(CQ_DISPATCH_CMD_GO_NO_MULTICAST_OFFSET);
    CONSTANT(DISPATCH_SUBORDINATE);
    FIELD(CQPrefetchCmdLarge, relay_linear.noc_xy_addr);
    FIELD(CQPrefetchCmdLarge, relay_linear.addr);
    FIELD(CQPrefetchCmdLarge, relay_linear.length);
    FIELD(CQPrefetchCmd, relay_paged.start_page);
    FIELD(CQPrefetchCmd, relay_paged.is_dram_and_length_adjust);
    FIELD(CQPrefetchCmd, relay_paged.base_addr);
    FIELD(CQPrefetchCmd, relay_paged.page_size);
    FIELD(CQPrefetchCmd, relay_paged.pages);
    FIELD(CQPrefetchCmd, relay_paged_packed.count);
    FIELD(CQPrefetchCmd, relay_paged_packed.stride);
    FIELD(CQPrefetchRelayPagedPackedSubCmd, start_page);
    FIELD(CQPrefetchRelayPagedPackedSubCmd, log_page_size);
    FIELD(CQPrefetchRelayPagedPackedSubCmd, base_addr);
    FIELD(CQPrefetchRelayPagedPackedSubCmd, length);
    FIELD(CQPrefetchCmd, relay_inline.dispatcher_type);
    FIELD(CQPrefetchCmd, relay_inline.length);
    FIELD(CQPrefetchCmd, relay_inline.stride);
    FIELD(CQPrefetchCmd, exec_buf.base_addr);
    FIELD(CQPrefetchCmd, exec_buf.log_page_size);
    FIELD(CQPrefetchCmd, exec_buf.pages);
    FIELD(CQPrefetchCmd, debug.stride);
    FIELD(CQPrefetchCmd, paged_to_ringbuffer.flags);
    FIELD(CQPrefetchCmd, paged_to_ringbuffer.log2_page_size);
    FIELD(CQPrefetchCmd, paged_to_ringbuffer.start_page);
    FIELD(CQPrefetchCmd, paged_to_ringbuffer.wp_offset_update);
    FIELD(CQPrefetchCmd, paged_to_ringbuffer.base_addr);
    FIELD(CQPrefetchCmd, paged_to_ringbuffer.length);
    FIELD(CQPrefetchCmd, set_ringbuffer_offset.update_wp);
    FIELD(CQPrefetchCmd, set_ringbuffer_offset.offset);
    FIELD(CQPrefetchCmd, relay_ringbuffer.count);
    FIELD(CQPrefetchCmd, relay_ringbuffer.stride);
    FIELD(CQPrefetchRelayRingbufferSubCmd, start);
    FIELD(CQPrefetchRelayRingbufferSubCmd, length);
    FIELD(CQPrefetchCmd, relay_linear_packed.count);
    FIELD(CQPrefetchCmd, relay_linear_packed.noc_xy_addr);
    FIELD(CQPrefetchCmd, relay_linear_packed.stride);
    FIELD(CQPrefetchRelayLinearPackedSubCmd, addr);
    FIELD(CQPrefetchRelayLinearPackedSubCmd, length);
    FIELD(CQDispatchCmdLarge, write_linear.num_mcast_dests);
    FIELD(CQDispatchCmdLarge, write_linear.write_offset_index);
    FIELD(CQDispatchCmdLarge, write_linear.noc_xy_addr);
    FIELD(CQDispatchCmdLarge, write_linear.addr);
    FIELD(CQDispatchCmdLarge, write_linear.length);
    FIELD(CQDispatchCmd, write_linear_host.length);
    FIELD(CQDispatchCmd, write_paged.is_dram);
    FIELD(CQDispatchCmd, write_paged.start_page);
    FIELD(CQDispatchCmd, write_paged.base_addr);
    FIELD(CQDispatchCmd, write_paged.page_size);
    FIELD(CQDispatchCmd, write_paged.pages);
    FIELD(CQDispatchCmd, write_packed.flags);
    FIELD(CQDispatchCmd, write_packed.count);
    FIELD(CQDispatchCmd, write_packed.write_offset_index);
    FIELD(CQDispatchCmd, write_packed.size);
    FIELD(CQDispatchCmd, write_packed.addr);
    FIELD(CQDispatchCmd, write_packed_large.count);
    FIELD(CQDispatchCmd, write_packed_large.alignment);
    FIELD(CQDispatchCmd, write_packed_large.write_offset_index);
    FIELD(CQDispatchWritePackedLargeSubCmd, noc_xy_addr);
    FIELD(CQDispatchWritePackedLargeSubCmd, addr);
    FIELD(CQDispatchWritePackedLargeSubCmd, length_minus1);
    FIELD(CQDispatchCmd, write_packed_large_unicast.count);
    FIELD(CQDispatchCmd, write_packed_large_unicast.alignment);
    FIELD(CQDispatchCmd, write_packed_large_unicast.write_offset_index);
    FIELD(CQDispatchWritePackedLargeUnicastSubCmd, noc_xy_addr);
    FIELD(CQDispatchWritePackedLargeUnicastSubCmd, addr);
    FIELD(CQDispatchWritePackedLargeUnicastSubCmd, length);
    FIELD(CQDispatchCmd, wait.flags);
    FIELD(CQDispatchCmd, wait.stream);
    FIELD(CQDispatchCmd, wait.addr);
    FIELD(CQDispatchCmd, wait.count);
    FIELD(CQDispatchCmd, debug.stride);
    FIELD(CQDispatchCmd, set_write_offset.offset_count);
    FIELD(CQDispatchCmd, mcast.multicast_go_offset);
    FIELD(CQDispatchCmd, mcast.go_signal);
    FIELD(CQDispatchCmd, mcast.wait_count);
    FIELD(CQDispatchCmd, mcast.wait_stream);
    FIELD(CQDispatchCmd, notify_dispatch_s_go_signal.index_bitmask);
    FIELD(CQDispatchCmd, set_sub_device_worker_counts.num_sub_devices);
    FIELD(CQDispatchCmd, rt_profiler_flush.wait_count);
    FIELD(CQDispatchCmd, rt_profiler_flush.wait_stream);
    print("CQPrefetchRelayPagedPackedSubCmd", sizeof(CQPrefetchRelayPagedPackedSubCmd));
    print("CQPrefetchRelayRingbufferSubCmd", sizeof(CQPrefetchRelayRingbufferSubCmd));
    print("CQPrefetchRelayLinearPackedSubCmd", sizeof(CQPrefetchRelayLinearPackedSubCmd));
    print("CQDispatchWritePackedUnicastSubCmd", sizeof(CQDispatchWritePackedUnicastSubCmd));
    print("CQDispatchWritePackedMulticastSubCmd", sizeof(CQDispatchWritePackedMulticastSubCmd));
    print("CQDispatchWritePackedLargeSubCmd", sizeof(CQDispatchWritePackedLargeSubCmd));
    print("CQDispatchWritePackedLargeUnicastSubCmd", sizeof(CQDispatchWritePackedLargeUnicastSubCmd));
}
#endif

int main() {
    FIELD(mailboxes_t, launch);
    print("go_message", offsetof(mailboxes_t, go_messages));
    FIELD(go_msg_t, signal);
    CONSTANT(RUN_MSG_INIT);
    CONSTANT(RUN_MSG_GO);
    CONSTANT(RUN_MSG_RESET_READ_PTR);
    CONSTANT(RUN_MSG_RESET_READ_PTR_FROM_HOST);
    CONSTANT(RUN_MSG_DONE);
#if defined(COMPILE_FOR_IDLE_ERISC)
    CONSTANT(MEM_IERISC_MAILBOX_BASE);
#elif defined(COMPILE_FOR_ERISC)
    CONSTANT(MEM_AERISC_MAILBOX_BASE);
#if defined(HAS_FABRIC)
    CONSTANT(MEM_AERISC_ROUTING_TABLE_BASE);
    OPTIONAL_FIELD(tt::tt_fabric::routing_l1_info_t, my_mesh_coord_y);
    OPTIONAL_FIELD(tt::tt_fabric::routing_l1_info_t, my_mesh_coord_x);
#endif
#endif
    print("launch_msg_t", sizeof(launch_msg_t));
    print("processors", sizeof(kernel_config_msg_t::rta_offset) / sizeof(rta_offset_t));
    FIELD(launch_msg_t, kernel_config);
    FIELD(kernel_config_msg_t, kernel_config_base);
    FIELD(kernel_config_msg_t, rta_offset);
    FIELD(kernel_config_msg_t, kernel_text_offset);
    FIELD(kernel_config_msg_t, enables);
    print("enables_bytes", sizeof(kernel_config_msg_t::enables));
#if !defined(COMPILE_FOR_IDLE_ERISC) && !defined(COMPILE_FOR_ERISC)
    CONSTANT(MEM_MAILBOX_BASE);
    CONSTANT(MEM_MAP_END);
    CONSTANT(MEM_BANK_TO_NOC_SCRATCH);
    CONSTANT(NOC_COORD_REG_OFFSET);
    CONSTANT(MEM_L1_SIZE);
#if defined(MEM_TENSIX_FABRIC_CONNECTIONS_BASE)
    CONSTANT(MEM_TENSIX_ROUTING_TABLE_BASE);
    CONSTANT(MEM_TENSIX_ROUTING_PATH_BASE_1D);
    CONSTANT(MEM_TENSIX_EXIT_NODE_TABLE_BASE);
    CONSTANT(MEM_TENSIX_FABRIC_CONNECTIONS_BASE);
    CONSTANT(MEM_FABRIC_CONNECTION_LOCK_BASE);
    CONSTANT(MEM_FABRIC_COUNTER_BASE);
    CONSTANT(MEM_PACKET_HEADER_POOL_BASE);
    CONSTANT(PACKET_HEADER_MAX_SIZE);
    CONSTANT(NUM_PACKET_HEADERS);
#endif
    FIELD(kernel_config_msg_t, sem_offset);
    FIELD(kernel_config_msg_t, local_cb_offset);
    FIELD(kernel_config_msg_t, remote_cb_offset);
    FIELD(kernel_config_msg_t, local_cb_mask);
    print("local_cb_mask_bytes", sizeof(kernel_config_msg_t::local_cb_mask));
    FIELD(kernel_config_msg_t, min_remote_cb_start_index);
    FIELD(kernel_config_msg_t, host_assigned_id);
    FIELD(kernel_config_msg_t, sub_device_origin_x);
    FIELD(kernel_config_msg_t, sub_device_origin_y);
    OPTIONAL_FIELD(kernel_config_msg_t, prefetcher_pipe_offset);
    OPTIONAL_FIELD(kernel_config_msg_t, kernel_text_size);
    OPTIONAL_FIELD(kernel_config_msg_t, watcher_kernel_ids);
    FIELD(mailboxes_t, launch_msg_rd_ptr);
    FIELD(mailboxes_t, go_message_index);
    FIELD(kernel_config_msg_t, mode);
    FIELD(kernel_config_msg_t, preload);
    CONSTANT(DISPATCH_MODE_DEV);
    CONSTANT(RUN_MSG_REPLAY_TRACE);
    CONSTANT(launch_msg_buffer_num_entries);
    CONSTANT(go_message_num_entries);
    print_commands();
#endif
    return 0;
}
