// SPDX-License-Identifier: Apache-2.0
// x * factor, plus or minus an optional tensor, on the cores of a config: classes and an enum that the folder binds.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>

#include <tt-metalium/program_descriptors.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>
#include <tt-metalium/work_split.hpp>

#include "ttnn-nanobind/bind_function.hpp"
#include "ttnn-nanobind/export_enum.hpp"
#include "ttnn/device_operation.hpp"
#include "ttnn/tensor/tensor.hpp"
#include "ttnn/tensor/tensor_ops.hpp"

namespace ttnn::prim {

using namespace tt::tt_metal;

enum class BlendMode : uint8_t { ADD, SUB, KEEP };

struct DefaultConfig {};
struct Block {
    uint32_t height = 1;
};
struct GridConfig {
    CoreCoord grid;
    Block block;
    std::size_t cores() const { return grid.x * grid.y; }
};
using BlendConfig = std::variant<DefaultConfig, GridConfig>;

struct BlendRows {
    struct operation_attributes_t {
        int32_t factor;
        BlendMode mode;
        CoreCoord grid;
    };
    struct tensor_args_t {
        Tensor input;
        std::optional<Tensor> other;
    };
    using spec_return_value_t = TensorSpec;
    using tensor_return_value_t = Tensor;

    static void validate_on_program_cache_miss(const operation_attributes_t& attributes, const tensor_args_t& args) {
        TT_FATAL(args.input.dtype() == DataType::INT32, "Mode {} of {}", attributes.mode, args.input.dtype());
        TT_FATAL(attributes.mode == BlendMode::KEEP || args.other, "Mode {} needs the other tensor", attributes.mode);
    }
    static TensorSpec compute_output_specs(const operation_attributes_t&, const tensor_args_t& args) {
        return args.input.tensor_spec();
    }
    static Tensor create_output_tensors(const operation_attributes_t& attributes, const tensor_args_t& args) {
        return create_device_tensor(compute_output_specs(attributes, args), args.input.device());
    }

    static ProgramDescriptor create_descriptor(
        const operation_attributes_t& attributes, const tensor_args_t& args, Tensor& output) {
        Buffer* other = args.other ? args.other->buffer() : nullptr;
        const uint32_t page = output.buffer()->aligned_page_size();
        const auto split = split_work_to_cores(attributes.grid, output.buffer()->num_pages(), true);
        const auto& [count, cores, group_1, group_2, pages_1, pages_2] = split;
        KernelDescriptor kernel;
        kernel.kernel_source = "ttnn/cpp/ttnn/operations/experimental/blend_rows/device/kernels/blend.cpp";
        kernel.core_ranges = cores;
        kernel.named_compile_time_args = {
            {"page", page},
            {"words", args.input.logical_shape()[-1]},
            {"mode", static_cast<uint32_t>(other == nullptr ? BlendMode::KEEP : attributes.mode)}};
        TensorAccessorArgs(*args.input.buffer()).append_to(kernel.compile_time_args);
        TensorAccessorArgs(other).append_to(kernel.compile_time_args);
        TensorAccessorArgs(*output.buffer()).append_to(kernel.compile_time_args);
        kernel.config = DataMovementConfigDescriptor{};
        uint32_t first = 0;
        for (const CoreCoord& core : corerange_to_cores(cores, std::nullopt, true)) {
            const uint32_t pages = group_1.contains(core) ? pages_1 : pages_2;
            const auto factor = static_cast<uint32_t>(attributes.factor);
            kernel.emplace_runtime_args(core, {args.input.buffer(), other, output.buffer(), first, pages, factor});
            first += pages;
        }
        ProgramDescriptor program;
        program.kernels.push_back(std::move(kernel));
        for (const uint8_t index : {0, 1}) {
            program.cbs.push_back(CBDescriptor{
                .total_size = page,
                .core_ranges = cores,
                .format_descriptors = {CBFormatDescriptor{index, tt::DataFormat::Int32, page}}});
        }
        return program;
    }
};

Tensor blend_rows(
    const Tensor& input,
    const std::optional<Tensor>& other,
    int32_t factor,
    BlendMode mode,
    const std::optional<BlendConfig>& program_config) {
    CoreCoord grid = input.device()->compute_with_storage_grid_size();
    if (program_config && std::holds_alternative<GridConfig>(*program_config)) {
        grid = std::get<GridConfig>(*program_config).grid;
    }
    return ttnn::device_operation::launch<BlendRows>({factor, mode, grid}, {input, other});
}

}  // namespace ttnn::prim

namespace ttnn::operations::experimental::blend_rows {

using namespace ttnn::prim;

struct NotBound {};

void bind_blend_rows(nb::module_& mod) {
    export_enum<BlendMode>(mod, "BlendMode");
    nb::class_<DefaultConfig>(mod, "BlendDefaultConfig").def(nb::init<>());
    nb::class_<Block>(mod, "BlendBlock").def(nb::init<uint32_t>(), nb::arg("height")).def_rw("height", &Block::height);
    nb::class_<GridConfig>(mod, "BlendGridConfig", "A grid of cores.")
        .def(
            "__init__",
            [](GridConfig* config, CoreCoord grid, const std::optional<Block>& block) {
                TT_FATAL(grid.x > 0 && grid.y > 0, "No cores in {}", grid);
                new (config) GridConfig{grid, block.value_or(Block{})};
            },
            nb::kw_only(),
            nb::arg("grid"),
            nb::arg("block") = nb::none())
        .def_ro("grid", &GridConfig::grid)
        .def_rw("block", &GridConfig::block)
        .def("cores", &GridConfig::cores)
        .def("enlarge", [](GridConfig& config, std::size_t by) { config.grid.x += by; }, nb::arg("by") = 1)
        .def_static("of_one_core", [] { return GridConfig{{1, 1}, {}}; })
        .def_prop_ro("none", [](const GridConfig&) { return NotBound{}; })
        .def("__repr__", [](const GridConfig& config) { return fmt::format("BlendGridConfig({})", config.grid); });
    ttnn::bind_function<"blend_rows", "ttnn.experimental.">(
        mod,
        "Blends.",
        &ttnn::prim::blend_rows,
        nb::arg("input").noconvert(),
        nb::arg("other") = nb::none(),
        nb::kw_only(),
        nb::arg("factor") = 1,
        nb::arg("mode") = nb::cast(BlendMode::KEEP),
        nb::arg("program_config") = nb::none());
}

}  // namespace ttnn::operations::experimental::blend_rows
