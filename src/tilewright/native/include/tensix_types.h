// SPDX-License-Identifier: Apache-2.0
// DataFormat as kernels see it.
#pragma once

#include "abi/data_format.h"

constexpr bool is_uint32_format(DataFormat format) { return format == DataFormat::UInt32; }
constexpr bool is_bfp8_b_format(DataFormat format) { return format == DataFormat::Bfp8_b; }
constexpr bool is_bfp4_b_format(DataFormat format) { return format == DataFormat::Bfp4_b; }
