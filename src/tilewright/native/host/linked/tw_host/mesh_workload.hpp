// SPDX-License-Identifier: Apache-2.0
// Workloads of ttnn's libraries, and what the program cache holds.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>

#include "tw_host/host_api.hpp"

namespace tt::tt_metal::distributed {

class MeshCoordinate {
public:
    MeshCoordinate(std::uint32_t row, std::uint32_t column);
    std::size_t dims() const;

private:
    ttsl::SmallVector<std::uint32_t> at_;
};

class MeshCoordinateRange {
public:
    explicit MeshCoordinateRange(const MeshShape& shape);
    const MeshCoordinate& start_coord() const;
    const MeshCoordinate& end_coord() const;

private:
    MeshCoordinate start_, end_;
    std::optional<MeshShape> wrap_;
};
static_assert(sizeof(MeshCoordinate) == 48 && sizeof(MeshCoordinateRange) == 240);
bool operator==(const MeshCoordinateRange& a, const MeshCoordinateRange& b);

}  // namespace tt::tt_metal::distributed

template <>
struct std::hash<tt::tt_metal::distributed::MeshCoordinateRange> {
    std::size_t operator()(const tt::tt_metal::distributed::MeshCoordinateRange& range) const noexcept;
};

namespace tt::tt_metal::distributed {

class MeshWorkloadImpl;
class MeshWorkload {
public:
    MeshWorkload();
    ~MeshWorkload();
    MeshWorkload(MeshWorkload&&) noexcept;
    MeshWorkload& operator=(MeshWorkload&&) noexcept;
    void add_program(const MeshCoordinateRange& range, Program&& program);
    std::unordered_map<MeshCoordinateRange, Program>& get_programs();

private:
    MeshWorkloadImpl* impl_;
};
void EnqueueMeshWorkload(MeshCommandQueue& queue, MeshWorkload& workload, bool blocking);

}  // namespace tt::tt_metal::distributed

namespace tt::tt_metal::program_cache::detail {
// A program with its variables, or those of a workload in the cache.
template <typename Variables>
struct CachedProgram {
    CachedProgram(Program&& made, Variables&& variables) :
        own_program(std::move(made)),
        own_variables(std::move(variables)),
        program(*own_program),
        shared_variables(*own_variables) {}
    CachedProgram(Program& cached, Variables& variables) : program(cached), shared_variables(variables) {}
    CachedProgram(CachedProgram&& other) noexcept :
        own_program(std::move(other.own_program)),
        own_variables(std::move(other.own_variables)),
        program(own_program ? *own_program : other.program),
        shared_variables(own_variables ? *own_variables : other.shared_variables) {}

private:
    std::optional<Program> own_program;
    std::optional<Variables> own_variables;

public:
    Program& program;
    Variables& shared_variables;
};
}  // namespace tt::tt_metal::program_cache::detail
