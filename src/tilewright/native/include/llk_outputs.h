// SPDX-License-Identifier: Apache-2.0
// What a CB's tiles look like to the packer. Values come from the generated tables, so the definitions are in
// tw/generated_dependent_compute.h.
#pragma once

#include <cstdint>

inline uint32_t get_output_id(uint32_t output) { return output; }
uint32_t get_output_src_format(uint32_t output_id);
uint32_t get_output_dst_format(uint32_t output_id);
uint32_t get_output_num_faces(uint32_t output_id);
uint32_t get_output_partial_face(uint32_t output_id);
uint32_t get_output_face_r_dim(uint32_t output_id);
uint32_t get_output_narrow_tile(uint32_t output_id);
uint32_t get_output_tile_r_dim(uint32_t output_id);
uint32_t get_output_tile_c_dim(uint32_t output_id);
