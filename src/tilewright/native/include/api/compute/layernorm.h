// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/compute/compute_kernel_api.h"
#include "api/compute/eltwise_unary/rsqrt.h"
