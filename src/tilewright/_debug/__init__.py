# SPDX-License-Identifier: Apache-2.0
"""Breakpoints, stopped kernels and the prompt."""
