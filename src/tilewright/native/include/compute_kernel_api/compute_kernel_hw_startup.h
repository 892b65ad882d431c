// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/compute/compute_kernel_hw_startup.h"
