# SPDX-License-Identifier: Apache-2.0
"""Random programs whose outcome is known by construction, and faults to put into them."""
