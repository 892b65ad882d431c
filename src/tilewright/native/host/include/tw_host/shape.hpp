// SPDX-License-Identifier: Apache-2.0
// Shapes of tensors and shards.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <ostream>
#include <span>
#include <tuple>

#include "tw_host/shape_2d.hpp"
#include "tw_host/stl.hpp"

namespace tt::tt_metal {

// Fewer than four dimensions have ones in front, which negative indices reach.
class Shape {
public:
    using Container = ttsl::SmallVector<std::uint32_t>;
    Shape() : Shape(Container()) {}
    explicit Shape(const Container& value) : Shape(value.begin(), value.end()) {}
    explicit Shape(std::initializer_list<std::uint32_t> list) : Shape(list.begin(), list.end()) {}
    explicit Shape(ttsl::Span<const std::uint32_t> span) : Shape(span.begin(), span.end()) {}
    template <std::size_t N>
    explicit Shape(const std::array<std::uint32_t, N>& array) : Shape(array.begin(), array.end()) {}
    std::uint32_t operator[](std::int32_t index) const { return value_[position(index)]; }
    std::uint32_t& operator[](std::int32_t index) { return value_[position(index)]; }
    const std::uint32_t* begin() const { return view().data(); }
    const std::uint32_t* end() const { return begin() + rank_; }
    const std::uint32_t* cbegin() const { return begin(); }
    const std::uint32_t* cend() const { return end(); }
    bool empty() const { return rank_ == 0; }
    std::size_t size() const { return rank_; }
    std::size_t rank() const { return rank_; }
    std::uint64_t volume() const;
    std::uint32_t get_normalized_index(std::int64_t index) const;
    ttsl::Span<const std::uint32_t> view() const { return {value_.data() + value_.size() - rank_, rank_}; }
    std::array<std::uint32_t, 4> to_array_4D() const;
    Shape to_rank(std::size_t rank) const;
    auto attribute_values() const { return std::forward_as_tuple(rank_, value_); }
    friend bool operator==(const Shape&, const Shape&) = default;
    friend bool operator==(const Shape& shape, const Container& sizes) {
        return std::equal(shape.begin(), shape.end(), sizes.begin(), sizes.end());
    }
    friend std::ostream& operator<<(std::ostream& stream, const Shape& shape);

private:
    template <typename Iterator>
    Shape(Iterator begin, Iterator end) : rank_(static_cast<std::size_t>(end - begin)) {
        value_.assign(rank_ < 4 ? 4 - rank_ : 0, 1);
        value_.insert(value_.end(), begin, end);
    }
    std::size_t position(std::int32_t index) const;
    std::size_t rank_;
    Container value_;
};

ttsl::SmallVector<std::size_t> compute_strides(const Shape& shape);
// How many matrices of the last two dimensions there are.
std::uint32_t get_batch_size(const Shape& shape);

class Alignment : public Shape {
public:
    using Shape::Shape;
};

}  // namespace tt::tt_metal
