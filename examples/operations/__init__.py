# SPDX-License-Identifier: Apache-2.0
"""Operations as declarations, a few lines each: `tilewright run examples/operations/softmax_rm.py`."""
