# SPDX-License-Identifier: Apache-2.0
"""The key of the program cache: every member of an operation's structs is in it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tilewright._build.compiler import find_compiler
from tilewright._cpp_ops.headers import INCLUDE, headers_directory
from tilewright._cpp_ops.host_build import host_library

PROGRAM = r"""
#include "tw_host/ttnn_types.hpp"
#include "tw_host/compute_kernel_config.hpp"
#include "tw_host/binding.hpp"
#include "tw_host/device_operation.hpp"
using namespace tt::tt_metal;
extern "C" void tw_bind_all(nanobind::module_&) {}

struct References { const Tensor& a; const Tensor& b; const std::optional<Tensor>& c; };
struct Mixed {
    const float p; std::optional<uint32_t> n; std::vector<int> list; std::array<uint32_t, 4> sides;
    std::variant<int, float> either; std::string text; MemoryConfig config; ttnn::ComputeKernelConfig compute;
    std::vector<std::optional<Tensor>> tensors; bool flag;
};

struct Inner { int a; std::optional<float> b; };
struct Nested { Inner inner; std::vector<Inner> more; const Tensor& tensor; };
// Two operations with the same structs; the first says itself what its programs depend on.
struct WithHash {
    struct operation_attributes_t { int used; int unused; };
    struct tensor_args_t { const Tensor& x; };
    static std::uint64_t compute_program_hash(const operation_attributes_t& attributes, const tensor_args_t& tensors) {
        return operation::hash_operation<WithHash>(attributes.used, tensors.x);
    }
};
struct WithoutHash {
    using operation_attributes_t = WithHash::operation_attributes_t;
    using tensor_args_t = WithHash::tensor_args_t;
};
template <typename Op> auto program_key(int used, int unused, const Tensor& x) {
    return ttnn::device_operation::detail::program_key<Op>(
        typename Op::operation_attributes_t{used, unused}, typename Op::tensor_args_t{x});
}

Tensor tensor(std::initializer_list<uint32_t> shape, DataType dtype = DataType::BFLOAT16) {
    return Tensor(std::make_shared<TensorState>(tw::host::Handle(), TensorSpec(Shape(shape),
        TensorLayout(dtype, PageConfig(Layout::TILE), MemoryConfig())), nullptr, true, 0));
}
template <typename T> auto key(const T& object) { return ttsl::hash::hash_objects_with_default_seed(object); }
Mixed mixed() { return {1.5f, 3, {1, 2}, {1, 2, 3, 4}, 5, "t", MemoryConfig(), {}, {tensor({32, 32})}, true}; }

int failures = 0;
void differ(const char* what, std::uint64_t a, std::uint64_t b) {
    if (a == b) { ++failures; std::puts(what); }
}

int main() {
    const Tensor x = tensor({32, 64}), y = tensor({32, 96}), f = tensor({32, 64}, DataType::FLOAT32);
    const std::optional<Tensor> some = x, other = y, none;
    const auto base = key(References{x, x, some});
    differ("first reference", base, key(References{y, x, some}));
    differ("second reference", base, key(References{x, y, some}));
    differ("dtype", base, key(References{x, f, some}));
    differ("optional tensor", base, key(References{x, x, other}));
    differ("missing tensor", base, key(References{x, x, none}));
    if (base != key(References{x, x, some})) { ++failures; std::puts("the same call has another key"); }
    static_assert(tw::host::member_count<References>() == 3 && tw::host::member_count<Mixed>() == 10);
    const auto all = key(mixed());
    auto n = mixed(); n.n = 4; differ("optional number", all, key(n));
    auto l = mixed(); l.list = {1, 3}; differ("vector", all, key(l));
    auto s = mixed(); s.sides[3] = 5; differ("array", all, key(s));
    auto e = mixed(); e.either = 5.0f; differ("variant", all, key(e));
    auto t = mixed(); t.text = "u"; differ("text", all, key(t));
    auto c = mixed(); c.config = MemoryConfig(BufferType::L1); differ("memory config", all, key(c));
    auto k = mixed(); k.compute.fp32_dest_acc_en = true; differ("compute config", all, key(k));
    auto v = mixed(); v.tensors = {tensor({32, 64})}; differ("tensor in a vector", all, key(v));
    auto b = mixed(); b.flag = false; differ("flag", all, key(b));
    const auto nested = key(Nested{{1, 2.0f}, {{3, {}}}, x});
    differ("member of a member", nested, key(Nested{{1, 2.5f}, {{3, {}}}, x}));
    differ("member in a vector", nested, key(Nested{{1, 2.0f}, {{3, 0.0f}}, x}));
    differ("tensor behind structs", nested, key(Nested{{1, 2.0f}, {{3, {}}}, y}));
    const MemoryConfig rows(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1,
        ShardSpec(CoreRange({0, 0}, {0, 1}), {32, 64}, ShardOrientation::ROW_MAJOR));
    auto sharded = mixed(); sharded.config = rows;
    auto columns = mixed(); columns.config = rows.with_shard_spec(
        ShardSpec(CoreRange({0, 0}, {0, 1}), {32, 64}, ShardOrientation::COL_MAJOR));
    differ("orientation of shards", key(sharded), key(columns));
    differ("own hash: a number", program_key<WithHash>(1, 2, x), program_key<WithHash>(3, 2, x));
    differ("own hash: a shape", program_key<WithHash>(1, 2, x), program_key<WithHash>(1, 2, y));
    if (program_key<WithHash>(1, 2, x) != program_key<WithHash>(1, 9, x)) { ++failures; std::puts("own hash"); }
    differ("no hash: a number", program_key<WithoutHash>(1, 2, x), program_key<WithoutHash>(1, 9, x));
    differ("two operations", program_key<WithoutHash>(1, 2, x), program_key<WithHash>(1, 2, x));
    int count = 0;
    const References references{x, y, some};
    const Mixed several = mixed();
    tw::host::for_each_of_type<Tensor>(references, [&](const Tensor&) { ++count; });
    tw::host::for_each_of_type<Tensor>(several, [&](const Tensor&) { ++count; });
    if (count != 4) { ++failures; std::puts("tensors of a call"); }
    return failures;
}
"""


def test_every_member_is_in_the_key(tmp_path: Path) -> None:
    source, program = tmp_path / "members.cpp", tmp_path / "members"
    source.write_text(PROGRAM)
    include = [f"-I{place}" for place in (headers_directory(), INCLUDE)]
    result = find_compiler().run(["-std=c++20", *include, str(source), str(host_library().object), "-o", str(program)])
    assert result.returncode == 0, result.stderr
    ran = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, "")
