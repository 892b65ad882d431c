# SPDX-License-Identifier: Apache-2.0
"""Population variance of rows."""
