// SPDX-License-Identifier: Apache-2.0
// Device operations: the program cache, and how a call becomes a program and a launch.
//
// `launch` does what tt-metal's does: it looks for a program under the operation's hash, validates, makes the output
// tensors, builds a program or changes the arguments of the one it has, and runs it (here with `ttnn.generic_op`).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "tw_host/descriptors.hpp"
#include "tw_host/factories.hpp"
#include "tw_host/mesh_workload.hpp"
#include "tw_host/metal2.hpp"
#include "tw_host/ttnn_types.hpp"

namespace tt::tt_metal {
// The descriptors as the record every other form makes too.
ProgramRecord record_of(const ProgramDescriptor& descriptor);
}  // namespace tt::tt_metal

namespace ttnn::device_operation {

using tt::tt_metal::program_cache::detail::AdaptedCachedMeshWorkload;
using tt::tt_metal::program_cache::detail::CachedMeshWorkload;
using tt::tt_metal::program_cache::detail::CachedProgram;

struct ProgramArtifacts {
    tt::tt_metal::experimental::ProgramSpec spec;
    tt::tt_metal::experimental::ProgramRunArgs run_params;
    std::vector<tt::tt_metal::MeshTensor> op_owned_tensors;
};

namespace detail {

using tt::tt_metal::ProgramRecord;
using tw::host::List;
using tw::host::Value;

// Whether a call that finds its program is compared with a program made anew (`tilewright check`).
bool compares_with_fresh();
// What of two programs is compared: all but the arguments of a run, or these too, and what changes them.
enum class Compared { Structure, AfterOverride, AfterPatching };
// Tells Python how the cached program differs from a fresh one.
void compare(const std::string& operation, const Value& cached, const Value& fresh, Compared compared);
void compare_factories(const std::string& operation, const std::string& kept, const std::string& selected);
void run(const std::string& operation, const List& tensors, const Value& program, bool from_cache);
void run_spec(
    const std::string& operation, const List& tensors, const ProgramArtifacts& artifacts, const Value& cached_spec);

// Whether two tensors of a call lie in one buffer: which of them a bound argument means is then not known.
template <typename Inputs>
bool repeats_a_buffer(const Inputs& inputs) {
    std::vector<std::pair<bool, std::uint64_t>> seen;
    bool repeats = false;
    tw::host::for_each_of_type<Tensor>(inputs, [&](const Tensor& tensor) {
        const std::pair<bool, std::uint64_t> place(tensor.buffer()->is_dram(), tensor.buffer()->address());
        repeats = repeats || std::find(seen.begin(), seen.end(), place) != seen.end();
        seen.push_back(place);
    });
    return repeats;
}

template <typename Op>
struct Call {
    using Attributes = typename Op::operation_attributes_t;
    using Inputs = typename Op::tensor_args_t;
    using Outputs = typename Op::tensor_return_value_t;
    std::string operation;
    const Attributes& attributes;
    const Inputs& inputs;
    Outputs& outputs;
    std::uint64_t key;
    List tensors;

    void launch(const ProgramRecord& record, bool from_cache) const {
        run(operation, tensors, record.to_value(), from_cache);
    }

    template <typename Factory>
    void with_create() const {
        using Cached = decltype(Factory::create(attributes, inputs, outputs));
        auto& cache = cache_of<Factory, Cached>();
        auto found = cache.find(key);
        const bool hit = found != cache.end();
        if (!hit) {
            auto made = std::make_unique<Cached>(Factory::create(attributes, inputs, outputs));
            found = cache.emplace(key, std::move(made)).first;
        } else {
            Factory::override_runtime_arguments(*found->second, attributes, inputs, outputs);
            if (compares_with_fresh()) {
                const Cached fresh = Factory::create(attributes, inputs, outputs);
                compare(
                    operation,
                    found->second->program.record().to_value(),
                    fresh.program.record().to_value(),
                    Compared::AfterOverride);
            }
        }
        launch(found->second->program.record(), hit);
    }

    template <typename Factory>
    void with_descriptor() const {
        auto& cache = cache_of<Factory, tt::tt_metal::Program>();
        const auto found = cache.find(key);
        if (found == cache.end()) {
            const auto descriptor = make_descriptor<Factory>(attributes, inputs, outputs);
            auto made = std::make_unique<tt::tt_metal::Program>(program_of(descriptor));
            launch(cache.emplace(key, std::move(made)).first->second->record(), false);
            return;
        }
        tt::tt_metal::Program& program = *found->second;
        if constexpr (overrides_descriptor<Factory>) {
            override_program<Factory>(program, attributes, inputs, outputs);
            if (compares_with_fresh()) {
                const auto fresh = record_of(make_descriptor<Factory>(attributes, inputs, outputs));
                compare(operation, program.record().to_value(), fresh.to_value(), Compared::AfterOverride);
            }
        } else {
            patch(program, make_descriptor<Factory>(attributes, inputs, outputs));
        }
        launch(program.record(), true);
    }

