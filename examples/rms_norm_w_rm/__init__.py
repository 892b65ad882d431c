# SPDX-License-Identifier: Apache-2.0
"""Rows divided by their root mean square, times gamma."""
