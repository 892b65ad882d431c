// SPDX-License-Identifier: Apache-2.0
// Operands of raw Tensix instructions, for kernels that name them.
#pragma once

#include <cstdint>

namespace ckernel {

// Units that wait, and what they wait for.
struct p_stall {
    static constexpr std::uint32_t NONE = 0x0;
    static constexpr std::uint32_t THCON = 0x1;
    static constexpr std::uint32_t UNPACK0 = 0x2;
    static constexpr std::uint32_t UNPACK1 = 0x4;
    static constexpr std::uint32_t UNPACK = UNPACK0 | UNPACK1;
    static constexpr std::uint32_t PACK0 = 0x8;
    static constexpr std::uint32_t PACK1 = 0x10;
    static constexpr std::uint32_t PACK2 = 0x20;
    static constexpr std::uint32_t PACK3 = 0x40;
    static constexpr std::uint32_t PACK = PACK0 | PACK1 | PACK2 | PACK3;
    static constexpr std::uint32_t MATH = 0x80;
    static constexpr std::uint32_t SRCA_CLR = 0x100;
    static constexpr std::uint32_t SRCB_CLR = 0x200;
    static constexpr std::uint32_t SRCA_VLD = 0x400;
    static constexpr std::uint32_t SRCB_VLD = 0x800;
    static constexpr std::uint32_t XMOV = 0x1000;
    static constexpr std::uint32_t TRISC_CFG = 0x2000;
    static constexpr std::uint32_t SFPU1 = 0x4000;
    static constexpr std::uint32_t WAIT_SFPU = 0x4000;
    static constexpr std::uint32_t STALL_TDMA = 0x1;
    static constexpr std::uint32_t STALL_SYNC = 0x2;
    static constexpr std::uint32_t STALL_PACK = 0x4;
    static constexpr std::uint32_t STALL_UNPACK = 0x8;
    static constexpr std::uint32_t STALL_XMOV = 0x10;
    static constexpr std::uint32_t STALL_THCON = 0x20;
    static constexpr std::uint32_t STALL_MATH = 0x40;
    static constexpr std::uint32_t STALL_CFG = 0x80;
    static constexpr std::uint32_t STALL_SFPU = 0x100;
    static constexpr std::uint32_t STALL_THREAD = 0x1ff;
    static constexpr std::uint32_t STALL_ON_ZERO = 0x1;
    static constexpr std::uint32_t STALL_ON_MAX = 0x2;
};

struct p_setrwc {
    static constexpr std::uint32_t CLR_NONE = 0x0;
    static constexpr std::uint32_t CLR_A = 0x1;
    static constexpr std::uint32_t CLR_B = 0x2;
    static constexpr std::uint32_t CLR_AB = 0x3;
    static constexpr std::uint32_t SET_A = 0x1;
    static constexpr std::uint32_t SET_B = 0x2;
    static constexpr std::uint32_t SET_AB = 0x3;
    static constexpr std::uint32_t SET_D = 0x4;
    static constexpr std::uint32_t SET_F = 0x8;
    static constexpr std::uint32_t SET_ABD_F = 0xf;
    static constexpr std::uint32_t CR_A = 0x1;
    static constexpr std::uint32_t CR_B = 0x2;
    static constexpr std::uint32_t CR_AB = 0x3;
    static constexpr std::uint32_t CR_D = 0x4;
};

struct p_sfpu {
    static constexpr std::uint32_t LREG0 = 0;
    static constexpr std::uint32_t LREG1 = 1;
    static constexpr std::uint32_t LREG2 = 2;
    static constexpr std::uint32_t LREG3 = 3;
    static constexpr std::uint32_t LREG4 = 4;
    static constexpr std::uint32_t LREG5 = 5;
    static constexpr std::uint32_t LREG6 = 6;
    static constexpr std::uint32_t LREG7 = 7;
    static constexpr std::uint32_t LCONST_0 = 9;
    static constexpr std::uint32_t LCONST_1 = 10;
    static constexpr std::uint32_t LCONST_neg1 = 11;
    static constexpr std::uint32_t LREG11 = 11;
    static constexpr std::uint32_t LREG12 = 12;
    static constexpr std::uint32_t LREG13 = 13;
    static constexpr std::uint32_t LREG14 = 14;
    static constexpr std::uint32_t LTILEID = 15;
    static constexpr std::uint32_t kCONST_1_FP16B = 0x3F80;
    static constexpr std::uint32_t kCONST_1_FP16A = 0x3C00;
    static constexpr std::uint32_t kCONST_0 = 0x0000;
};

struct p_sfpswap {
    static constexpr std::uint32_t UNCONDITIONALLY = 0;
    static constexpr std::uint32_t ALL_ROWS_MAX = 1;
    static constexpr std::uint32_t ROWS_01_MAX = 2;
    static constexpr std::uint32_t ROWS_02_MAX = 3;
    static constexpr std::uint32_t ROWS_03_MAX = 4;
    static constexpr std::uint32_t ROW_0_MAX = 5;
    static constexpr std::uint32_t ROW_1_MAX = 6;
    static constexpr std::uint32_t ROW_2_MAX = 7;
    static constexpr std::uint32_t ROW_3_MAX = 8;
};

}  // namespace ckernel
