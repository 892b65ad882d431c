// SPDX-License-Identifier: Apache-2.0
// Height and width, laid out as in ttnn's libraries.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tt::tt_metal {

class Shape2D final {
public:
    Shape2D(std::size_t height, std::size_t width) : height_(height), width_(width) {}
    Shape2D(const std::array<std::uint32_t, 2>& shape) : height_(shape[0]), width_(shape[1]) {}
    std::size_t height() const { return height_; }
    std::size_t width() const { return width_; }
    friend bool operator==(const Shape2D&, const Shape2D&) = default;

private:
    std::size_t height_, width_;
};

}  // namespace tt::tt_metal
