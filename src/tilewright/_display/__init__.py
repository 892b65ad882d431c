# SPDX-License-Identifier: Apache-2.0
"""HTML fragments and text tables."""
