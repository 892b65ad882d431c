// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/compute/transpose_wh_dest.h"
