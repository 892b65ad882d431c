# SPDX-License-Identifier: Apache-2.0
"""An operation as a package for hardware: host code for ``ttnn.generic_op``, C++ kernels, a test against torch."""

from tilewright.ops._export.package import ExportError, export_operation

__all__ = ["ExportError", "export_operation"]
