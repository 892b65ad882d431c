// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/compute/pack_untilize.h"
