// SPDX-License-Identifier: Apache-2.0
// Quantisation: idst0 is scaled by idst1, the zero point (float32 bits) comes from the init call.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

// Int32 and UInt8 outputs share one call: the init call chose between them.
#define TW_QUANT(name, int32_op, uint8_op) \
    ALWI void name##_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) { \
        tw_sfpu_quantize( \
            static_cast<uint32_t>(tw::SfpuBinary::int32_op), \
            static_cast<uint32_t>(tw::SfpuBinary::uint8_op), \
            idst0, \
            idst1, \
            odst); \
    }
#define TW_QUANT_INIT(name, uint8_output) \
    ALWI void name##_tile_init(const uint32_t zero_point) { tw_sfpu_set_constants(zero_point, uint8_output); }

TW_QUANT(quant, QuantInt32, QuantUint8)
TW_QUANT_INIT(quant, 0)
TW_QUANT_INIT(quant_uint8, 1)
TW_QUANT(quant_int8, QuantInt8, QuantInt8)
TW_QUANT_INIT(quant_int8, 0)

TW_QUANT(requant, RequantInt32, RequantUint8)
TW_QUANT_INIT(requant, 0)
TW_QUANT_INIT(requant_uint8, 1)
TW_QUANT(requant_int8, RequantInt8, RequantInt8)
TW_QUANT_INIT(requant_int8, 0)
TW_QUANT(requant_int8_in, RequantInt8ToInt32, RequantInt8ToUint8)
TW_QUANT_INIT(requant_int8_in, 0)
TW_QUANT_INIT(requant_int8_in_uint8_out, 1)
TW_QUANT(requant_int8_in_int8_out, RequantInt8ToInt8, RequantInt8ToInt8)
TW_QUANT_INIT(requant_int8_in_int8_out, 0)

TW_QUANT(dequant, DequantInt32, DequantInt32)
TW_QUANT_INIT(dequant, 0)
TW_QUANT(dequant_int8, DequantInt8, DequantInt8)
TW_QUANT_INIT(dequant_int8, 0)

#undef TW_QUANT
#undef TW_QUANT_INIT

}  // namespace ckernel
