// SPDX-License-Identifier: Apache-2.0
// Element-wise functions of two integer tiles. p.word[0] is the mask of the bits the format has.
#include <algorithm>
#include <limits>
#include <numeric>

#include "apply.h"

namespace tw::sfpu {
namespace {

uint32_t magnitude(int32_t x) { return x < 0 ? 0u - uint32_t(x) : uint32_t(x); }

// The hardware's result for a zero divisor is unspecified; it does not trap, and neither do these.
int32_t truncated_quotient(int32_t a, int32_t b) {
    if (b == 0) {
        return -1;
    }
    return b == -1 ? int32_t(0u - uint32_t(a)) : a / b;
}
int32_t truncated_remainder(int32_t a, int32_t b) { return b == 0 ? a : b == -1 ? 0 : a % b; }

int32_t floored_quotient(int32_t a, int32_t b) {
    int32_t q = truncated_quotient(a, b);
    return b != 0 && truncated_remainder(a, b) != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
int32_t floored_remainder(int32_t a, int32_t b) {
    int32_t r = truncated_remainder(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

uint32_t float_quotient(int32_t a, int32_t b) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    double q = b != 0 ? double(a) / b : double(a) * kInfinity;  // 0 / 0 becomes NaN
    return stored(static_cast<float>(q));
}

uint32_t lcm(int32_t a, int32_t b) {
    uint32_t divisor = std::gcd(magnitude(a), magnitude(b));
    return divisor == 0 ? 0 : magnitude(a) / divisor * magnitude(b);
}

bool shift_in_range(uint32_t shift) { return shift < 32; }

}  // namespace

TW_BINARY_INTEGER(AddInt, uint32_t, (a + b) & p.word[0])
TW_BINARY_INTEGER(SubInt, uint32_t, (a - b) & p.word[0])
TW_BINARY_INTEGER(RsubInt, uint32_t, (b - a) & p.word[0])
TW_BINARY_INTEGER(MulInt, uint32_t, (a * b) & p.word[0])
TW_BINARY_INTEGER(MaxInt, int32_t, std::max(a, b))
TW_BINARY_INTEGER(MinInt, int32_t, std::min(a, b))
TW_BINARY_INTEGER(MaxUint, uint32_t, std::max(a, b))
TW_BINARY_INTEGER(MinUint, uint32_t, std::min(a, b))
TW_BINARY_INTEGER(FmodInt, int32_t, truncated_remainder(a, b))
TW_BINARY_INTEGER(RemainderInt, int32_t, floored_remainder(a, b))
TW_BINARY_INTEGER(RemainderUint, uint32_t, b == 0 ? a : a % b)
TW_BINARY_INTEGER(DivInt, int32_t, float_quotient(a, b))
TW_BINARY_INTEGER(DivIntFloor, int32_t, floored_quotient(a, b))
TW_BINARY_INTEGER(DivIntTrunc, int32_t, truncated_quotient(a, b))
TW_BINARY_INTEGER(Gcd, int32_t, std::gcd(magnitude(a), magnitude(b)))
TW_BINARY_INTEGER(Lcm, int32_t, lcm(a, b))

TW_BINARY_INTEGER(EqualInt, uint32_t, a == b)
TW_BINARY_INTEGER(NotEqualInt, uint32_t, a != b)
TW_BINARY_INTEGER(LessInt, int32_t, a < b)
TW_BINARY_INTEGER(GreaterInt, int32_t, a > b)
TW_BINARY_INTEGER(LessEqualInt, int32_t, a <= b)
TW_BINARY_INTEGER(GreaterEqualInt, int32_t, a >= b)
TW_BINARY_INTEGER(LessUint, uint32_t, a < b)
TW_BINARY_INTEGER(GreaterUint, uint32_t, a > b)
TW_BINARY_INTEGER(LessEqualUint, uint32_t, a <= b)
TW_BINARY_INTEGER(GreaterEqualUint, uint32_t, a >= b)

TW_BINARY_INTEGER(BitwiseAnd, uint32_t, (a & b))
TW_BINARY_INTEGER(BitwiseOr, uint32_t, a | b)
TW_BINARY_INTEGER(BitwiseXor, uint32_t, a ^ b)
// Shifts outside 0..31 give 0, except the clamped one, which then shifts by 31.
TW_BINARY_INTEGER(LeftShift, uint32_t, (shift_in_range(b) ? a << b : 0u) & p.word[0])
TW_BINARY_INTEGER(RightShift, int32_t, shift_in_range(uint32_t(b)) ? a >> b : 0)
TW_BINARY_INTEGER(LogicalRightShift, uint32_t, shift_in_range(b) ? a >> b : 0u)
TW_BINARY_INTEGER(ClampedLogicalRightShift, uint32_t, a >> (shift_in_range(b) ? b : 31u))

}  // namespace tw::sfpu
