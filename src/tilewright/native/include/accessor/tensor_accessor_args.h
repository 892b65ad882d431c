// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/tensor/tensor_accessor_args.h"
