# SPDX-License-Identifier: Apache-2.0
"""Attention in one program: streamed over blocks of keys with a running maximum and a running sum."""
