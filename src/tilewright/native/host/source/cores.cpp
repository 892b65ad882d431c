// SPDX-License-Identifier: Apache-2.0
#include "tw_host/cores.hpp"

#include <algorithm>

#include "tw_host/asserts.hpp"
#include "tw_host/message.hpp"
#include "tw_host/values.hpp"

std::string tt::xy_pair::str() const { return std::to_string(x) + "-" + std::to_string(y); }

namespace tt::tt_metal {

using tw::host::call_python;
using tw::host::from_value;
using tw::host::to_value;

CoreRange::CoreRange(const CoreCoord& start, const CoreCoord& end) : start_coord(start), end_coord(end) {
    TT_FATAL(end.x >= start.x && end.y >= start.y, "Invalid core range for start_coord: {}, end_coord: {}", start, end);
}

bool CoreRange::intersects(const CoreRange& other) const { return intersection(other).has_value(); }

std::optional<CoreRange> CoreRange::intersection(const CoreRange& other) const {
    const CoreCoord first(std::max(start_coord.x, other.start_coord.x), std::max(start_coord.y, other.start_coord.y));
    const CoreCoord last(std::min(end_coord.x, other.end_coord.x), std::min(end_coord.y, other.end_coord.y));
    return first.x <= last.x && first.y <= last.y ? std::optional(CoreRange(first, last)) : std::nullopt;
}

bool CoreRange::contains(const CoreCoord& other) const { return contains(CoreRange(other)); }
bool CoreRange::contains(const CoreRange& other) const {
    return other.start_coord.x >= start_coord.x && other.start_coord.y >= start_coord.y &&
           other.end_coord.x <= end_coord.x && other.end_coord.y <= end_coord.y;
}
bool CoreRange::contains(const CoreRangeSet& other) const {
    return std::all_of(
        other.ranges().begin(), other.ranges().end(), [&](const CoreRange& range) { return contains(range); });
}
std::string CoreRange::str() const { return "[" + start_coord.str() + " - " + end_coord.str() + "]"; }

CoreRangeSet::CoreRangeSet(std::vector<CoreRange>&& ranges) : ranges_(std::move(ranges)) {
    for (std::size_t first = 0; first < ranges_.size(); ++first) {
        for (std::size_t second = first + 1; second < ranges_.size(); ++second) {
            TT_FATAL(
                !ranges_[first].intersects(ranges_[second]),
                "Cannot create CoreRangeSet with specified core ranges because core ranges {} and {} overlap!",
                ranges_[first],
                ranges_[second]);
        }
    }
}

CoreRangeSet::CoreRangeSet(ttsl::Span<const CoreCoord> cores) :
    ranges_(of_cores(std::set<CoreCoord>(cores.begin(), cores.end())).ranges_) {}

std::set<CoreCoord> CoreRangeSet::cores() const {
    std::set<CoreCoord> all;
    for (const CoreRange& range : ranges_) {
        all.insert(range.begin(), range.end());
    }
    return all;
}

// Rows of neighbouring cores, and equal rows below each other as one range.
CoreRangeSet CoreRangeSet::of_cores(const std::set<CoreCoord>& cores) {
    std::vector<CoreCoord> by_row(cores.begin(), cores.end());
    std::sort(by_row.begin(), by_row.end(), [](const CoreCoord& a, const CoreCoord& b) {
        return std::pair(a.y, a.x) < std::pair(b.y, b.x);
    });
    std::vector<CoreRange> rows;
    for (const CoreCoord& core : by_row) {
        if (!rows.empty() && rows.back().end_coord.y == core.y && rows.back().end_coord.x + 1 == core.x) {
            rows.back().end_coord = core;
        } else {
            rows.emplace_back(core);
        }
    }
    CoreRangeSet set;
    for (const CoreRange& row : rows) {
        const auto above = std::find_if(set.ranges_.begin(), set.ranges_.end(), [&](const CoreRange& range) {
            return range.start_coord.x == row.start_coord.x && range.end_coord.x == row.end_coord.x &&
                   range.end_coord.y + 1 == row.start_coord.y;
        });
        if (above != set.ranges_.end()) {
            above->end_coord.y = row.end_coord.y;
        } else {
            set.ranges_.push_back(row);
        }
    }
    return set;
}

bool CoreRangeSet::intersects(const CoreRange& other) const {
    return std::any_of(ranges_.begin(), ranges_.end(), [&](const CoreRange& range) { return range.intersects(other); });
}
bool CoreRangeSet::intersects(const CoreRangeSet& other) const {
    return std::any_of(
        other.ranges_.begin(), other.ranges_.end(), [&](const CoreRange& range) { return intersects(range); });
}
CoreRangeSet CoreRangeSet::intersection(const CoreRangeSet& other) const {
    std::set<CoreCoord> both;
    for (const CoreCoord& core : cores()) {
        if (other.contains(core)) {
            both.insert(core);
        }
    }
    return of_cores(both);
}
CoreRangeSet CoreRangeSet::subtract(const CoreRangeSet& other) const {
    std::set<CoreCoord> rest;
    for (const CoreCoord& core : cores()) {
        if (!other.contains(core)) {
            rest.insert(core);
        }
    }
    return of_cores(rest);
}
bool CoreRangeSet::contains(const CoreCoord& other) const {
    return std::any_of(ranges_.begin(), ranges_.end(), [&](const CoreRange& range) { return range.contains(other); });
}
bool CoreRangeSet::contains(const CoreRange& other) const {
    return std::all_of(other.begin(), other.end(), [&](const CoreCoord& core) { return contains(core); });
}
bool CoreRangeSet::contains(const CoreRangeSet& other) const {
    return std::all_of(
        other.ranges_.begin(), other.ranges_.end(), [&](const CoreRange& range) { return contains(range); });
}
std::string CoreRangeSet::str() const {
    std::string text;
    for (const CoreRange& range : ranges_) {
        text += (text.empty() ? "" : ", ") + range.str();
    }
    return "{" + text + "}";
}
std::uint32_t CoreRangeSet::num_cores() const {
    std::uint32_t count = 0;
    for (const CoreRange& range : ranges_) {
        count += range.size();
    }
    return count;
}
CoreRange CoreRangeSet::bounding_box() const {
    TT_FATAL(!ranges_.empty(), "Cannot get bounding_box of an empty CoreRangeSet!");
    CoreRange box = ranges_.front();
    for (const CoreRange& range : ranges_) {
        box.start_coord.x = std::min(box.start_coord.x, range.start_coord.x);
        box.start_coord.y = std::min(box.start_coord.y, range.start_coord.y);
        box.end_coord.x = std::max(box.end_coord.x, range.end_coord.x);
        box.end_coord.y = std::max(box.end_coord.y, range.end_coord.y);
    }
    return box;
}
bool operator==(const CoreRangeSet& a, const CoreRangeSet& b) { return a.cores() == b.cores(); }

std::vector<CoreCoord> grid_to_cores(std::uint32_t count, std::uint32_t x, std::uint32_t y, bool row_wise) {
    TT_FATAL(count <= x * y, "Number of cores {} exceeds grid size {}x{}", count, x, y);
    std::vector<CoreCoord> cores;
    for (std::uint32_t index = 0; index < count; ++index) {
        cores.push_back(row_wise ? CoreCoord(index % x, index / x) : CoreCoord(index / y, index % y));
    }
    return cores;
}

std::vector<CoreCoord> grid_to_cores(CoreCoord start, CoreCoord end, bool row_wise) {
    return corerange_to_cores(CoreRange(start, end), std::nullopt, row_wise);
}

namespace {
std::vector<CoreCoord> used_first(std::vector<CoreCoord> used, const std::vector<CoreCoord>& all) {
    for (const CoreCoord& core : all) {
        if (std::find(used.begin(), used.end(), core) == used.end()) {
            used.push_back(core);
        }
    }
    return used;
}
}  // namespace

std::vector<CoreCoord> grid_to_cores_with_noop(
    std::uint32_t box_x, std::uint32_t box_y, std::uint32_t x, std::uint32_t y, bool row_wise) {
    const CoreRange used({0, 0}, {box_x, box_y}), all({0, 0}, {x - 1, y - 1});
    return grid_to_cores_with_noop(CoreRangeSet(used), CoreRangeSet(all), row_wise);
}
std::vector<CoreCoord> grid_to_cores_with_noop(const CoreRangeSet& used, const CoreRangeSet& all, bool row_wise) {
    return used_first(
        corerange_to_cores(used, std::nullopt, row_wise), corerange_to_cores(all, std::nullopt, row_wise));
}

std::vector<CoreCoord> corerange_to_cores(const CoreRangeSet& set, std::optional<std::uint32_t> most, bool row_wise) {
    std::vector<CoreCoord> cores;
    for (const CoreRange& range : set.ranges()) {
        const CoreCoord size = range.grid_size();
        for (std::size_t index = 0; index < range.size(); ++index) {
            if (most.has_value() && cores.size() == *most) {
                return cores;
            }
            const CoreCoord at =
                row_wise ? CoreCoord(index % size.x, index / size.x) : CoreCoord(index / size.y, index % size.y);
            cores.emplace_back(range.start_coord.x + at.x, range.start_coord.y + at.y);
        }
    }
    return cores;
}

CoreRangeSet select_from_corerangeset(const CoreRangeSet& set, std::uint32_t first, std::uint32_t last, bool row_wise) {
    const auto cores = corerange_to_cores(set, last + 1, row_wise);
    TT_FATAL(last < cores.size(), "Not enough cores in the set to select {} to {}", first, last);
    std::vector<CoreRange> selected;
    for (std::uint32_t index = first; index <= last; ++index) {
        selected.emplace_back(cores[index]);
    }
    return CoreRangeSet(std::move(selected)).merge_ranges();
}

std::optional<CoreRange> select_contiguous_range_from_corerangeset(
    const CoreRangeSet& set, std::uint32_t x, std::uint32_t y) {
    for (const CoreRange& range : set.ranges()) {
        const CoreCoord size = range.grid_size();
        if (size.x >= x && size.y >= y) {
            const CoreCoord& start = range.start_coord;
            return CoreRange(start, {start.x + x - 1, start.y + y - 1});
        }
    }
    return std::nullopt;
}

namespace {
WorkSplit as_work_split(const tw::host::Value& value) {
    return {
        from_value<std::uint32_t>(value.at(0)),
        from_value<CoreRangeSet>(value.at(1)),
        from_value<CoreRangeSet>(value.at(2)),
        from_value<CoreRangeSet>(value.at(3)),
        from_value<std::uint32_t>(value.at(4)),
        from_value<std::uint32_t>(value.at(5))};
}
}  // namespace

// Work is split, and sets of cores are filled, by ttnn itself: the ranges must be those it makes.
WorkSplit split_work_to_cores(CoreCoord grid, std::uint32_t units, bool row_wise) {
    return as_work_split(call_python("split_work_to_cores", {to_value(grid), units, row_wise}));
}
WorkSplit split_work_to_cores(const CoreRangeSet& grid, std::uint32_t units, bool row_wise) {
    return as_work_split(call_python("split_work_to_cores", {to_value(grid), units, row_wise}));
}
CoreRangeSet num_cores_to_corerangeset(std::uint32_t count, CoreCoord grid, bool row_wise) {
    return from_value<CoreRangeSet>(call_python("num_cores_to_corerangeset", {count, to_value(grid), row_wise}));
}
CoreRangeSet num_cores_to_corerangeset_in_subcoregrids(
    CoreCoord start, std::uint32_t count, const CoreRangeSet& grids, bool row_wise) {
    return from_value<CoreRangeSet>(
        call_python("num_cores_to_corerangeset_in_subcoregrids", {to_value(start), count, to_value(grids), row_wise}));
}
CoreRangeSet num_cores_to_corerangeset(CoreCoord start, std::uint32_t count, CoreCoord grid, bool row_wise) {
    TT_FATAL(start.x < grid.x && start.y < grid.y, "start core {} is outside of the grid {}", start, grid);
    std::vector<CoreRange> cores;
    for (CoreCoord core = start; cores.size() < count;) {
        TT_FATAL(core.x < grid.x && core.y < grid.y, "Number of cores {} exceeds the grid from {}", count, start);
        cores.emplace_back(core);
        if (row_wise) {
            core = core.x + 1 < grid.x ? CoreCoord(core.x + 1, core.y) : CoreCoord(0, core.y + 1);
        } else {
            core = core.y + 1 < grid.y ? CoreCoord(core.x, core.y + 1) : CoreCoord(core.x + 1, 0);
        }
    }
    return CoreRangeSet(std::move(cores)).merge_ranges();
}

std::uint32_t merge_num_sticks_to_read(std::uint32_t sticks, std::uint32_t stick_bytes, std::uint32_t most_bytes) {
    const std::uint32_t total = sticks * stick_bytes;
    std::uint32_t merged = 1;
    for (std::uint32_t count = 1; count <= sticks && count * stick_bytes <= most_bytes; ++count) {
        if (total % (count * stick_bytes) == 0) {
            merged = count;
        }
    }
    return merged;
}

std::tuple<std::uint32_t, std::uint32_t> get_max_cores_divisible_by_tiles_per_core_tiles(
    const std::uint32_t& tiles, const std::uint32_t& most_cores, bool request_even) {
    std::uint32_t cores = 1;
    for (std::uint32_t count = 2; count <= most_cores; ++count) {
        if (tiles % count == 0 && (!request_even || count % 2 == 0)) {
            cores = count;
        }
    }
    return {tiles / cores, cores};
}

int find_max_divisor(std::uint32_t value, std::uint32_t first) {
    int divisor = 1;
    for (std::uint32_t number = first; number >= 1; --number) {
        if (number == 7 || number == 5) {
            continue;
        }
        if (value % number == 0) {
            return static_cast<int>(number);
        }
    }
    return divisor;
}

int find_max_block_size(std::uint32_t value, std::uint32_t most) {
    for (std::uint32_t size = most; size >= 1; --size) {
        if (value % size == 0) {
            return static_cast<int>(size);
        }
    }
    return 1;
}

}  // namespace tt::tt_metal
