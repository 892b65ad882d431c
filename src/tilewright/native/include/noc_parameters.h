// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "noc/noc_parameters.h"
