// SPDX-License-Identifier: Apache-2.0
// Everything a compute kernel finds before its own first line. Precompiled.
#pragma once

// A card compiles a compute kernel once per thread; here one compilation is all three, unless the kernel's own text
// differs from thread to thread (tw/one_thread.h).
#define TRISC_UNPACK 1
#define TRISC_MATH 1
#define TRISC_PACK 1
#define UCK_CHLKC_UNPACK 1
#define UCK_CHLKC_MATH 1
#define UCK_CHLKC_PACK 1

#if defined(TW_RECORDED)
#include "../../abi/recorded_calls.h"
#endif
#include <cmath>
#include "tw/common.h"

// Every header of api/compute/ brings this one. All other calls are where a card has them, and need their header.
#include "api/compute/common.h"
#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/dataflow_buffer.h"
#include "api/scratchpad.h"
#include "api/semaphore.h"
#include "experimental/kernel_args.h"

// A card's C library has no such macro, and kernels name constants of their own so.
#undef M_PI

using namespace ckernel;
