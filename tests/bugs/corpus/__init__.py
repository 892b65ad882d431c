# SPDX-License-Identifier: Apache-2.0
"""Real tt-metal kernel bugs, each as a small program in a buggy and a fixed twin."""
