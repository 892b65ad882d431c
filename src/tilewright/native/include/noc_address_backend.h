// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "internal/dataflow/dataflow_api_addrgen.h"
