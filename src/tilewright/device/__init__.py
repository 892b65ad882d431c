# SPDX-License-Identifier: Apache-2.0
"""Where a program runs: compiler and cache, engine binding, launch, and the record a run leaves."""
