// SPDX-License-Identifier: Apache-2.0
// Element-wise functions of one integer tile. UInt16 data lie in DST as 0..65535.
#include <algorithm>

#include "apply.h"

namespace tw::sfpu {

TW_UNARY_INTEGER(FillWord, uint32_t, (void(x), p.word[0]))
TW_UNARY_INTEGER(AbsInt, int32_t, x < 0 ? 0u - uint32_t(x) : uint32_t(x))
TW_UNARY_INTEGER(NegativeInt, uint32_t, 0u - x)
TW_UNARY_INTEGER(SignbitInt, uint32_t, x >> 31)
TW_UNARY_INTEGER(LogicalNotInt, uint32_t, x == 0 ? 1u : 0u)
TW_UNARY_INTEGER(AddScalarInt, uint32_t, x + p.word[0])
TW_UNARY_INTEGER(SubScalarInt, uint32_t, x - p.word[0])
TW_UNARY_INTEGER(RsubScalarInt, uint32_t, p.word[0] - x)
TW_UNARY_INTEGER(MaxScalarInt, int32_t, std::max(x, int32_t(p.word[0])))
TW_UNARY_INTEGER(MinScalarInt, int32_t, std::min(x, int32_t(p.word[0])))
TW_UNARY_INTEGER(MaxScalarUint, uint32_t, std::max(x, p.word[0]))
TW_UNARY_INTEGER(MinScalarUint, uint32_t, std::min(x, p.word[0]))
TW_UNARY_INTEGER(ClampInt, int32_t, std::min(std::max(x, int32_t(p.word[0])), int32_t(p.word[1])))
TW_UNARY_INTEGER(ReluMaxInt, int32_t, std::max(std::min(x, int32_t(p.word[0])), 0))
TW_UNARY_INTEGER(RemainderScalarUint, uint32_t, p.word[0] == 0 ? x : x % p.word[0])

TW_UNARY_INTEGER(EqualZeroInt, int32_t, x == 0)
TW_UNARY_INTEGER(NotEqualZeroInt, int32_t, x != 0)
TW_UNARY_INTEGER(LessZeroInt, int32_t, x < 0)
TW_UNARY_INTEGER(GreaterZeroInt, int32_t, x > 0)
TW_UNARY_INTEGER(LessEqualZeroInt, int32_t, x <= 0)
TW_UNARY_INTEGER(GreaterEqualZeroInt, int32_t, x >= 0)
TW_UNARY_INTEGER(EqualScalarInt, int32_t, x == int32_t(p.word[0]))
TW_UNARY_INTEGER(NotEqualScalarInt, int32_t, x != int32_t(p.word[0]))
TW_UNARY_INTEGER(LessScalarInt, int32_t, x < int32_t(p.word[0]))
TW_UNARY_INTEGER(GreaterScalarInt, int32_t, x > int32_t(p.word[0]))
TW_UNARY_INTEGER(LessEqualScalarInt, int32_t, x <= int32_t(p.word[0]))
TW_UNARY_INTEGER(GreaterEqualScalarInt, int32_t, x >= int32_t(p.word[0]))

TW_UNARY_INTEGER(BitwiseAnd, uint32_t, x& p.word[0])
TW_UNARY_INTEGER(BitwiseOr, uint32_t, x | p.word[0])
TW_UNARY_INTEGER(BitwiseXor, uint32_t, x ^ p.word[0])
TW_UNARY_INTEGER(BitwiseNot, uint32_t, ~x)
// Shifting by 32 or more empties the word to the left, and to the right counts as 31. word[1]: the format's bits.
TW_UNARY_INTEGER(LeftShift, uint32_t, p.word[0] >= 32 ? 0u : (x << p.word[0]) & p.word[1])
TW_UNARY_INTEGER(RightShift, int32_t, x >> std::min(p.word[0], 31u))
TW_UNARY_INTEGER(LogicalRightShift, uint32_t, x >> std::min(p.word[0], 31u))

}  // namespace tw::sfpu
