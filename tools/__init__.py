# SPDX-License-Identifier: Apache-2.0
"""Programs for maintainers: they write pages of the docs, survey kernels and lint. Nothing here is in the wheel."""
