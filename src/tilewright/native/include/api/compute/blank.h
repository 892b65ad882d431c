// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/compute/common_globals.h"
