// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/compute/eltwise_unary/rounding.h"
