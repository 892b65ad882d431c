# SPDX-License-Identifier: Apache-2.0
"""Tensors and what they are made of: chips, shapes, dtypes, layouts, memory, host to device and back."""
