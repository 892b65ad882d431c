# SPDX-License-Identifier: Apache-2.0
"""Stage 3: ttnn has the operation, with its arguments by name."""

import pytest
import ttnn


def test_missing_arguments_are_a_type_error():
    with pytest.raises(TypeError):
        ttnn.variance_w_rm()


def test_wrong_type_is_a_type_error():
    with pytest.raises(TypeError):
        ttnn.variance_w_rm("no tensor")
