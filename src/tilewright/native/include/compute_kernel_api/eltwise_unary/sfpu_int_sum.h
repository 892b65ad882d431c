// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/compute/eltwise_unary/sfpu_int_sum.h"
