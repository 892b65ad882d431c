// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/tensor/noc_traits.h"
