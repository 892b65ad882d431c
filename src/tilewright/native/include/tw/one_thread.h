// SPDX-License-Identifier: Apache-2.0
// For kernels compiled once per thread, as on a card: TW_FOR_UNPACK, TW_FOR_MATH or TW_FOR_PACK selects the thread.
// Statements of the others are left out.
#pragma once

#if defined(TW_FOR_UNPACK)
#define TW_ONE_THREAD 0
#else
#undef TRISC_UNPACK
#undef UCK_CHLKC_UNPACK
#undef UNPACK
#define UNPACK(...)
#endif

#if defined(TW_FOR_MATH)
#define TW_ONE_THREAD 1
#else
#undef TRISC_MATH
#undef UCK_CHLKC_MATH
#undef MATH
#define MATH(...)
#endif

#if defined(TW_FOR_PACK)
#define TW_ONE_THREAD 2
#else
#undef TRISC_PACK
#undef UCK_CHLKC_PACK
#undef PACK
#define PACK(...)
#endif

// A core's processors are numbered: two that move data, then these.
#undef COMPILE_FOR_TRISC
#define COMPILE_FOR_TRISC TW_ONE_THREAD
#undef PROCESSOR_INDEX
#define PROCESSOR_INDEX (2 + TW_ONE_THREAD)
