// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/llk/unpack.h"
