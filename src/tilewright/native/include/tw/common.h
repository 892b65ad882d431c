// SPDX-License-Identifier: Apache-2.0
// What data-movement and compute kernels share.
#pragma once

#include <stdint.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "api/debug/assert.h"
#include "api/debug/dprint.h"
#include "api/debug/kernel_profiler.hpp"
#include "api/debug/ring_buffer.h"
#include "api/debug/waypoint.h"
#include "core_config.h"
#include "hostdevcommon/common_values.hpp"
#include "hostdevcommon/kernel_structs.h"
#include "internal/circular_buffer_interface.h"
#include "internal/risc_attribs.h"
#include "tensix_types.h"
#include "tt-metalium/constants.hpp"
#include "tw/arguments.h"
#include "tw/core.h"
#include "tw/tile_formats.h"

typedef unsigned int uint;
