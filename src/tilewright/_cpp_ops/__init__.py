# SPDX-License-Identifier: Apache-2.0
"""C++ operations in the layout of the tt-metal tree: compiled against our host headers, run on a simulated chip."""
