# SPDX-License-Identifier: Apache-2.0
"""What people look at: a run as a page."""
