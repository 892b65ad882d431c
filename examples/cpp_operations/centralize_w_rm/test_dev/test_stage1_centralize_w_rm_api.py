# SPDX-License-Identifier: Apache-2.0
"""Stage 1: the API exists."""

import ttnn


def test_operation_can_be_called():
    assert callable(ttnn.centralize_w_rm)
