# SPDX-License-Identifier: Apache-2.0
"""From a spec to a package: the operation, its program, its kernels, references, and a test for every stage."""

from tilewright.workshop.scaffold.package import Created, ScaffoldError, create_operation, derived_spec

__all__ = ["Created", "ScaffoldError", "create_operation", "derived_spec"]
