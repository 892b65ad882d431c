# SPDX-License-Identifier: Apache-2.0
"""Whether the published ttnn's own kernel headers accept a kernel: g++ reads both and generates no code.

A kernel is put into a file as tt-metal does it for a card, with what its build generates (compile-time arguments,
formats of circular buffers) and with its warnings, which are errors there. Compute kernels are read without the bodies
of the three threads, which need the card's compiler: names, arguments and template arguments are checked, what the
hardware's instructions make of them is not.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tilewright._build.compiler import Compiler
from tilewright._program.kernel import KernelDescriptor
from tilewright._program.kernel_config import ComputeConfigDescriptor

# Directories of headers that every kernel sees, and those of each architecture.
_DIRECTORIES = ("", "ttnn", "ttnn/cpp", "tt_metal", "tt_metal/hw/inc", "tt_metal/hostdevcommon/api", "tt_metal/api")
_MORE_DIRECTORIES = ("tt_metal/hw/inc/internal/tt-1xx", "tt_metal/tt-llk/common", "tt_metal/tt-llk/tools/include")
_CHIPS = {"wormhole_b0": "wormhole", "blackhole": "blackhole"}

# What tt-metal defines for every kernel; the numbers matter to no check.
_DEFINES = """
KERNEL_BUILD TENSIX_FIRMWARE NOC_INDEX=0 NOC_MODE=0 NUM_DRAM_BANKS=12 NUM_L1_BANKS=64 IS_NOT_POW2_NUM_DRAM_BANKS
LOG_BASE_2_OF_NUM_L1_BANKS=6 PCIE_NOC_X=0 PCIE_NOC_Y=3 DISPATCH_MESSAGE_ADDR=0 PROCESSOR_INDEX=0
PROGRAMMABLE_CORE_TYPE=0
"""
# The warnings of tt-metal's kernel build, and one more: names that are deprecated go with a next version.
_WARNINGS = """
-Wall -Werror -Wno-error=multistatement-macros -Wno-error=parentheses -Wno-error=unused-but-set-variable
-Wno-unused-variable -Wno-unused-function
"""
# Against what only a host has to say: attributes of the card's compiler, 64-bit pointers, C++20. -fpermissive makes
# casts to 32-bit addresses in headers warnings, which headers may have; in the kernel they stay errors.
_HOST_FLAGS = """
-std=c++20 -fsyntax-only -fpermissive -Wno-attributes -Wno-int-to-pointer-cast -Wno-volatile -Wno-unknown-pragmas
"""

# Of each circular buffer, in a header tt-metal generates.
_BYTE_TABLES = """
unpack_src_format unpack_dst_format unpack_tile_num_faces unpack_partial_face unpack_tile_face_r_dim unpack_narrow_tile
unpack_tile_r_dim unpack_tile_c_dim unpack_num_faces_r_dim unpack_num_faces_c_dim
pack_src_format pack_dst_format pack_tile_num_faces pack_partial_face pack_tile_face_r_dim pack_narrow_tile
pack_tile_r_dim pack_tile_c_dim pack_num_faces_r_dim pack_num_faces_c_dim
"""
_DATAFLOW_LEAD_IN = """
risc_common.h tensix.h tensix_types.h noc.h noc_overlay_parameters.h stream_io_map.h c_tensix_core.h
noc_nonblocking_api.h internal/firmware_common.h api/dataflow/dataflow_api.h
"""
_COMPUTE_LEAD_IN = "internal/firmware_common.h api/compile_time_args.h ckernel.h ckernel_gpr_map.h llk_defs.h"
_COMPUTE_SETTINGS = """
constexpr bool DST_ACCUM_MODE = true;
constexpr bool APPROX = false;
#define DST_SYNC_MODE DstSync::SyncHalf
constexpr ckernel::MathFidelity MATH_FIDELITY = ckernel::MathFidelity::HiFi4;
using namespace ckernel;
"""
# Of the card's compiler; headers of Blackhole name these.
_REPLAY_LIBRARY = """
#pragma once
namespace lltt {
enum ExecBool : bool { NoExec, Exec };
template <ExecBool exec = NoExec>
void record(unsigned start, unsigned length);
}
"""
# g++ before 13 refuses this in unused templates.
_ALWAYS_REFUSED = re.compile(r"\bstatic_assert\(\s*false\b")


@dataclasses.dataclass(frozen=True)
class WheelHeaders:
    """Checks kernels against the headers of an unpacked ttnn.

    Attributes:
        wheel: directory that contains ``tt_metal/`` and ``ttnn/cpp``.
        work: an empty directory for generated files.
    """

    wheel: Path
    compiler: Compiler
    work: Path

    def check(
        self,
        source: str,
        *,
        is_compute: bool,
        compile_time_args: Sequence[int] = (),
        arch: str = "wormhole_b0",
    ) -> str:
        """The compiler's errors of a kernel's C++; empty if there are none."""
        self._write_generated_headers()
        lead_in = _COMPUTE_LEAD_IN if is_compute else _DATAFLOW_LEAD_IN
        lines = "".join(f'#include "{each}"\n' for each in ("chlkc_descriptors.h", *lead_in.split()))
        settings = _COMPUTE_SETTINGS if is_compute else ""
        unit = self.work / "unit.cpp"
        unit.write_text(f'{lines}{settings}#include "kernel.cpp"\n', encoding="utf-8")
        (self.work / "kernel.cpp").write_text(source, encoding="utf-8")
        values = ",".join(str(each) for each in compile_time_args)
        processor = "COMPILE_FOR_TRISC=1" if is_compute else "COMPILE_FOR_BRISC"
        defines = [*_DEFINES.split(), f"ARCH_{_CHIPS[arch].upper()}", processor, f"KERNEL_COMPILE_TIME_ARGS={values}"]
        arguments = [*_HOST_FLAGS.split(), *_WARNINGS.split(), *(f"-D{each}" for each in defines), f"-I{self.work}"]
        for directory in self._directories(arch):
            arguments += ["-isystem", str(directory)]
        result = self.compiler.run([*arguments, str(unit)])
        return "" if result.returncode == 0 else result.stderr

    def check_descriptor(self, descriptor: KernelDescriptor, arch: str = "wormhole_b0") -> str:
        """The same for a kernel given as source code, with the compile-time arguments it is run with."""
        return self.check(
            descriptor.kernel_source,
            is_compute=isinstance(descriptor.config, ComputeConfigDescriptor),
            compile_time_args=descriptor.compile_time_args,
            arch=arch,
        )

    def _directories(self, arch: str) -> Iterator[Path]:
        chip = _CHIPS[arch]
        yield self.work / "headers"
        for each in (*_DIRECTORIES, *_MORE_DIRECTORIES):
            yield self.wheel / each
        own = self.wheel / "tt_metal" / "hw" / "inc" / "internal" / "tt-1xx" / chip
        yield from (own, own / "noc", own / "wormhole_b0_defines")
        library = self.wheel / "tt_metal" / "hw" / "ckernels" / arch / "metal"
        yield from (library / "common", library / "llk_api", library / "llk_api" / "llk_sfpu", library / "llk_io")
        low_level = self.wheel / "tt_metal" / "tt-llk" / f"tt_llk_{arch}"
        yield from (low_level / "common" / "inc", low_level / "llk_lib")

    def _write_generated_headers(self) -> None:
        """Files that tt-metal generates for each kernel, and copies of headers that older g++ cannot read."""
        descriptors = self.work / "chlkc_descriptors.h"
        if descriptors.exists():
            return
        ones = ", ".join(["1"] * 64)
        tables = [f"constexpr uint8_t {name}[64] = {{{ones}}};" for name in _BYTE_TABLES.split()]
        tables += [f"constexpr uint16_t {name}_tile_size[64] = {{{ones}}};" for name in ("unpack", "pack")]
        (self.work / "headers").mkdir()
        (self.work / "headers" / "lltt.h").write_text(_REPLAY_LIBRARY, encoding="utf-8")
        # digamma.h includes this for every thread; what it declares is for the math thread's bodies.
        (self.work / "headers" / "llk_math_eltwise_unary_sfpu_macros.h").write_text("#pragma once\n", encoding="utf-8")
        headers = self.wheel / "tt_metal" / "hw" / "inc"
        for path in (headers / "api").rglob("*.h"):
            text = path.read_text(encoding="utf-8")
            if _ALWAYS_REFUSED.search(text):
                copy = self.work / "headers" / path.relative_to(headers)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_text(_ALWAYS_REFUSED.sub("static_assert(true", text), encoding="utf-8")
        descriptors.write_text("#pragma once\n#include <cstdint>\n" + "\n".join(tables) + "\n", encoding="utf-8")
