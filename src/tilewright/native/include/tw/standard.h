// SPDX-License-Identifier: Apache-2.0
// Headers of the C++ library that the kernel API uses. Precompiled (_build/precompiled_headers.py), so this file must
// include nothing of ours and look at no macro.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
