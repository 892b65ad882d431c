// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/core_local_mem.h"
