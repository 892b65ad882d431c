// SPDX-License-Identifier: Apache-2.0
// Device operations whose programs run in ttnn's own workloads and command queues.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tw_host/descriptors.hpp"
#include "tw_host/factories.hpp"
#include "tw_host/mesh_workload.hpp"
#include "tw_host/ttnn_types.hpp"

namespace ttnn::device_operation {

using tt::tt_metal::program_cache::detail::CachedProgram;

namespace detail {

template <typename Variables>
struct CachedWorkload {
    tt::tt_metal::distributed::MeshWorkload workload;
    Variables variables;
    tt::tt_metal::Program& program() { return workload.get_programs().begin()->second; }
};

template <typename... T>
MeshDevice* device_of(const T&... objects) {
    MeshDevice* device = nullptr;
    const auto look = [&](const Tensor& tensor) {
        if (device == nullptr && is_device_tensor(tensor)) {
            device = tensor.device();
        }
    };
    (tw::host::for_each_of_type<Tensor>(objects, look), ...);
    return device;
}

template <typename Op>
struct Call {
    const typename Op::operation_attributes_t& attributes;
    const typename Op::tensor_args_t& inputs;
    typename Op::tensor_return_value_t& outputs;
    std::uint64_t key;
    MeshDevice* device;

    template <typename Cached>
    void enqueue(Cached& cached) const {
        tt::tt_metal::distributed::EnqueueMeshWorkload(device->mesh_command_queue(), cached.workload, false);
    }
    template <typename Factory, typename Variables>
    CachedWorkload<Variables>& keep(tt::tt_metal::Program&& program, Variables&& variables) const {
        auto made = std::make_unique<CachedWorkload<Variables>>(
            CachedWorkload<Variables>{tt::tt_metal::distributed::MeshWorkload(), std::move(variables)});
        made->workload.add_program(tt::tt_metal::distributed::MeshCoordinateRange(device->shape()), std::move(program));
        return *cache_of<Factory, CachedWorkload<Variables>>().emplace(key, std::move(made)).first->second;
    }

    template <typename Factory>
    void with_create() const {
        using Variables = std::remove_cvref_t<decltype(Factory::create(attributes, inputs, outputs).shared_variables)>;
        auto& cache = cache_of<Factory, CachedWorkload<Variables>>();
        const auto found = cache.find(key);
        if (found == cache.end()) {
            auto made = Factory::create(attributes, inputs, outputs);
            enqueue(keep<Factory>(std::move(made.program), Variables(std::move(made.shared_variables))));
        } else {
            CachedProgram<Variables> cached(found->second->program(), found->second->variables);
            Factory::override_runtime_arguments(cached, attributes, inputs, outputs);
            enqueue(*found->second);
        }
    }

    template <typename Factory>
    void with_descriptor() const {
        auto& cache = cache_of<Factory, CachedWorkload<std::monostate>>();
        const auto found = cache.find(key);
        if (found == cache.end()) {
            const tt::tt_metal::ProgramDescriptor descriptor = make_descriptor<Factory>(attributes, inputs, outputs);
            enqueue(keep<Factory>(tt::tt_metal::program_of(descriptor), std::monostate()));
            return;
        }
        if constexpr (overrides_descriptor<Factory>) {
            override_program<Factory>(found->second->program(), attributes, inputs, outputs);
        } else {
            tt::tt_metal::apply_descriptor_runtime_args(
                found->second->program(), make_descriptor<Factory>(attributes, inputs, outputs));
        }
        enqueue(*found->second);
    }

    template <typename Factory>
    void with_factory() const {
        if constexpr (
            creates_program<
                Factory,
                typename Op::operation_attributes_t,
                typename Op::tensor_args_t,
                typename Op::tensor_return_value_t>) {
            with_create<Factory>();
        } else {
            static_assert(
                has_descriptor<Factory>,
                "linked against ttnn, a factory has create with override_runtime_arguments, or create_descriptor; "
                "build the folder without --link");
            with_descriptor<Factory>();
        }
    }
};

}  // namespace detail

template <typename Op>
typename Op::tensor_return_value_t launch(
    const typename Op::operation_attributes_t& attributes, const typename Op::tensor_args_t& inputs) {
    const MeshDevice* place = detail::device_of(inputs);
    const auto run =
        [&](const std::string& operation, std::uint64_t key, const auto& factory, const auto&, auto& outputs) {
            MeshDevice* device = detail::device_of(inputs, outputs);
            TT_FATAL(device != nullptr, "{}: no tensor of the call is on a device", operation);
            const detail::Call<Op> call{attributes, inputs, outputs, key, device};
            std::visit([&](auto chosen) { call.template with_factory<decltype(chosen)>(); }, factory);
        };
    return detail::validated<Op>(attributes, inputs, place == nullptr ? 0 : place->id() + 1, run);
}

}  // namespace ttnn::device_operation
