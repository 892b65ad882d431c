// SPDX-License-Identifier: Apache-2.0
// Definitions of the compute API that need the generated tables of the kernel. tw/generated_dependent.h includes it for compute.
#pragma once

#include "llk_operands.h"
#include "llk_outputs.h"

inline uint32_t get_operand_src_format(uint32_t operand_id) { return unpack_src_format[operand_id]; }
inline uint32_t get_operand_dst_format(uint32_t operand_id) { return unpack_dst_format[operand_id]; }
inline uint32_t get_operand_num_faces(uint32_t operand_id) { return unpack_tile_num_faces[operand_id]; }
inline uint32_t get_operand_partial_face(uint32_t operand_id) { return unpack_partial_face[operand_id]; }
inline uint32_t get_operand_face_r_dim(uint32_t operand_id) { return unpack_tile_face_r_dim[operand_id]; }
inline uint32_t get_operand_narrow_tile(uint32_t operand_id) { return unpack_narrow_tile[operand_id]; }
inline uint32_t get_operand_tile_r_dim(uint32_t operand_id) { return unpack_tile_r_dim[operand_id]; }
inline uint32_t get_operand_tile_c_dim(uint32_t operand_id) { return unpack_tile_c_dim[operand_id]; }
inline uint32_t get_output_src_format(uint32_t output_id) { return pack_src_format[output_id]; }
inline uint32_t get_output_dst_format(uint32_t output_id) { return pack_dst_format[output_id]; }
inline uint32_t get_output_num_faces(uint32_t output_id) { return pack_tile_num_faces[output_id]; }
inline uint32_t get_output_partial_face(uint32_t output_id) { return pack_partial_face[output_id]; }
inline uint32_t get_output_face_r_dim(uint32_t output_id) { return pack_tile_face_r_dim[output_id]; }
inline uint32_t get_output_narrow_tile(uint32_t output_id) { return pack_narrow_tile[output_id]; }
inline uint32_t get_output_tile_r_dim(uint32_t output_id) { return pack_tile_r_dim[output_id]; }
inline uint32_t get_output_tile_c_dim(uint32_t output_id) { return pack_tile_c_dim[output_id]; }

template <uint32_t operand_id>
constexpr ckernel::TensorShape get_operand_tensor_shape() {
    return ckernel::make_tensor_shape(
        unpack_tile_face_r_dim[operand_id],
        ckernel::MAX_FACE_C_DIM,
        unpack_num_faces_r_dim[operand_id],
        unpack_num_faces_c_dim[operand_id]);
}

inline ckernel::TensorShape get_operand_tensor_shape(uint32_t operand_id) {
    return ckernel::make_tensor_shape(
        unpack_tile_face_r_dim[operand_id],
        ckernel::MAX_FACE_C_DIM,
        unpack_num_faces_r_dim[operand_id],
        unpack_num_faces_c_dim[operand_id]);
}

namespace ckernel {

template <bool enable>
void set_fp32_dest_acc() {
    if constexpr (enable != static_cast<bool>(DST_ACCUM_MODE)) {
        tw_set_fp32_dest(enable);
    }
}

template <bool enable>
void restore_fp32_dest_acc() {
    if constexpr (enable != static_cast<bool>(DST_ACCUM_MODE)) {
        tw_set_fp32_dest(DST_ACCUM_MODE);
    }
}

}  // namespace ckernel
