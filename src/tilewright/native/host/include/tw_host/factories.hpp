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

// Keys of programs each operation has: decides between validation of a miss and of a hit.
bool note_key(const std::string& operation, std::uint64_t key);
void forget_key(const std::string& operation, std::uint64_t key);

// Validates a call, makes its output tensors, and gives them with the chosen factory and the program's key to `run`.
template <typename Op, typename Run>
typename Op::tensor_return_value_t validated(
    const typename Op::operation_attributes_t& attributes,
    const typename Op::tensor_args_t& inputs,
    std::uint64_t device,
    const Run& run) {
    const std::string operation = type_name(typeid(Op));
    auto factory = chosen_factory<Op>(attributes, inputs);
    std::uint64_t key = program_key<Op>(attributes, inputs);
    key = tw::host::mixed(tw::host::mixed(key, factory.index()), device);
    const bool hit = !note_key(operation, key);
    if constexpr (requires { Op::validate_on_program_cache_hit(attributes, inputs); }) {
        if (hit) {
            Op::validate_on_program_cache_hit(attributes, inputs);
        }
    }
    if (!hit) {
        try {
            Op::validate_on_program_cache_miss(attributes, inputs);
        } catch (...) {
            forget_key(operation, key);
            throw;
        }
    }
    auto outputs = Op::create_output_tensors(attributes, inputs);
    if constexpr (requires { Op::skip_launch(attributes, inputs, outputs); }) {
        if (Op::skip_launch(attributes, inputs, outputs)) {
            return outputs;
        }
    }
    run(operation, key, factory, outputs);
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
