// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/compile_time_args.h"
