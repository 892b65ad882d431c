# SPDX-License-Identifier: Apache-2.0
"""Measured kernel durations of cards and the programs that compare the timing model with them."""
