// SPDX-License-Identifier: Apache-2.0
// Prints the layout of an installed tt-metal's launch structures, one `name value` a line. It is compiled against that
// package's own headers (_card/layout.py), once for Tensix cores and once each for idle and linked ethernet cores. So a
// release that moved a field is followed, and one that renamed it does not compile.
#include <cstddef>
#include <cstdint>
#include <cstdio>

#define HAL_BUILD release
#define tt_l1_ptr
#include "hostdev/dev_msgs.h"

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
#else
    CONSTANT(MEM_MAILBOX_BASE);
    CONSTANT(MEM_MAP_END);
    CONSTANT(MEM_BANK_TO_NOC_SCRATCH);
    CONSTANT(NOC_COORD_REG_OFFSET);
    CONSTANT(MEM_L1_SIZE);
    print("launch_msg_t", sizeof(launch_msg_t));
    print("processors", sizeof(kernel_config_msg_t::rta_offset) / sizeof(rta_offset_t));
    FIELD(launch_msg_t, kernel_config);
    FIELD(kernel_config_msg_t, kernel_config_base);
    FIELD(kernel_config_msg_t, sem_offset);
    FIELD(kernel_config_msg_t, local_cb_offset);
    FIELD(kernel_config_msg_t, remote_cb_offset);
    FIELD(kernel_config_msg_t, rta_offset);
    FIELD(kernel_config_msg_t, kernel_text_offset);
    FIELD(kernel_config_msg_t, local_cb_mask);
    print("local_cb_mask_bytes", sizeof(kernel_config_msg_t::local_cb_mask));
    FIELD(kernel_config_msg_t, min_remote_cb_start_index);
    FIELD(kernel_config_msg_t, host_assigned_id);
    FIELD(kernel_config_msg_t, enables);
    print("enables_bytes", sizeof(kernel_config_msg_t::enables));
    FIELD(kernel_config_msg_t, sub_device_origin_x);
    FIELD(kernel_config_msg_t, sub_device_origin_y);
    OPTIONAL_FIELD(kernel_config_msg_t, prefetcher_pipe_offset);
    OPTIONAL_FIELD(kernel_config_msg_t, kernel_text_size);
    OPTIONAL_FIELD(kernel_config_msg_t, watcher_kernel_ids);
#endif
    return 0;
}
