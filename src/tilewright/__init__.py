# SPDX-License-Identifier: Apache-2.0
"""Build and run Tenstorrent operations without a card.

``tilewright.ttnn`` has ttnn's names: open a device, describe a program, run it::

    from tilewright import ttnn

    device = ttnn.open_device(device_id=0)
    output = ttnn.generic_op([x, y], program)

``tilewright.ops`` has operations that are ready to call::

    y = tilewright.ops.layernorm_fused_rm(x, gamma, beta)

``tilewright.operation`` makes one of a formula::

    @operation
    def centred(x: Rows):
        \"\"\"Rows minus their mean.\"\"\"
        return x - mean(x)

``tilewright.build`` makes ``ttnn.NAME`` of a folder with a C++ operation::

    tilewright.build("./variance_w_rm")
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    __version__: str

# Loaded when first asked for, so that `import tilewright` stays quick.
_MODULES = ("formula", "grade", "kernels", "metal2", "ops", "ttnn")
_LAZY = {
    "run_program": "tilewright._launch.run_program",
    "freeze": "tilewright._launch.run_program",
    "Executable": "tilewright._launch.executable",
    "RunOptions": "tilewright._launch.run_options",
    "Run": "tilewright._record.run",
    "Breakpoint": "tilewright._debug.breakpoints",
    "Stop": "tilewright._debug.stop",
    "Go": "tilewright._debug.stop",
    "debugged_launches": "tilewright._launch.debug_observer",
    "time_program": "tilewright.timing._timed_launch",
    "check_program": "tilewright.check._check_program",
    "CheckResult": "tilewright.check._check_program",
    "CheckError": "tilewright.check._check_program",
    "Finding": "tilewright.check._finding",
    "operation": "tilewright.ops._declaration",
    "Rows": "tilewright.ops._declaration",
    "Row": "tilewright.ops._declaration",
    "Column": "tilewright.ops._declaration",
    "Scalar": "tilewright.ops._declaration",
    "BroadcastTensor": "tilewright.ops._declaration",
    "Matrix": "tilewright.ops._declaration",
    "Positive": "tilewright.formula._parameters",
    "Requirement": "tilewright.formula._requirements",
    "OwnCase": "tilewright.ops._case",
    "OwnTolerance": "tilewright.ops._tolerance",
    "check_operation": "tilewright._workshop.cases",
    "build": "tilewright._cpp_ops.build",
}


def __getattr__(name: str) -> Any:
    import importlib

    if name in _MODULES:
        return importlib.import_module(f"tilewright.{name}")
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    if name == "__version__":
        return _version()
    raise AttributeError(f"module 'tilewright' has no attribute {name!r}")


def _version() -> str:
    """Version of the installed package, which git's tags give it when it is built."""
    import importlib.metadata

    try:
        return importlib.metadata.version("tilewright")
    except importlib.metadata.PackageNotFoundError:
        return "0+uninstalled"  # a source tree on the path, and no more


def __dir__() -> list[str]:
    return sorted(["__version__", *_MODULES, *_LAZY])
