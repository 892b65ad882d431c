# SPDX-License-Identifier: Apache-2.0
"""The stages of an operation."""
