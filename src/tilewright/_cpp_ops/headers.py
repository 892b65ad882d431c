# SPDX-License-Identifier: Apache-2.0
"""The host headers by tt-metal's paths.

What they declare lies in a few headers by subject (``native/host/include/tw_host``). The paths that host code includes
are written into the cache, each a header that includes its subjects.
"""

from __future__ import annotations

import functools
from pathlib import Path

from tilewright._build.cache import cache_directory, digest, locked, note_use, read_entry, write_atomically
from tilewright._build.native_build import NATIVE
from tilewright._wire.data_formats import data_formats_header

HOST = NATIVE / "host"
INCLUDE = HOST / "include"

_WITHOUT_SUFFIX = {"reflect"}
# Subject, or several: the paths of tt-metal that it stands for, without their suffix .hpp where they have it.
_PATHS = {
    "tw_host/stl.hpp": """
        tt_stl/span tt_stl/small_vector tt_stl/strong_type tt_stl/overloaded tt_stl/optional_reference
        tt_stl/indestructible tt_stl/concepts
    """,
    "tw_host/asserts.hpp": """
        tt_stl/assert tt-metalium/assert tt-logger/tt-logger tracy/Tracy tt_stl/fmt tt_stl/unreachable
    """,
    "tw_host/format.hpp": "fmt/format.h fmt/core.h fmt/base.h fmt/ranges.h fmt/std.h",
    "tw_host/enum_names.hpp": "enchantum/enchantum enchantum/scoped magic_enum/magic_enum",
    "tw_host/reflect.hpp tw_host/json.hpp": "tt_stl/reflection",
    "tw_host/reflect.hpp": "tt_stl/hash tt_stl/type_name reflect",
    "tw_host/json.hpp": "nlohmann/json",
    "tw_host/cores.hpp": """
        tt-metalium/core_coord tt-metalium/work_split umd/device/types/xy_pair umd/device/types/core_coordinates
        tt-metalium/experimental/metal2_host_api/node_coord
    """,
    "tw_host/types.hpp": """
        tt-metalium/constants tt-metalium/base_types tt-metalium/buffer_types tt-metalium/data_types
        tt-metalium/tt_backend_api_types tt-metalium/math tt-metalium/tt_align tt-metalium/hal_types
        tt-metalium/circular_buffer_constants.h hostdevcommon/kernel_structs.h hostdevcommon/common_values
        umd/device/types/arch umd/device/types/cluster_descriptor_types tt-metalium/face_geometry
        ttnn/tensor/layout/layout tt-metalium/tensor/tensor_types ttnn/operations/math
    """,
    "tw_host/tile_descriptor.hpp": "tt-metalium/tile",
    "tw_host/buffer_distribution.hpp": "tt-metalium/buffer_distribution_spec",
    "tw_host/shape.hpp": "tt-metalium/shape tt-metalium/shape2d tt-metalium/shape_base ttnn/tensor/shape/shape",
    "tw_host/tensor_spec.hpp": """
        ttnn/tensor/tensor_spec ttnn/tensor/memory_config/memory_config ttnn/tensor/layout/page_config
        ttnn/tensor/layout/tensor_layout ttnn/tensor/layout/alignment tt-metalium/tensor/spec/tensor_spec
        tt-metalium/tensor/spec/memory_config/memory_config tt-metalium/tensor/spec/layout/tensor_layout
        tt-metalium/tensor/spec/layout/page_config tt-metalium/tensor/spec/layout/layout
        tt-metalium/experimental/range_lockstep_allocation/memory_config
        tt-metalium/experimental/per_core_allocation/memory_config
    """,
    "tw_host/device.hpp": """
        tt-metalium/device tt-metalium/device_types tt-metalium/mesh_device
        tt-metalium/hal tt-metalium/allocator tt-metalium/sub_device
        tt-metalium/sub_device_types ttnn/device tt-metalium/mesh_device_view
    """,
    "tw_host/tensor.hpp": """
        tt-metalium/buffer tt-metalium/tensor_accessor_args tt-metalium/buffer_page_mapping
        tt-metalium/mesh_buffer ttnn/tensor/storage tt-metalium/tensor/mesh_tensor ttnn/tensor/tensor_impl
        hostdevcommon/tensor_accessor/arg_config ttnn/tensor/host_buffer/functions
        tt-metalium/experimental/distributed_tensor/distributed_tensor_apis
    """,
    "tw_host/ttnn_types.hpp": """
        ttnn/types ttnn/tensor/types ttnn/tensor/tensor ttnn/tensor/tensor_ops ttnn/tensor/tensor_utils ttnn/core
        ttnn/common/constants ttnn/common/queue_id ttnn/distributed/types ttnn/distributed/api
        ttnn/distributed/tensor_topology tt-metalium/tilize_utils
    """,
    "tw_host/global_objects.hpp": """
        ttnn/global_semaphore tt-metalium/global_semaphore tt-metalium/global_circular_buffer
        tt-metalium/experimental/global_circular_buffer ttnn/global_circular_buffer
    """,
    "tw_host/host_api.hpp": """
        tt-metalium/host_api tt-metalium/tt_metal tt-metalium/program tt-metalium/kernel_types
        tt-metalium/circular_buffer tt-metalium/circular_buffer_config tt-metalium/runtime_args_data tt-metalium/util
        tt-metalium/circular_buffer_types
    """,
    "tw_host/descriptors.hpp": """
        tt-metalium/program_descriptors tt-metalium/experimental/program_descriptor_patching
        tt-metalium/workload_descriptor
    """,
    "tw_host/mesh_workload.hpp": """
        tt-metalium/distributed tt-metalium/mesh_workload tt-metalium/mesh_coord tt-metalium/program_cache
    """,
    "tw_host/metal2.hpp": """
        tt-metalium/experimental/metal2_host_api/program_spec tt-metalium/experimental/metal2_host_api/program_run_args
        tt-metalium/experimental/metal2_host_api/kernel_spec tt-metalium/experimental/metal2_host_api/semaphore_spec
        tt-metalium/experimental/metal2_host_api/tensor_parameter
        tt-metalium/experimental/metal2_host_api/scratchpad_spec
        tt-metalium/experimental/metal2_host_api/dataflow_buffer_spec
        tt-metalium/experimental/metal2_host_api/compute_hardware_config
        tt-metalium/experimental/metal2_host_api/data_movement_hardware_config
        tt-metalium/experimental/metal2_host_api/advanced_options tt-metalium/experimental/metal2_host_api/program
        tt-metalium/experimental/metal2_host_api/utility/group tt-metalium/experimental/metal2_host_api/utility/table
        ttnn/operations/core/data_movement_kernel/datamovement_kernel_config
    """,
    "tw_host/compute_kernel_config.hpp tw_host/host_api.hpp": """
        ttnn/operations/core/compute_kernel/compute_kernel_config ttnn/operations/compute_throttle_utils
    """,
    "tw_host/device_operation.hpp": """
        ttnn/device_operation ttnn/operation ttnn/metal_v2_artifacts ttnn/operation_concepts ttnn/run_operation
        ttnn/mesh_device_operation_utils ttnn/device_operation_detail
    """,
    "tw_host/work_split_tilize.hpp": "ttnn/operations/core/work_split/work_split_tilize",
    "tw_host/core_operations.hpp": """
        ttnn/operations/core/core ttnn/operations/core/to_memory_config/to_memory_config_op
        ttnn/operations/core/to_layout/to_layout_op ttnn/operations/core/to_dtype/to_dtype_op
        ttnn/operations/core/program_cache_l1
    """,
    "tw_host/called_operations.hpp": """
        ttnn/operations/copy/typecast/typecast ttnn/operations/creation/creation ttnn/operations/functions
        ttnn/operations/full/device/full_device_operation ttnn/operations/experimental/reshape/view
        ttnn/operations/reduction/reduction_common/reduction_common ttnn/operations/pool/upsample/upsample
        ttnn/operations/eltwise/binary/binary ttnn/operations/eltwise/binary/binary_composite
        cpp/ttnn/operations/reduction/accumulation/cumsum/cumsum
    """,
    "tw_host/reduce_op.hpp": """
        ttnn/operations/reduction/generic/device/reduce_op ttnn/operations/reduction/generic/device/common
    """,
    "tw_host/bfloat16.hpp": "tt-metalium/bfloat16",
    "tw_host/float8.hpp": "tt-metalium/float8",
    "tw_host/cb_utils.hpp": "ttnn/operations/cb_utils",
    "tw_host/binding.hpp": """
        nanobind/nanobind.h nanobind/stl/optional.h nanobind/stl/vector.h nanobind/stl/string.h nanobind/stl/variant.h
        nanobind/stl/array.h nanobind/stl/tuple.h nanobind/stl/pair.h nanobind/stl/map.h nanobind/stl/set.h
        nanobind/stl/unordered_map.h nanobind/stl/function.h nanobind/stl/string_view.h nanobind/stl/unique_ptr.h
        nanobind/stl/shared_ptr.h nanobind/operators.h nanobind/make_iterator.h
        pybind11/pybind11.h pybind11/stl.h pybind11/cast.h pybind11/operators.h
        ttnn-nanobind/bind_function ttnn-nanobind/decorators ttnn-nanobind/nanobind_fwd ttnn-nanobind/nanobind_helpers
        ttnn-nanobind/small_vector_caster ttnn-nanobind/export_enum ttnn-pybind/decorators ttnn-pybind/pybind_fwd
        cpp/ttnn-pybind/decorators cpp/pybind11/decorators pybind11/fwd pybind11/pybind_fwd
        ttnn-nanobind/json_class
    """,
    "tw_host/binding.hpp tw_host/device_operation.hpp": """
        ttnn/decorators
    """,
}


