// SPDX-License-Identifier: Apache-2.0
// Workloads of a mesh, of which one device is simulated, and what the program cache holds.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "tw_host/host_api.hpp"

namespace tt::tt_metal::distributed {

class MeshCoordinate {
public:
    MeshCoordinate(std::uint32_t row, std::uint32_t column) : at_{row, column} {}
    std::uint32_t operator[](std::int32_t index) const { return at_[index < 0 ? at_.size() + index : index]; }
    std::size_t dims() const { return at_.size(); }
    friend auto operator<=>(const MeshCoordinate&, const MeshCoordinate&) = default;
    auto attribute_values() const { return std::forward_as_tuple(at_); }

private:
    std::vector<std::uint32_t> at_;
};

class MeshCoordinateRange {
public:
    explicit MeshCoordinateRange(const MeshCoordinate& only) : start_(only), end_(only) {}
    MeshCoordinateRange(const MeshCoordinate& start, const MeshCoordinate& end) : start_(start), end_(end) {}
    explicit MeshCoordinateRange(const MeshShape& shape) : start_(0, 0), end_(shape[0] - 1, shape[1] - 1) {}
    const MeshCoordinate& start_coord() const { return start_; }
    const MeshCoordinate& end_coord() const { return end_; }
    const MeshCoordinate* begin() const { return &start_; }
    const MeshCoordinate* end() const { return &start_ + 1; }
    friend bool operator==(const MeshCoordinateRange&, const MeshCoordinateRange&) = default;
    auto attribute_values() const { return std::forward_as_tuple(start_, end_); }

private:
    MeshCoordinate start_, end_;
};

class MeshCoordinateRangeSet {
public:
    MeshCoordinateRangeSet() = default;
    MeshCoordinateRangeSet(const MeshCoordinateRange& range) : ranges_{range} {}
    const std::vector<MeshCoordinateRange>& ranges() const { return ranges_; }
    std::vector<MeshCoordinate> coords() const {
        std::vector<MeshCoordinate> all;
        for (const auto& range : ranges_) {
            all.push_back(range.start_coord());
        }
        return all;
    }

private:
    std::vector<MeshCoordinateRange> ranges_;
};

}  // namespace tt::tt_metal::distributed

template <>
struct std::hash<tt::tt_metal::distributed::MeshCoordinateRange> {
    std::size_t operator()(const tt::tt_metal::distributed::MeshCoordinateRange& range) const {
        return tw::host::hash_of(range);
    }
};

namespace tt::tt_metal::distributed {
class MeshWorkload {
public:
    void add_program(const MeshCoordinateRange& range, Program&& program) {
        programs_.emplace(range, std::move(program));
    }
    std::unordered_map<MeshCoordinateRange, Program>& get_programs() { return programs_; }
    const std::unordered_map<MeshCoordinateRange, Program>& get_programs() const { return programs_; }

private:
    std::unordered_map<MeshCoordinateRange, Program> programs_;
};
}  // namespace tt::tt_metal::distributed

namespace tt::tt_metal::program_cache::detail {
template <typename Variables>
struct CachedProgram {
    Program program;
    Variables shared_variables;
    CachedProgram(Program&& program, Variables&& variables) :
        program(std::move(program)), shared_variables(std::move(variables)) {}
    CachedProgram(const Program& program, Variables variables) :
        program(program), shared_variables(std::move(variables)) {}
};
template <typename Variables>
struct CachedMeshWorkload {
    distributed::MeshWorkload workload;
    Variables shared_variables;
};
template <typename Variables>
struct AdaptedCachedMeshWorkload {
    distributed::MeshWorkload workload;
    std::unordered_map<distributed::MeshCoordinateRange, Variables> shared_variables;
};
}  // namespace tt::tt_metal::program_cache::detail

namespace ttnn {
using tt::tt_metal::distributed::MeshCoordinate;
using tt::tt_metal::distributed::MeshCoordinateRange;
using tt::tt_metal::distributed::MeshCoordinateRangeSet;
}  // namespace ttnn
