# SPDX-License-Identifier: Apache-2.0
"""The simulated card as tt-metal's own host code sees it: what the real ttnn runs on."""
