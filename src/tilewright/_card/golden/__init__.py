# SPDX-License-Identifier: Apache-2.0
"""Comparison of a real ttnn's results with golden functions."""
