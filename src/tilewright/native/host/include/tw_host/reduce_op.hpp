// SPDX-License-Identifier: Apache-2.0
// Kinds and directions of a reduction, and the defines its compute kernels are built with.
#pragma once

#include <map>
#include <string>

#include "tw_host/asserts.hpp"

namespace tt::tt_metal {
enum class ReduceOpMath { SUM, AVG, MAX, MIN };
enum class ReduceOpDim { H, W, HW };
}  // namespace tt::tt_metal

namespace reduce_op_utils {
using namespace tt::tt_metal;

inline std::map<std::string, std::string> get_defines(ReduceOpMath math, ReduceOpDim dim) {
    const std::map<ReduceOpMath, std::string> pools = {
        {ReduceOpMath::SUM, "PoolType::SUM"},
        {ReduceOpMath::AVG, "PoolType::AVG"},
        {ReduceOpMath::MAX, "PoolType::MAX"},
        {ReduceOpMath::MIN, "PoolType::MIN"}};
    const std::map<ReduceOpDim, std::string> directions = {
        {ReduceOpDim::W, "ReduceDim::REDUCE_ROW"},
        {ReduceOpDim::H, "ReduceDim::REDUCE_COL"},
        {ReduceOpDim::HW, "ReduceDim::REDUCE_SCALAR"}};
    return {{"REDUCE_OP", pools.at(math)}, {"REDUCE_DIM", directions.at(dim)}};
}
}  // namespace reduce_op_utils

namespace ttnn {
using tt::tt_metal::ReduceOpDim;
using tt::tt_metal::ReduceOpMath;
}  // namespace ttnn
