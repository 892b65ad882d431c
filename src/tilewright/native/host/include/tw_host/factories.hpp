// SPDX-License-Identifier: Apache-2.0
// What is known of an operation from its types: its factories' forms, the chosen factory, the key of its program.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <unordered_map>
#include <variant>
#include <vector>

#include "tw_host/reflect.hpp"
#include "tw_host/ttnn_types.hpp"

namespace ttnn::device_operation::detail {

std::string type_name(const std::type_info& type);

template <typename F, typename Attributes, typename Inputs, typename Outputs>
concept creates_program = requires(const Attributes& attributes, const Inputs& inputs, Outputs& outputs) {
    F::create(attributes, inputs, outputs);
};
template <typename F>
concept has_descriptor = requires { &F::create_descriptor; };
template <typename F>
concept has_artifacts = requires { &F::create_program_artifacts; };
template <typename F>
concept has_mesh_workload = requires { &F::create_mesh_workload; };
template <typename F>
concept has_create_at = requires { &F::create_at; };
template <typename F>
concept has_workload_descriptor = requires { &F::create_workload_descriptor; };

// An operation without a factory of its own is its factory.
template <typename Op>
auto chosen_factory(const auto& attributes, const auto& inputs) {
    if constexpr (requires { Op::select_program_factory(attributes, inputs); }) {
        return Op::select_program_factory(attributes, inputs);
    } else if constexpr (requires { typename Op::program_factory_t; }) {
        using First = std::variant_alternative_t<0, typename Op::program_factory_t>;
        return typename Op::program_factory_t(First{});
    } else {
        return std::variant<Op>(Op{});
    }
}

template <typename Factory>
auto make_descriptor(const auto& attributes, const auto& inputs, auto& outputs) {
    if constexpr (requires { Factory::create_descriptor(attributes, inputs, outputs); }) {
        return Factory::create_descriptor(attributes, inputs, outputs);
    } else {
        return Factory::create_descriptor(attributes, inputs, outputs, std::nullopt);
    }
}

// A factory of descriptors that changes a cached program itself.
template <typename F>
concept overrides_descriptor = has_descriptor<F> && requires { &F::override_runtime_arguments; };

template <overrides_descriptor Factory>
void override_program(auto& program, const auto& attributes, const auto& inputs, auto& outputs) {
    if constexpr (requires { Factory::override_runtime_arguments(program, attributes, inputs, outputs); }) {
        Factory::override_runtime_arguments(program, attributes, inputs, outputs);
    } else {
        Factory::override_runtime_arguments(program, attributes, inputs, outputs, std::nullopt);
    }
}

// The factory of this number: a call that finds its program goes on with the factory that made it.
template <typename... Factories>
std::variant<Factories...> factory_at(std::size_t index, const std::variant<Factories...>&) {
    static const std::variant<Factories...> all[] = {Factories{}...};
    return all[index];
}

template <typename Cached>
using Cache = std::unordered_map<std::uint64_t, std::unique_ptr<Cached>>;
template <typename Factory, typename Cached>
Cache<Cached>& cache_of() {
    static auto* cache = new Cache<Cached>;  // kept to the end of the process: programs may be used while it ends
    return *cache;
}

template <typename Op>
std::uint64_t program_key(const auto& attributes, const auto& inputs) {
    if constexpr (requires { Op::compute_program_hash(attributes, inputs); }) {
        return static_cast<std::uint64_t>(Op::compute_program_hash(attributes, inputs));
    } else {
        return ttsl::hash::hash_objects_with_default_seed(ttsl::hash::type_hash<Op>, attributes, inputs);
    }
}

// The factory that made the program of a key, where there is one.
std::optional<std::size_t> kept_factory(const std::string& operation, std::uint64_t key);
void keep_factory(const std::string& operation, std::uint64_t key, std::size_t factory);
void forget_factory(const std::string& operation, std::uint64_t key);

template <typename Inputs>
void require_device_tensors(const Inputs& inputs) {
    tw::host::for_each_of_type<Tensor>(inputs, [](const Tensor& tensor) {
        TT_FATAL(is_device_tensor(tensor), "Device Operations expect device tensors as inputs");
        TT_FATAL(tensor.is_allocated(), "Input Tensor is not allocated");
    });
}

// Makes the output tensors of a call and validates it, in tt-metal's order, and gives the factory and the program's key
// to `run`. With a known key the factory is the one that made the program, whatever select_program_factory says now.
template <typename Op, typename Run>
typename Op::tensor_return_value_t validated(
    const typename Op::operation_attributes_t& attributes,
    const typename Op::tensor_args_t& inputs,
    std::uint64_t device,
    const Run& run) {
    const std::string operation = type_name(typeid(Op));
    require_device_tensors(inputs);
    auto outputs = Op::create_output_tensors(attributes, inputs);
    if constexpr (requires { Op::skip_launch(attributes, inputs, outputs); }) {
        if (Op::skip_launch(attributes, inputs, outputs)) {
            return outputs;
        }
    }
    const std::uint64_t key = tw::host::mixed(program_key<Op>(attributes, inputs), device);
    const std::optional<std::size_t> kept = kept_factory(operation, key);
    if (kept) {
        if constexpr (requires { Op::validate_on_program_cache_hit(attributes, inputs); }) {
            Op::validate_on_program_cache_hit(attributes, inputs);
        } else {
            Op::validate_on_program_cache_miss(attributes, inputs);
        }
        const auto selected = chosen_factory<Op>(attributes, inputs);
        run(operation, key, factory_at(*kept, selected), selected, outputs);
        return outputs;
    }
    Op::validate_on_program_cache_miss(attributes, inputs);
    const auto factory = chosen_factory<Op>(attributes, inputs);
    keep_factory(operation, key, factory.index());
    try {
        run(operation, key, factory, factory, outputs);
    } catch (...) {
        forget_factory(operation, key);
        throw;
    }
    return outputs;
}

}  // namespace ttnn::device_operation::detail

namespace tt::tt_metal::operation {
using Hash = std::uint64_t;
template <typename Op, typename... T>
Hash hash_operation(const T&... objects) {
    return ttsl::hash::hash_objects_with_default_seed(ttsl::hash::type_hash<Op>, objects...);
}
inline MemoryConfig DEFAULT_OUTPUT_MEMORY_CONFIG;

// How fast an operation could be; profilers ask for it.
template <typename Outputs = ttnn::Tensor>
struct OpPerformanceModelGeneral {
    OpPerformanceModelGeneral() = default;
    template <typename... T>
    OpPerformanceModelGeneral(T&&...) {}
    OpPerformanceModelGeneral(const std::vector<ttnn::Tensor>&, const Outputs&, int) {}
};
using OpPerformanceModel = OpPerformanceModelGeneral<>;
}  // namespace tt::tt_metal::operation
