// SPDX-License-Identifier: Apache-2.0
// Core coordinates, ranges and sets of ranges, and how work is split over them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tw_host/reflect.hpp"
#include "tw_host/stl.hpp"

namespace tt {

struct xy_pair {
    std::size_t x = 0;
    std::size_t y = 0;
    constexpr xy_pair() = default;
    constexpr xy_pair(std::size_t x, std::size_t y) : x(x), y(y) {}
    std::string str() const;
    auto attribute_values() const { return std::forward_as_tuple(x, y); }
    friend constexpr auto operator<=>(const xy_pair&, const xy_pair&) = default;
    friend std::ostream& operator<<(std::ostream& stream, const xy_pair& pair) { return stream << pair.str(); }
};

}  // namespace tt

using tt_xy_pair = tt::xy_pair;

template <>
struct std::hash<tt::xy_pair> {
    std::size_t operator()(const tt::xy_pair& pair) const { return pair.x * 1021 + pair.y; }
};

namespace tt::tt_metal {

using CoreCoord = xy_pair;
class CoreRangeSet;

class CoreRange {
public:
    CoreCoord start_coord;
    CoreCoord end_coord;
    CoreRange(const CoreCoord& point) : CoreRange(point, point) {}
    CoreRange(const CoreCoord& start, const CoreCoord& end);
    bool intersects(const CoreRange& other) const;
    std::optional<CoreRange> intersection(const CoreRange& other) const;
    bool contains(const CoreCoord& other) const;
    bool contains(const CoreRange& other) const;
    bool contains(const CoreRangeSet& other) const;
    std::string str() const;
    std::size_t size() const { return grid_size().x * grid_size().y; }
    CoreCoord grid_size() const { return {end_coord.x - start_coord.x + 1, end_coord.y - start_coord.y + 1}; }
    auto attribute_values() const { return std::forward_as_tuple(start_coord, end_coord); }
    friend constexpr auto operator<=>(const CoreRange&, const CoreRange&) = default;
    friend std::ostream& operator<<(std::ostream& stream, const CoreRange& range) { return stream << range.str(); }

    class CoreIterator {
    public:
        using iterator_category = std::forward_iterator_tag;
        using value_type = CoreCoord;
        using difference_type = std::ptrdiff_t;
        using pointer = const CoreCoord*;
        using reference = const CoreCoord&;
        CoreIterator() = default;
        CoreIterator(const CoreCoord& current, const CoreRange& range) : current_(current), range_(&range) {}
        CoreCoord& operator*() { return current_; }
        CoreIterator& operator++() {
            if (current_.x++ == range_->end_coord.x) {
                current_ = {range_->start_coord.x, current_.y + 1};
            }
            return *this;
        }
        bool operator==(const CoreIterator& other) const { return current_ == other.current_; }

