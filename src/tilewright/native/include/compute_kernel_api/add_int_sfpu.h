// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/compute/add_int_sfpu.h"
