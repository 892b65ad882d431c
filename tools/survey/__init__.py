# SPDX-License-Identifier: Apache-2.0
"""How much of a ttnn package's kernels compiles against our kernel API."""
