# SPDX-License-Identifier: Apache-2.0
"""Compilers, the cache, and kernels as translation units."""
