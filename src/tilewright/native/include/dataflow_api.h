// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/dataflow/dataflow_api.h"
