// SPDX-License-Identifier: Apache-2.0
// DST and the unit's registers under the names sfpi gives them.
#pragma once

#include "tw/sfpi/vectors.h"

namespace sfpi {

constexpr int SFP_DESTREG_STRIDE = 2;  // rows of DST from one vector to the next

enum class DataLayout : std::uint32_t {
    Default = 0,
    FSrcB = 0,
    F16a = 1,
    F16b = 2,
    F32 = 3,
    SM32 = 12,
    I32 = 4,
    U32 = 4,
    M32 = 4,
    I16 = 6,
    U16 = 6,
    LO16 = 6,
    HI16 = 7,
};

// A vector of DST. Reading and writing it are loads and stores.
class DestinationVector {
public:
    explicit DestinationVector(int vector, std::uint32_t layout = 0, bool has_layout = false) :
        vector_(vector), layout_(layout), has_layout_(has_layout) {}

    template <DataLayout layout>
    DestinationVector mode() const {
        return DestinationVector(vector_, static_cast<std::uint32_t>(layout), true);
    }

    operator vFloat() const { return load<vFloat>(has_layout_ ? layout_ : kFloat); }
    operator vInt() const { return load<vInt>(has_layout_ ? layout_ : kInteger); }
    operator vUInt() const { return load<vUInt>(has_layout_ ? layout_ : kInteger); }
    operator vMag() const { return load<vMag>(has_layout_ ? layout_ : kInteger); }
    operator vSMag() const { return load<vSMag>(has_layout_ ? layout_ : kInteger); }

    void operator=(const vFloat& value) const { store(value, has_layout_ ? layout_ : kFloat); }
    void operator=(const SignedLanes& value) const { store(value, has_layout_ ? layout_ : kInteger); }
    void operator=(const UnsignedLanes& value) const { store(value, has_layout_ ? layout_ : kInteger); }
    void operator=(float value) const { *this = vFloat(value); }
    void operator=(int value) const { *this = vInt(value); }
    void operator=(const DestinationVector& other) const { *this = static_cast<vFloat>(other); }
    template <std::uint32_t index, typename Vector>
    void operator=(const ConstantRegister<index, Vector>& value) const {
        *this = static_cast<Vector>(value);
    }

private:
    static constexpr std::uint32_t kFloat = static_cast<std::uint32_t>(tw::VectorLayout::Default);
    static constexpr std::uint32_t kInteger = static_cast<std::uint32_t>(tw::VectorLayout::Int32);

    template <typename Vector>
    Vector load(std::uint32_t layout) const {
        Vector result;
        tw_vector_load(result.word, layout, vector_ * SFP_DESTREG_STRIDE);
        return result;
    }
    void store(const Lanes& lanes, std::uint32_t layout) const {
        tw_vector_store(lanes.word, layout, vector_ * SFP_DESTREG_STRIDE);
    }

    int vector_;
    std::uint32_t layout_;
    bool has_layout_;
};
inline vFloat operator-(const DestinationVector& a) { return -static_cast<vFloat>(a); }
inline Product operator*(const DestinationVector& a, const vFloat& b) { return static_cast<vFloat>(a) * b; }
inline vFloat operator+(const DestinationVector& a, const vFloat& b) { return static_cast<vFloat>(a) + b; }
inline vFloat operator-(const DestinationVector& a, const vFloat& b) { return static_cast<vFloat>(a) - b; }

struct DestinationRegister {
    DestinationVector operator[](int vector) const { return DestinationVector(vector); }
    void operator++(int) const { tw_vector_advance(SFP_DESTREG_STRIDE); }
    void operator++() const { tw_vector_advance(SFP_DESTREG_STRIDE); }
    void operator+=(int vectors) const { tw_vector_advance(vectors * SFP_DESTREG_STRIDE); }
    void operator-=(int vectors) const { tw_vector_advance(-vectors * SFP_DESTREG_STRIDE); }
};
inline constexpr DestinationRegister dst_reg{};

enum class LRegs { LReg0, LReg1, LReg2, LReg3, LReg4, LReg5, LReg6, LReg7 };
class RegisterVector {
public:
    explicit RegisterVector(LRegs index) : index_(static_cast<std::uint32_t>(index)) {}
    operator vFloat() const { return vFloat(lanes()); }
    operator vInt() const { return vInt(vIntLanes()); }
    operator vUInt() const { return vUInt(UnsignedLanes(lanes())); }
    void operator=(const Lanes& value) const {
        Lanes held = lanes();
        held.take(value);
        std::memcpy(tw_vector_register(index_), held.word, sizeof held.word);
    }

private:
    SignedLanes vIntLanes() const { return SignedLanes(lanes()); }
    Lanes lanes() const {
        Lanes result;
        std::memcpy(result.word, tw_vector_register(index_), sizeof result.word);
        return result;
    }
    std::uint32_t index_;
};
struct RegisterFile {
    RegisterVector operator[](LRegs index) const { return RegisterVector(index); }
};
inline constexpr RegisterFile l_reg{};

}  // namespace sfpi
