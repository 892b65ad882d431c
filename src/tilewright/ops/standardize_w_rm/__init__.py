# SPDX-License-Identifier: Apache-2.0
"""Rows with mean 0 and variance 1."""
