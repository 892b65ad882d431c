// SPDX-License-Identifier: Apache-2.0
// Data formats of kernels and engine.
#pragma once

#include <cstdint>

#include "wire/data_formats.h"

enum class DataFormat : std::uint8_t { TW_DATA_FORMATS };
