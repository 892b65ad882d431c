// SPDX-License-Identifier: Apache-2.0
// Places of a core's L1 that kernels know by name.
#pragma once

#define MEM_L1_BASE 0x0
#define MEM_L1_UNCACHED_BASE 0x0
#if defined(ARCH_BLACKHOLE)
#define MEM_L1_SIZE (1536 * 1024)
#else
#define MEM_L1_SIZE (1464 * 1024)
#endif
// Kept zero, so that kernels can clear memory by reading from it.
#define MEM_ZEROS_SIZE 512
#define MEM_ZEROS_BASE 0x2000
