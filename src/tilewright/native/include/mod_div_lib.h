// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "internal/mod_div_lib.h"
