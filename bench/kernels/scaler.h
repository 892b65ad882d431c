// SPDX-License-Identifier: Apache-2.0
// The tile a reduction multiplies with: a bfloat16 in row 0 of every face.
#pragma once

inline void fill_scaler(uint32_t cb, uint16_t bfloat16_bits) {
    cb_reserve_back(cb, 1);
    volatile tt_l1_ptr uint16_t* tile = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(get_write_ptr(cb));
    for (uint32_t i = 0; i < 1024; i++) {
        tile[i] = (i % 256) < 16 ? bfloat16_bits : 0;
    }
    cb_push_back(cb, 1);
}
