# SPDX-License-Identifier: Apache-2.0
"""Grading of untrusted candidates: kernels, programs, declarations and C++ folders against a task."""
