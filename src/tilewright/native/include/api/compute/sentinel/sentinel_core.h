// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/compute/sentinel/compute_kernel_sentinel.h"
