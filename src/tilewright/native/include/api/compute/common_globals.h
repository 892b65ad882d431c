// SPDX-License-Identifier: Apache-2.0
// What every compute header starts from. One fiber runs the three threads of a card, so UNPACK, MATH and PACK all keep
// their argument.
#pragma once

#include "ckernel.h"
#include "hostdevcommon/kernel_structs.h"
#include "internal/circular_buffer_interface.h"
#include "tw/engine.h"
#include "tw/llk/math.h"
#include "tw/llk/pack.h"
#include "tw/llk/sfpu_programs.h"
#include "tw/llk/unpack.h"

#define ALWI inline
#define UNPACK(...) __VA_ARGS__
#define MATH(...) __VA_ARGS__
#define PACK(...) __VA_ARGS__

// Kernels of older trees: namespace NAMESPACE { void MAIN { ... } } becomes kernel_main in an unnamed namespace.
#define NAMESPACE
#define MAIN kernel_main()
