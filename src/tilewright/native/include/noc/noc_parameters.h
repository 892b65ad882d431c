// SPDX-License-Identifier: Apache-2.0
// Figures of the NoC and the layout of its addresses (see abi/noc.h).
#pragma once

#include <cstdint>

#define NUM_NOCS 2
#define NOC_MAX_TRANSACTION_ID 0xF
#define NOC_MAX_TRANSACTION_ID_COUNT 255
#define NOC_CLEAR_OUTSTANDING_REQ_MASK ((1ULL << (NOC_MAX_TRANSACTION_ID + 1)) - 1)

#if defined(ARCH_BLACKHOLE)
#define NOC_WORD_BYTES 64
#define NOC_PCIE_READ_ALIGNMENT_BYTES 64
#define NOC_DRAM_READ_ALIGNMENT_BYTES 64
#define VIRTUAL_TENSIX_START_X 1
#define VIRTUAL_TENSIX_START_Y 2
#else
#define NOC_WORD_BYTES 32
#define NOC_PCIE_READ_ALIGNMENT_BYTES 32
#define NOC_DRAM_READ_ALIGNMENT_BYTES 32
#define VIRTUAL_TENSIX_START_X 18
#define VIRTUAL_TENSIX_START_Y 18
#endif
#define NOC_MAX_BURST_WORDS 256
#define NOC_MAX_BURST_SIZE (NOC_MAX_BURST_WORDS * NOC_WORD_BYTES)
#define NOC_WORD_OFFSET_MASK (NOC_WORD_BYTES - 1)
#define NOC_L1_READ_ALIGNMENT_BYTES 16
#define NOC_L1_WRITE_ALIGNMENT_BYTES 16
#define NOC_PCIE_WRITE_ALIGNMENT_BYTES 16
#define NOC_DRAM_WRITE_ALIGNMENT_BYTES 16
#define NOC_REG_ALIGNMENT_BYTES 4
#define L1_ALIGNMENT ((uint32_t)16)
#define PCIE_ALIGNMENT ((uint32_t)NOC_PCIE_READ_ALIGNMENT_BYTES)
#define DRAM_ALIGNMENT ((uint32_t)NOC_DRAM_READ_ALIGNMENT_BYTES)

#define NOC_UNICAST_WRITE_VC 1
#define NOC_MULTICAST_WRITE_VC 4
#define NOC_DISPATCH_MULTICAST_WRITE_VC 5

#define NOC_ADDR_LOCAL_BITS 36
#define NOC_ADDR_NODE_ID_BITS 6
#define NOC_ADDR_COORD_SHIFT NOC_ADDR_LOCAL_BITS
#define NOC_NODE_ID_MASK ((uint64_t(1) << NOC_ADDR_NODE_ID_BITS) - 1)
#define NOC_LOCAL_ADDR_MASK ((uint64_t(1) << NOC_ADDR_LOCAL_BITS) - 1)
#define NOC_LOCAL_ADDR_OFFSET(addr) (uint64_t(addr) & NOC_LOCAL_ADDR_MASK)
#define NOC_LOCAL_ADDR(addr) NOC_LOCAL_ADDR_OFFSET(addr)
#define NOC_UNICAST_ADDR_X(addr) ((uint64_t(addr) >> NOC_ADDR_LOCAL_BITS) & NOC_NODE_ID_MASK)
#define NOC_UNICAST_ADDR_Y(addr) ((uint64_t(addr) >> (NOC_ADDR_LOCAL_BITS + NOC_ADDR_NODE_ID_BITS)) & NOC_NODE_ID_MASK)

// x and y packed the way bank tables and runtime arguments carry them: shifted by NOC_ADDR_COORD_SHIFT
// they are the upper part of a NoC address.
#define NOC_XY_ENCODING(x, y) ((uint32_t(y) << NOC_ADDR_NODE_ID_BITS) | uint32_t(x))
#define NOC_XY_COORD(x, y) NOC_XY_ENCODING(x, y)
#define NOC_XY_ADDR2(xy, addr) ((uint64_t(xy) << NOC_ADDR_LOCAL_BITS) | uint64_t(addr))
#define NOC_XY_ADDR(x, y, addr) NOC_XY_ADDR2(NOC_XY_ENCODING(x, y), addr)
#define NOC_MULTICAST_ENCODING(x_start, y_start, x_end, y_end) \
    ((NOC_XY_ENCODING(x_start, y_start) << (2 * NOC_ADDR_NODE_ID_BITS)) | NOC_XY_ENCODING(x_end, y_end))
#define NOC_MULTICAST_COORD(x_start, y_start, x_end, y_end) NOC_MULTICAST_ENCODING(x_start, y_start, x_end, y_end)
#define NOC_MULTICAST_ADDR(x_start, y_start, x_end, y_end, addr) \
    NOC_XY_ADDR2(NOC_MULTICAST_ENCODING(x_start, y_start, x_end, y_end), addr)

// Kernels name cores by virtual coordinates, which are the same on both NoCs.
#define NOC_X(x) (x)
#define NOC_Y(y) (y)
#define DYNAMIC_NOC_X(noc, x) (x)
#define DYNAMIC_NOC_Y(noc, y) (y)
#define NOC_X_PHYS_COORD(x) (x)
#define NOC_Y_PHYS_COORD(y) (y)
#define DYNAMIC_NOC_DIRECTION(noc, direction) ((noc) == 1 ? 1 - (direction) : (direction))

#define EXCLUDE_ENABLED 1
#define EXCLUDE_ENABLED_OFFSET 22
#define EXCLUDE_DIRECTION_Y_OFFSET 21
#define EXCLUDE_DIRECTION_X_OFFSET 20
#define EXCLUDE_START_Y_OFFSET 14
#define EXCLUDE_START_X_OFFSET 8
