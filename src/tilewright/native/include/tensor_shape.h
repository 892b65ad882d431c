// SPDX-License-Identifier: Apache-2.0
// The shape of a tile as faces of at most 16 x 16.
#pragma once

#include <cstdint>

namespace ckernel {

constexpr std::uint8_t MAX_FACE_R_DIM = 16;
constexpr std::uint8_t MAX_FACE_C_DIM = 16;
constexpr std::uint8_t MAX_TILE_R_DIM = 32;
constexpr std::uint8_t MAX_TILE_C_DIM = 32;
constexpr std::uint8_t MAX_NUM_FACES_R_DIM = 2;
constexpr std::uint8_t MAX_NUM_FACES_C_DIM = 2;
constexpr std::uint8_t MAX_NUM_FACES = 4;
constexpr std::uint8_t MAX_FPU_ROWS = 8;
constexpr std::uint8_t MAX_FPU_ROWS_LOG2 = 3;
constexpr std::uint8_t MAX_TILES_IN_HALF_DEST = 8;

struct __attribute__((packed)) TensorShape {
    std::uint8_t face_r_dim;
    std::uint8_t face_c_dim;
    std::uint8_t num_faces_r_dim;
    std::uint8_t num_faces_c_dim;

    constexpr std::uint16_t total_row_dim() const { return face_r_dim * num_faces_r_dim; }
    constexpr std::uint16_t total_col_dim() const { return face_c_dim * num_faces_c_dim; }
    constexpr std::uint16_t total_tensor_size() const { return total_row_dim() * total_col_dim(); }
    constexpr std::uint8_t total_num_faces() const { return num_faces_r_dim * num_faces_c_dim; }
};

constexpr TensorShape DEFAULT_TENSOR_SHAPE = {MAX_FACE_R_DIM, MAX_FACE_C_DIM, MAX_NUM_FACES_R_DIM, MAX_NUM_FACES_C_DIM};

constexpr TensorShape make_tensor_shape(
    std::uint8_t face_r_dim, std::uint8_t face_c_dim, std::uint8_t num_faces_r_dim, std::uint8_t num_faces_c_dim) {
    return TensorShape{face_r_dim, face_c_dim, num_faces_r_dim, num_faces_c_dim};
}

// Four faces are 2 x 2, fewer lie side by side.
constexpr TensorShape tensor_shape_from_num_faces(
    std::uint32_t face_r_dim = MAX_FACE_R_DIM, std::uint32_t num_faces = MAX_NUM_FACES) {
    const bool square = num_faces == MAX_NUM_FACES;
    return make_tensor_shape(face_r_dim, MAX_FACE_C_DIM, square ? 2 : 1, square ? 2 : num_faces);
}

constexpr bool is_valid_face_r_dim(std::uint8_t face_r_dim) {
    return face_r_dim != 0 && face_r_dim <= MAX_FACE_R_DIM && (face_r_dim & (face_r_dim - 1)) == 0;
}

}  // namespace ckernel