    private:
        CoreCoord current_;
        const CoreRange* range_ = nullptr;
    };
    CoreIterator begin() const { return {start_coord, *this}; }
    CoreIterator end() const { return {CoreCoord(start_coord.x, end_coord.y + 1), *this}; }
};

class CoreRangeSet {
public:
    CoreRangeSet() = default;
    CoreRangeSet(const CoreRange& range) : ranges_{range} {}
    CoreRangeSet(ttsl::Span<const CoreRange> ranges) :
        CoreRangeSet(std::vector<CoreRange>(ranges.begin(), ranges.end())) {}
    CoreRangeSet(ttsl::Span<const CoreCoord> cores);
    CoreRangeSet(const std::set<CoreRange>& ranges) :
        CoreRangeSet(std::vector<CoreRange>(ranges.begin(), ranges.end())) {}
    CoreRangeSet(std::vector<CoreRange>&& ranges);
    bool empty() const { return ranges_.empty(); }
    std::size_t size() const { return ranges_.size(); }
    template <typename T>
    CoreRangeSet merge(const T& other) const {
        std::set<CoreCoord> all = cores();
        CoreRangeSet others = [&] {
            if constexpr (std::is_convertible_v<const T&, CoreRangeSet>) {
                return CoreRangeSet(other);
            } else {
                return CoreRangeSet(std::vector<CoreRange>(other.begin(), other.end()));
            }
        }();
        all.merge(others.cores());
        return of_cores(all);
    }
    bool intersects(const CoreCoord& other) const { return contains(other); }
    bool intersects(const CoreRange& other) const;
    bool intersects(const CoreRangeSet& other) const;
    CoreRangeSet intersection(const CoreRangeSet& other) const;
    CoreRangeSet subtract(const CoreRangeSet& other) const;
    CoreRangeSet merge_ranges() const { return of_cores(cores()); }
    bool contains(const CoreCoord& other) const;
    bool contains(const CoreRange& other) const;
    bool contains(const CoreRangeSet& other) const;
    const std::vector<CoreRange>& ranges() const { return ranges_; }
    std::string str() const;
    std::uint32_t num_cores() const;
    CoreRange bounding_box() const;
    auto attribute_values() const { return std::forward_as_tuple(ranges_); }
    friend bool operator==(const CoreRangeSet& a, const CoreRangeSet& b);
    friend std::ostream& operator<<(std::ostream& stream, const CoreRangeSet& set) { return stream << set.str(); }

private:
    std::set<CoreCoord> cores() const;
    static CoreRangeSet of_cores(const std::set<CoreCoord>& cores);
    std::vector<CoreRange> ranges_;
};

std::vector<CoreCoord> grid_to_cores(std::uint32_t count, std::uint32_t x, std::uint32_t y, bool row_wise = false);
std::vector<CoreCoord> grid_to_cores(CoreCoord start, CoreCoord end, bool row_wise = false);
std::vector<CoreCoord> grid_to_cores_with_noop(
    std::uint32_t box_x, std::uint32_t box_y, std::uint32_t x, std::uint32_t y, bool row_wise = false);
std::vector<CoreCoord> grid_to_cores_with_noop(
    const CoreRangeSet& used, const CoreRangeSet& all, bool row_wise = false);
std::vector<CoreCoord> corerange_to_cores(
    const CoreRangeSet& set, std::optional<std::uint32_t> most = std::nullopt, bool row_wise = false);
CoreRangeSet select_from_corerangeset(
    const CoreRangeSet& set, std::uint32_t first, std::uint32_t last, bool row_wise = false);
std::optional<CoreRange> select_contiguous_range_from_corerangeset(
    const CoreRangeSet& set, std::uint32_t x, std::uint32_t y);

using WorkSplit = std::tuple<std::uint32_t, CoreRangeSet, CoreRangeSet, CoreRangeSet, std::uint32_t, std::uint32_t>;
WorkSplit split_work_to_cores(CoreCoord grid, std::uint32_t units, bool row_wise = false);
WorkSplit split_work_to_cores(const CoreRangeSet& grid, std::uint32_t units, bool row_wise = false);
CoreRangeSet num_cores_to_corerangeset(CoreCoord start, std::uint32_t count, CoreCoord grid, bool row_wise = false);
CoreRangeSet num_cores_to_corerangeset(std::uint32_t count, CoreCoord grid, bool row_wise = false);
CoreRangeSet num_cores_to_corerangeset_in_subcoregrids(
    CoreCoord start, std::uint32_t count, const CoreRangeSet& grids, bool row_wise = false);
std::uint32_t merge_num_sticks_to_read(std::uint32_t sticks, std::uint32_t stick_bytes, std::uint32_t most_bytes);
std::tuple<std::uint32_t, std::uint32_t> get_max_cores_divisible_by_tiles_per_core_tiles(
    const std::uint32_t& tiles, const std::uint32_t& most_cores, bool request_even = false);
int find_max_divisor(std::uint32_t value, std::uint32_t first);
int find_max_block_size(std::uint32_t value, std::uint32_t most = 8);

}  // namespace tt::tt_metal

template <>
struct std::hash<tt::tt_metal::CoreRange> {
    std::size_t operator()(const tt::tt_metal::CoreRange& range) const { return tw::host::hash_of(range); }
};
template <>
struct std::hash<tt::tt_metal::CoreRangeSet> {
    std::size_t operator()(const tt::tt_metal::CoreRangeSet& set) const { return tw::host::hash_of(set); }
};

// Names that were global for years; host code still uses them so.
using tt::tt_metal::CoreRange;
using tt::tt_metal::CoreRangeSet;
using CoreCoord = tt::tt_metal::CoreCoord;
using tt::tt_metal::corerange_to_cores;
using tt::tt_metal::grid_to_cores;
