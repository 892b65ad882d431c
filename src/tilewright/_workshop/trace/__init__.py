# SPDX-License-Identifier: Apache-2.0
"""Phase traces: recorded circular buffers against references."""
