# SPDX-License-Identifier: Apache-2.0
"""From the messages in a card's memory to a program, and its launch."""
