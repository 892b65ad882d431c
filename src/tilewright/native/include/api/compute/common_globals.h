// SPDX-License-Identifier: Apache-2.0
// What every compute header starts from.
#pragma once

#include "ckernel.h"
#include "hostdevcommon/kernel_structs.h"
#include "internal/circular_buffer_interface.h"
#include "tw/engine.h"
#include "tw/llk/math.h"
#include "tw/llk/pack.h"
#include "tw/llk/sfpu_programs.h"
#include "tw/llk/unpack.h"

#include "tw/on_thread.h"

// Marks a function of the kernel API, FORCE_INLINE in headers of data movement: Python kernels call those, too
// (kernels/_api_table.py). Helpers and earlier spellings are plain `inline`.
#define ALWI inline
#define UNPACK(...) TW_ON_THREAD(1, __VA_ARGS__)
#define MATH(...) TW_ON_THREAD(2, __VA_ARGS__)
#define PACK(...) TW_ON_THREAD(4, __VA_ARGS__)

// Kernels of older trees: namespace NAMESPACE { void MAIN { ... } } becomes kernel_main in an unnamed namespace.
#define NAMESPACE
#define MAIN kernel_main()
