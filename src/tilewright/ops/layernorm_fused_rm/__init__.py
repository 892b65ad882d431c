# SPDX-License-Identifier: Apache-2.0
"""Layer normalisation of rows in one program."""
