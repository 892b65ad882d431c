# SPDX-License-Identifier: Apache-2.0
"""Bugs of the kinds the first corpus has few of: each in two twins, and named once."""
