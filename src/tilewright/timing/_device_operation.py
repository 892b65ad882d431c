# SPDX-License-Identifier: Apache-2.0
"""The device operation that a program belongs to, by the name tt-metal's profiler writes in ``OP CODE``.

The host does not say which device operation made a program. The folder of its kernels does:
``operations/eltwise/binary_ng/device/kernels/...`` belongs to ``BinaryNgDeviceOperation``.
"""

from __future__ import annotations

from pathlib import PurePath

from tilewright._program.program import ProgramDescriptor

# Folders whose class is not their name in capitals.
_OTHER_NAMES = {
    "embedding": "Embeddings",
    "generic": "Reduce",
    "groupnorm": "GroupNorm",
    "layernorm": "LayerNorm",
    "sdpa": "SDPA",
}
_BORROWED = {"unary"}  # folders whose readers and writers other operations use


def device_operation(program: ProgramDescriptor) -> str:
    """The device operation; empty where no kernel lies in an operation's folder of ttnn.

    Compute kernels count before readers and writers, which operations borrow from each other.
    """
    kernels = sorted(program.kernels, key=lambda kernel: not kernel.is_compute)
    folders = [folder for kernel in kernels if (folder := _folder(str(kernel.kernel_source)))]
    own = [folder for folder in folders if folder not in _BORROWED]
    return _class_name((own or folders)[0]) if folders else ""


def _folder(source: str) -> str:
    """The folder of an operation that a kernel's file lies in.

    >>> _folder("ttnn/cpp/ttnn/operations/normalization/softmax/device/kernels/compute/softmax.cpp")
    'softmax'
    """
    parts = PurePath(source).parts if "\n" not in source else ()
    if "operations" not in parts or "device" not in parts[1:]:
        return ""
    return parts[parts.index("device", 1) - 1]


def _class_name(folder: str) -> str:
    """
    >>> _class_name("binary_ng")
    'BinaryNgDeviceOperation'
    """
    name = _OTHER_NAMES.get(folder) or "".join(word[:1].upper() + word[1:] for word in folder.split("_"))
    return f"{name}DeviceOperation"
