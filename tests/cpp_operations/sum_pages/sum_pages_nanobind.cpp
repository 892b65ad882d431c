// SPDX-License-Identifier: Apache-2.0
// The weighted sum of several tensors and an optional one: descriptors whose arguments are buffers, two factories, a
// hash of its own, and a scalar that is not in it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <tt-metalium/experimental/program_descriptor_patching.hpp>
#include <tt-metalium/program_descriptors.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>
#include <tt-metalium/work_split.hpp>

#include "ttnn-nanobind/bind_function.hpp"
#include "ttnn/device_operation.hpp"
#include "ttnn/tensor/tensor.hpp"
#include "ttnn/tensor/tensor_ops.hpp"

namespace ttnn::operations::reduction::sum_pages {

using namespace tt::tt_metal;

struct SumPages {
    struct operation_attributes_t {
        uint32_t scale;
        std::optional<uint32_t> limit;
    };
    struct tensor_args_t {
        const std::vector<Tensor>& inputs;
        const std::optional<Tensor>& bias;
    };
    using spec_return_value_t = TensorSpec;
    using tensor_return_value_t = Tensor;

    struct SingleCore {
        static ProgramDescriptor create_descriptor(
            const operation_attributes_t& attributes, const tensor_args_t& args, Tensor& output) {
            return described(attributes, args, output, CoreRangeSet(CoreRange({0, 0})));
        }
    };
    struct MultiCore {
        static ProgramDescriptor create_descriptor(
            const operation_attributes_t& attributes, const tensor_args_t& args, Tensor& output) {
            return described(attributes, args, output, CoreRangeSet(CoreRange({0, 0}, {3, 0})));
        }
    };
    using program_factory_t = std::variant<SingleCore, MultiCore>;
    static program_factory_t select_program_factory(const operation_attributes_t&, const tensor_args_t& args) {
        if (args.inputs.front().buffer()->num_pages() < 8) {
            return SingleCore{};
        }
        return MultiCore{};
    }

    static void validate_on_program_cache_miss(const operation_attributes_t& attributes, const tensor_args_t& args) {
        for (const Tensor& each : args.inputs) {
            TT_FATAL(each.dtype() == DataType::UINT32, "Inputs must be UINT32, got {}", each.dtype());
        }
        TT_FATAL(attributes.scale < attributes.limit.value_or(100), "Scale {} is too large", attributes.scale);
    }
    static TensorSpec compute_output_specs(const operation_attributes_t&, const tensor_args_t& args) {
        return args.inputs.front().tensor_spec();
    }
    static Tensor create_output_tensors(const operation_attributes_t& attributes, const tensor_args_t& args) {
        return create_device_tensor(compute_output_specs(attributes, args), args.inputs.front().device());
    }
    static std::uint64_t compute_program_hash(const operation_attributes_t&, const tensor_args_t& args) {
        return operation::hash_operation<SumPages>(args);
    }
    static std::vector<DynamicRuntimeArg> get_dynamic_runtime_args(
        const operation_attributes_t& attributes,
        const tensor_args_t&,
        Tensor&,
        const std::optional<ttnn::MeshCoordinate>&) {
        return {{.kernel_idx = 0, .arg_idx = 0, .value = attributes.scale, .is_common = true}};
    }

    static ProgramDescriptor described(
        const operation_attributes_t& attributes, const tensor_args_t& args, Tensor& output, const CoreRangeSet& cores) {
        const uint32_t page = output.buffer()->aligned_page_size();
        const uint32_t pages = output.buffer()->num_pages();
        KernelDescriptor kernel;
        kernel.kernel_source = "ttnn/cpp/ttnn/operations/reduction/sum_pages/device/kernels/sum.cpp";
        kernel.core_ranges = cores;
        kernel.compile_time_args = {page, static_cast<uint32_t>(args.inputs.size()), args.bias.has_value()};
        TensorAccessorArgs(*output.buffer()).append_to(kernel.compile_time_args);
        kernel.emplace_common_runtime_args({attributes.scale});
        const uint32_t share = tt::div_up(pages, cores.num_cores());
        uint32_t first = 0;
        for (const CoreCoord& core : corerange_to_cores(cores)) {
            KernelDescriptor::RTArgList list;
            list.push_back(std::min(first, pages));
            list.push_back(std::min(first + share, pages));
            list.push_back(output.buffer());
            list.push_back(args.bias ? args.bias->buffer() : nullptr);
            for (const Tensor& each : args.inputs) {
                list.push_back(each.buffer());
            }
            kernel.emplace_runtime_args(core, list);
            first += share;
        }
        kernel.config = ReaderConfigDescriptor{};
        ProgramDescriptor program;
        program.kernels.push_back(std::move(kernel));
        for (const uint8_t index : {0, 1}) {
            program.cbs.push_back(CBDescriptor{
                .total_size = page,
                .core_ranges = cores,
                .format_descriptors = {CBFormatDescriptor{index, tt::DataFormat::UInt32, page}}});
        }
        return program;
    }
};

Tensor sum_pages(
    const std::vector<Tensor>& inputs,
    uint32_t scale,
    const std::optional<Tensor>& bias,
    std::optional<uint32_t> limit) {
    TT_FATAL(!inputs.empty(), "There must be an input");
    return ttnn::device_operation::launch<SumPages>({scale, limit}, {inputs, bias});
}

void bind_sum_pages(nb::module_& mod) {
    ttnn::bind_function<"sum_pages">(
        mod,
        "Sums tensors.",
        &sum_pages,
        nb::arg("inputs"),
        nb::arg("scale"),
        nb::kw_only(),
        nb::arg("bias") = nb::none(),
        nb::arg("limit") = nb::none());
}

}  // namespace ttnn::operations::reduction::sum_pages
