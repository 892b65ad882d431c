// SPDX-License-Identifier: Apache-2.0
// What a CB's tiles look like to the unpacker. Values come from the generated tables, so the definitions are in
// tw/generated_dependent_compute.h.
#pragma once

#include <cstdint>

#include "tensor_shape.h"

inline uint32_t get_operand_id(uint32_t operand) { return operand; }
uint32_t get_operand_src_format(uint32_t operand_id);
uint32_t get_operand_dst_format(uint32_t operand_id);
uint32_t get_operand_num_faces(uint32_t operand_id);
uint32_t get_operand_partial_face(uint32_t operand_id);
uint32_t get_operand_face_r_dim(uint32_t operand_id);
uint32_t get_operand_narrow_tile(uint32_t operand_id);
uint32_t get_operand_tile_r_dim(uint32_t operand_id);
uint32_t get_operand_tile_c_dim(uint32_t operand_id);
ckernel::TensorShape get_operand_tensor_shape(uint32_t operand_id);
template <uint32_t operand_id>
constexpr ckernel::TensorShape get_operand_tensor_shape();
