# SPDX-License-Identifier: Apache-2.0
"""Sweeps: operations x shapes x dtypes x chips x options, each run, checked and timed."""
