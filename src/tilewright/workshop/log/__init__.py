# SPDX-License-Identifier: Apache-2.0
"""Execution logs: their model, how they are read and written, and the breadcrumbs they are computed from."""
