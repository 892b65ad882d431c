# SPDX-License-Identifier: Apache-2.0
"""Kernel text emitted from a schedule."""
