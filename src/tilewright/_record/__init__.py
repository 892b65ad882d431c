# SPDX-License-Identifier: Apache-2.0
"""The record of a launch: the run, its calls, and the wire layout it comes in."""
