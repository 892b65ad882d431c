// SPDX-License-Identifier: Apache-2.0
// The few calls below the NoC API that operations make themselves.
#pragma once

#include <cstdint>

#include "tw/noc_transfers.h"

#define NOC_CMD_CPY (0x0 << 0)
#define NOC_CMD_RD (0x0 << 1)
#define NOC_CMD_WR (0x1 << 1)
#define NOC_CMD_RESP_MARKED (0x1 << 4)
#define NOC_CMD_VC_STATIC (0x1 << 7)
#define NOC_CMD_STATIC_VC(vc) ((vc) << 14)

enum NocCommandBuffer : uint32_t {
    NCRISC_RD_CMD_BUF = read_cmd_buf,
    NCRISC_WR_CMD_BUF = write_cmd_buf,
    BRISC_RD_CMD_BUF = read_cmd_buf,
    BRISC_WR_CMD_BUF = write_cmd_buf,
};
enum NocRegister : uint32_t { NOC_CTRL };

// The control register of the read buffer chooses the virtual channel, which has no effect here.
inline void NOC_CMD_BUF_WRITE_REG(uint32_t noc, uint32_t buffer, uint32_t reg, uint32_t value) {
    if (buffer != read_cmd_buf || reg != NOC_CTRL) {
        tw_not_modelled("NOC_CMD_BUF_WRITE_REG other than the control register of the read buffer");
    }
}

template <uint8_t mode = noc_mode, bool use_trid = false, bool one_packet = false>
inline void ncrisc_noc_fast_write_any_len(
    uint32_t noc,
    uint32_t cmd_buf,
    uint32_t src_addr,
    uint64_t dest_addr,
    uint32_t len_bytes,
    uint32_t vc,
    bool mcast,
    bool linked,
    uint32_t num_dests,
    bool multicast_path_reserve,
    bool posted = false,
    uint32_t trid = 0) {
    uint32_t flags = tw::posted_flag(posted) | tw::linked_flag(linked);
    uint32_t transaction_id = use_trid ? trid : tw::kNoTransactionId;
    if (mcast) {
        tw_noc_write_multicast(src_addr, dest_addr, len_bytes, num_dests, noc, flags, transaction_id);
    } else {
        tw_noc_write(src_addr, dest_addr, len_bytes, noc, flags, transaction_id);
    }
}

// Counters of outstanding transfers are the engine's and always exact.
inline void ncrisc_noc_counters_init() {}
inline void dynamic_noc_local_state_init() {}
