# SPDX-License-Identifier: Apache-2.0
"""The tests of the seven stages, for any operation: they take it, its cases and a device as fixtures."""
