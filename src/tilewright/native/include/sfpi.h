// SPDX-License-Identifier: Apache-2.0
// Vectors of the vector unit, for programs written out in a kernel.
#pragma once

#include "tw/sfpi/functions.h"
#include "tw/sfpi/modes.h"
