# SPDX-License-Identifier: Apache-2.0
"""Systems of several chips: chips, links, routers of the fabric."""
