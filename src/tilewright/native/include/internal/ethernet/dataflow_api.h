// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "internal/ethernet/tunneling.h"
