// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "internal/circular_buffer_interface.h"
