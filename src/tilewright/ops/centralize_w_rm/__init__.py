# SPDX-License-Identifier: Apache-2.0
"""Rows minus their mean."""
