# SPDX-License-Identifier: Apache-2.0
"""Execution logs: breadcrumbs they are computed from, their model, reading, writing and audit; debug journals."""
