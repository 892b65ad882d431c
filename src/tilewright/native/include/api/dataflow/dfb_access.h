// SPDX-License-Identifier: Apache-2.0
// How producers and consumers share a dataflow buffer. One of each here, so the pattern changes nothing.
#pragma once

#include <cstdint>

namespace dfb {
enum AccessPattern : uint8_t { STRIDED, ALL, BLOCKED, UNKNOWN };
}

class DataflowBuffer;
using DataflowBufferAnyPattern = DataflowBuffer;

template <typename T>
inline constexpr bool is_dataflow_buffer_v = false;
template <>
inline constexpr bool is_dataflow_buffer_v<DataflowBuffer> = true;
