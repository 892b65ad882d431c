# SPDX-License-Identifier: Apache-2.0
"""``@cpp_kernel`` names a wrong role or a missing file where it is declared."""

from __future__ import annotations

import pytest

from tilewright.kernels import cpp_kernel


def test_a_wrong_role_names_the_allowed_ones() -> None:
    with pytest.raises(ValueError, match="role is 'raeder'; allowed: reader, writer, compute"):
        cpp_kernel("scale.cpp", "raeder")


def test_a_missing_file_is_named_with_the_path_that_was_tried() -> None:
    with pytest.raises(FileNotFoundError, match=r"'nope.cpp' of kernel scale does not exist: .*tests/kernels"):

        @cpp_kernel("nope.cpp", "compute")
        def scale() -> None: ...
