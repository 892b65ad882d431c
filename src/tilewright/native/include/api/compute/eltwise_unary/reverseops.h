// SPDX-License-Identifier: Apache-2.0
// The older name of the header with rsub_tile.
#pragma once

#include "api/compute/eltwise_unary/rsub.h"
