# SPDX-License-Identifier: Apache-2.0
"""Devices, the runner process, and launching programs."""
