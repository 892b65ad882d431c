# SPDX-License-Identifier: Apache-2.0
"""What an execution log says against itself, and what it claims without proof."""
