// SPDX-License-Identifier: Apache-2.0
// Shapes as ttnn's libraries lay them out.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <ostream>
#include <span>
#include <stdexcept>
#include <tuple>

#include "tw_host/shape_2d.hpp"
#include "tw_host/stl.hpp"

namespace tt::tt_metal {

// Fewer than four dimensions have ones in front, which negative indices reach.
class ShapeBase {
public:
    using Container = ttsl::SmallVector<std::uint32_t>;
    ShapeBase() { init(); }
    explicit ShapeBase(const Container& value) : value_(value) { init(); }
    explicit ShapeBase(std::initializer_list<std::uint32_t> list) : value_(list) { init(); }
    explicit ShapeBase(ttsl::Span<const std::uint32_t> span) : value_(span) { init(); }
    template <std::size_t N>
    explicit ShapeBase(const std::array<std::uint32_t, N>& array) : value_(array.begin(), array.end()) {
        init();
    }
    std::uint32_t operator[](std::int32_t index) const { return value_[position(index)]; }
    std::uint32_t& operator[](std::int32_t index) { return value_[position(index)]; }
    ttsl::Span<const std::uint32_t> view() const;
    const std::uint32_t* begin() const { return view().data(); }
    const std::uint32_t* end() const { return begin() + original_size_; }
    const std::uint32_t* cbegin() const { return begin(); }
    const std::uint32_t* cend() const { return end(); }
    bool empty() const { return original_size_ == 0; }
    std::size_t size() const { return original_size_; }
    auto attribute_values() const { return std::forward_as_tuple(original_size_, value_); }

protected:
    void init();
    std::size_t position(std::int32_t index) const {
        const auto all = static_cast<std::int32_t>(value_.size()), rank = static_cast<std::int32_t>(original_size_);
        if (index < -all || index >= rank) {
            throw std::out_of_range("ShapeBase[] index out of range. " + std::to_string(index));
        }
        return static_cast<std::size_t>(index < 0 ? all + index : all - rank + index);
    }
    Container value_;
    std::size_t original_size_ = 0;
};

class Shape final : protected ShapeBase {
public:
    using ShapeBase::attribute_values;
    using ShapeBase::begin;
    using ShapeBase::cbegin;
    using ShapeBase::cend;
    using ShapeBase::Container;
    using ShapeBase::empty;
    using ShapeBase::end;
    using ShapeBase::operator[];
    using ShapeBase::ShapeBase;
    using ShapeBase::size;
    using ShapeBase::view;
    std::size_t rank() const;
    std::uint64_t volume() const;
    std::uint32_t get_normalized_index(std::int64_t index) const;
    std::array<std::uint32_t, 4> to_array_4D() const;
    Shape to_rank(std::size_t rank) const;
    bool operator==(const Shape& other) const;
    bool operator==(const Container& sizes) const;
    friend std::ostream& operator<<(std::ostream& stream, const Shape& shape);
};
static_assert(sizeof(Shape) == 56);

class Alignment final : protected ShapeBase {
public:
    using ShapeBase::attribute_values;
    using ShapeBase::operator[];
    using ShapeBase::ShapeBase;
    using ShapeBase::size;
    using ShapeBase::view;
};

}  // namespace tt::tt_metal