    // As tt-metal does: where the factory gave buffers as arguments, their addresses and what the operation declares as
    // dynamic; else every argument anew.
    void patch(tt::tt_metal::Program& program, const tt::tt_metal::ProgramDescriptor& fresh) const {
        const bool compares = compares_with_fresh();
        const Value wanted = compares ? record_of(fresh).to_value() : Value();
        if (compares) {
            compare(operation, program.record().to_value(), wanted, Compared::Structure);
        }
        std::vector<tt::tt_metal::DynamicRuntimeArg> dynamic;
        if constexpr (requires { Op::get_dynamic_runtime_args(attributes, inputs, outputs, std::nullopt); }) {
            dynamic = Op::get_dynamic_runtime_args(attributes, inputs, outputs, std::nullopt);
        }
        const bool bound =
            tw::host::binds_arguments(fresh) || (!dynamic.empty() && tw::host::binds_circular_buffers(fresh));
        if (bound && !repeats_a_buffer(inputs)) {
            tw::host::apply_bindings(program, fresh);
            apply_dynamic_runtime_args(program, dynamic);
        } else {
            tw::host::apply_all(program, fresh);
        }
        if (compares) {
            compare(operation, program.record().to_value(), wanted, Compared::AfterPatching);
        }
    }

    template <typename Factory>
    void with_artifacts() const {
        auto& cache = cache_of<Factory, Value>();
        const ProgramArtifacts artifacts = Factory::create_program_artifacts(attributes, inputs, outputs);
        auto found = cache.find(key);
        if (found == cache.end()) {
            found = cache.emplace(key, std::make_unique<Value>(to_value(artifacts.spec))).first;
        } else if (compares_with_fresh()) {
            compare(operation, *found->second, to_value(artifacts.spec), Compared::Structure);
        }
        run_spec(operation, tensors, artifacts, *found->second);
    }

    template <typename Factory>
    void with_mesh_workload() const {
        using tt::tt_metal::distributed::MeshCoordinate;
        using tt::tt_metal::distributed::MeshCoordinateRange;
        using tt::tt_metal::distributed::MeshCoordinateRangeSet;
        const MeshCoordinate only(0, 0);
        auto make = [&] {
            if constexpr (has_mesh_workload<Factory>) {
                const MeshCoordinateRangeSet coordinates{MeshCoordinateRange(only)};
                return Factory::create_mesh_workload(attributes, coordinates, inputs, outputs);
            } else {
                auto made = Factory::create_at(attributes, only, inputs, outputs);
                using Variables = decltype(made.shared_variables);
                tt::tt_metal::distributed::MeshWorkload workload;
                workload.add_program(MeshCoordinateRange(only), std::move(made.program));
                std::unordered_map<MeshCoordinateRange, Variables> variables;
                variables.emplace(MeshCoordinateRange(only), std::move(made.shared_variables));
                return AdaptedCachedMeshWorkload<Variables>{std::move(workload), std::move(variables)};
            }
        };
        using Cached = decltype(make());
        auto& cache = cache_of<Factory, Cached>();
        auto found = cache.find(key);
        const bool hit = found != cache.end();
        if (!hit) {
            found = cache.emplace(key, std::make_unique<Cached>(make())).first;
        } else {
            Factory::override_runtime_arguments(*found->second, attributes, inputs, outputs);
        }
        for (auto& [range, program] : found->second->workload.get_programs()) {
            if (hit && compares_with_fresh()) {
                Cached fresh = make();
                const Value again = fresh.workload.get_programs().begin()->second.record().to_value();
                compare(operation, program.record().to_value(), again, Compared::AfterOverride);
            }
            launch(program.record(), hit);
        }
    }

    template <typename Factory>
    void with_factory() const {
        if constexpr (creates_program<Factory, Attributes, Inputs, Outputs>) {
            with_create<Factory>();
        } else if constexpr (has_mesh_workload<Factory> || has_create_at<Factory>) {
            with_mesh_workload<Factory>();
        } else if constexpr (has_descriptor<Factory>) {
            with_descriptor<Factory>();
        } else if constexpr (has_artifacts<Factory>) {
            with_artifacts<Factory>();
        } else {
            TT_THROW("{}: a workload of several programs is not simulated", operation);
        }
    }
};

template <typename... T>
List tensors_of(const T&... objects) {
    List tensors;
    const auto add = [&](const Tensor& tensor) {
        if (tensor.state() != nullptr && tensor.device() != nullptr) {
            tensors.push_back(tensor.state()->handle);
        }
    };
    (tw::host::for_each_of_type<Tensor>(objects, add), ...);
    return tensors;
}

}  // namespace detail

template <typename Op>
typename Op::tensor_return_value_t launch(
    const typename Op::operation_attributes_t& attributes, const typename Op::tensor_args_t& inputs) {
    const auto run =
        [&](const std::string& operation, std::uint64_t key, const auto& factory, const auto& selected, auto& outputs) {
            if (factory.index() != selected.index() && detail::compares_with_fresh()) {
                const auto name = [](const auto& each) { return detail::type_name(typeid(each)); };
                detail::compare_factories(operation, std::visit(name, factory), std::visit(name, selected));
            }
            const detail::Call<Op> call{
                operation, attributes, inputs, outputs, key, detail::tensors_of(inputs, outputs)};
            std::visit([&](auto chosen) { call.template with_factory<decltype(chosen)>(); }, factory);
        };
    return detail::validated<Op>(attributes, inputs, tt::tt_metal::current_facts().key, run);
}

namespace detail {
template <typename Op>
auto launch_on_device(const typename Op::operation_attributes_t& attributes, const typename Op::tensor_args_t& inputs) {
    return device_operation::launch<Op>(attributes, inputs);
}
}  // namespace detail

}  // namespace ttnn::device_operation
