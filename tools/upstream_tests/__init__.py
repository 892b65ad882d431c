# SPDX-License-Identifier: Apache-2.0
"""Runs the unit tests of a tt-metal checkout on the simulated card and counts the results; see ``__main__.py``."""
