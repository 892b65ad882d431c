// SPDX-License-Identifier: Apache-2.0
// A copy of a row-major tensor, all host code in one file; its argument chooses a mistake.
#include <nanobind/nanobind.h>

#include <stdexcept>
#include <tt-metalium/program_descriptors.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>

#include "ttnn-nanobind/bind_function.hpp"
#include "ttnn-nanobind/export_enum.hpp"
#include "ttnn/device_operation.hpp"
#include "ttnn/operations/core/compute_kernel/compute_kernel_config.hpp"
#include "ttnn/tensor/tensor.hpp"
#include "ttnn/tensor/tensor_ops.hpp"

namespace ttnn::operations::data_movement::copy_pages {

using namespace tt::tt_metal;

// Throws in its constructor where the mistake is 2.
struct Plan {
    explicit Plan(uint32_t mistake) {
        if (mistake == 2) {
            throw std::invalid_argument("no plan for this tensor");
        }
    }
    uint32_t pages = 4;
};
enum class Place : uint8_t { DRAM, L1 };

struct CopyPages {
    struct operation_attributes_t {
        uint32_t mistake;
    };
    struct tensor_args_t {
        const Tensor& input;
    };
    using spec_return_value_t = TensorSpec;
    using tensor_return_value_t = Tensor;

    static void validate_on_program_cache_miss(const operation_attributes_t&, const tensor_args_t& args) {
        const CoreCoord grid = args.input.device()->compute_with_storage_grid_size();
        TT_FATAL(
            args.input.layout() == Layout::ROW_MAJOR,
            "Not in ROW_MAJOR layout: {} on a grid of {}",
            args.input.logical_shape(),
            grid);
        const auto config = init_device_compute_kernel_config(args.input.device()->arch(), {}, MathFidelity::HiFi4);
        TT_FATAL(config.math_fidelity == MathFidelity::HiFi4, "The default is not taken");
    }
    static TensorSpec compute_output_specs(const operation_attributes_t& attributes, const tensor_args_t& args) {
        const DataType dtype = attributes.mistake == 1 ? DataType::BFLOAT8_B : args.input.dtype();
        const TensorLayout layout(dtype, PageConfig(Layout::ROW_MAJOR), args.input.memory_config());
        return TensorSpec(args.input.logical_shape(), layout);
    }
    static Tensor create_output_tensors(const operation_attributes_t& attributes, const tensor_args_t& args) {
        return create_device_tensor(compute_output_specs(attributes, args), args.input.device());
    }

    static ProgramDescriptor create_descriptor(
        const operation_attributes_t& attributes, const tensor_args_t& args, Tensor& output) {
        const Plan plan(attributes.mistake);
        const uint32_t page = args.input.buffer()->aligned_page_size();
        const CoreRangeSet core(CoreRange({0, 0}));
        const auto format = datatype_to_dataformat_converter(args.input.dtype());
        KernelDescriptor kernel;
        kernel.kernel_source = "ttnn/cpp/ttnn/operations/data_movement/copy_pages/device/kernels/copy.cpp";
        kernel.core_ranges = core;
        kernel.compile_time_args = {page};
        TensorAccessorArgs(*args.input.buffer()).append_to(kernel.compile_time_args);
        TensorAccessorArgs(*output.buffer()).append_to(kernel.compile_time_args);
        kernel.common_runtime_args = {args.input.buffer()->num_pages()};
        kernel.runtime_args.emplace_back(
            CoreCoord(0, 0),
            KernelDescriptor::CoreRuntimeArgs{args.input.buffer()->address(), output.buffer()->address()});
        kernel.config = ReaderConfigDescriptor{};
        ProgramDescriptor program;
        program.kernels.push_back(std::move(kernel));
        program.cbs.push_back(CBDescriptor{
            .total_size = page, .core_ranges = core, .format_descriptors = {CBFormatDescriptor{0, format, page}}});
        return program;
    }
};

Tensor copy_pages(const Tensor& input, uint32_t mistake) {
    return ttnn::device_operation::launch<CopyPages>({mistake}, {input});
}

void bind_copy_pages(nb::module_& mod) {
    log_info(tt::LogOp, "binding {}", "copy_pages");
    export_enum<Place>(mod, "CopyPlace");
    nb::class_<Plan>(mod, "CopyPlan").def(nb::init<uint32_t>(), nb::arg("mistake")).def_ro("pages", &Plan::pages);
    ttnn::bind_function<"copy_pages">(
        mod, "A copy.", &copy_pages, nb::arg("input").noconvert(), nb::arg("mistake") = 0);
}

}  // namespace ttnn::operations::data_movement::copy_pages
