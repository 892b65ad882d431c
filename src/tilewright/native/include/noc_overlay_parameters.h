// SPDX-License-Identifier: Apache-2.0
// Stream registers: a core counts in them the packets that others announce with a write over the NoC. Of each stream
// the count, the register that adds to it and the one that sets it exist here, and a scratch word.
#pragma once

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

#define NOC_OVERLAY_START_ADDR 0xFFB40000
#define NOC_STREAM_REG_SPACE_SIZE 0x1000
#define STREAM_REG_ADDR(stream_id, reg_id) \
    ((NOC_OVERLAY_START_ADDR) + ((std::uint32_t)(stream_id)) * (NOC_STREAM_REG_SPACE_SIZE) + \
     (((std::uint32_t)(reg_id)) << 2))

#define STREAM_REMOTE_SRC_REG_INDEX 0
#define STREAM_REMOTE_DEST_BUF_SIZE_REG_INDEX 4
#define STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE_REG_INDEX 34
#define STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE_REG_INDEX 64
#define REMOTE_DEST_BUF_WORDS_FREE_INC 6
#define MEM_WORD_ADDR_WIDTH 17
#define REMOTE_DEST_WORDS_FREE_WIDTH MEM_WORD_ADDR_WIDTH

namespace tw {

inline constexpr std::uint32_t kNumStreams = 64;

// Behind the counts of all streams lie their scratch words.
inline volatile std::uint32_t& stream_word(std::uint32_t stream, bool is_scratch) {
    const std::uint32_t index = (stream % kNumStreams) + (is_scratch ? kNumStreams : 0);
    return reinterpret_cast<volatile std::uint32_t*>(std::uintptr_t(tw_context()->l1_base) + kStreamCounts)[index];
}

// Kernels poll these registers, so others run meanwhile.
inline std::uint32_t read_stream(std::uint32_t stream, std::uint32_t reg) {
    tw_poll_yield();
    return stream_word(stream, reg == STREAM_REMOTE_SRC_REG_INDEX);
}

inline std::uint32_t write_stream(std::uint32_t stream, std::uint32_t reg, std::uint32_t value) {
    volatile std::uint32_t& word = stream_word(stream, reg == STREAM_REMOTE_SRC_REG_INDEX);
    const bool adds = reg == STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE_REG_INDEX;
    word = adds ? word + std::uint32_t(std::int32_t(value) >> REMOTE_DEST_BUF_WORDS_FREE_INC) : value;
    return value;
}

}  // namespace tw

#define NOC_STREAM_READ_REG(stream_id, reg_id) tw::read_stream(stream_id, reg_id)
#define NOC_STREAM_WRITE_REG(stream_id, reg_id, val) tw::write_stream(stream_id, reg_id, val)