@functools.cache
def host_headers() -> dict[str, str]:
    """Every path host code may include, and the subjects that have its declarations.

    >>> host_headers()["tt-metalium/host_api.hpp"]
    'tw_host/host_api.hpp'
    """
    return {
        path if path.endswith(".h") or path in _WITHOUT_SUFFIX else f"{path}.hpp": subject
        for subject, paths in _PATHS.items()
        for path in paths.split()
    }


@functools.cache
def _texts() -> dict[str, bytes]:
    """The text of each header by its path."""
    leading = {
        path: "#pragma once\n" + "".join(f'#include "{each}"\n' for each in subjects.split())
        for path, subjects in host_headers().items()
    }
    return {path: text.encode() for path, text in {**leading, "wire/data_formats.h": data_formats_header()}.items()}


@functools.cache
def _name() -> str:
    return digest(*(part for each in _texts().items() for part in each))


def headers_directory() -> Path:
    """The directory with these headers; they are there when it returns."""
    directory = cache_directory() / "headers" / f"host-{_name()}"
    if directory in _written:
        return directory
    with locked(f"headers-{directory.name}"):
        for path, text in _texts().items():
            if read_entry(directory / path) != text:
                write_atomically(directory / path, text)
        note_use(directory)
    _written.add(directory)
    return directory


_written: set[Path] = set()  # directories this process has looked through
