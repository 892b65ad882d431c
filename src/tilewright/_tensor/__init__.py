# SPDX-License-Identifier: Apache-2.0
"""Tensors: chips, shapes, dtypes, layouts, memory, host to device and back."""
