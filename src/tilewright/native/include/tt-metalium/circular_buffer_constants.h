// SPDX-License-Identifier: Apache-2.0
// Sizes of circular buffer tables.
#pragma once

#include <cstdint>

#if defined(ARCH_WORMHOLE)
inline constexpr std::uint32_t NUM_CIRCULAR_BUFFERS = 32;
#else
inline constexpr std::uint32_t NUM_CIRCULAR_BUFFERS = 64;
#endif
inline constexpr std::uint32_t UINT32_WORDS_PER_LOCAL_CIRCULAR_BUFFER_CONFIG = 4;
inline constexpr std::uint32_t UINT32_WORDS_PER_REMOTE_CIRCULAR_BUFFER_CONFIG = 2;
inline constexpr std::uint32_t CIRCULAR_BUFFER_COMPUTE_WORD_SIZE = 16;
inline constexpr std::uint32_t CIRCULAR_BUFFER_COMPUTE_ADDR_SHIFT = 4;
