// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/compute/div_int32_sfpu.h"
