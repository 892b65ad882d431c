# SPDX-License-Identifier: Apache-2.0
"""How an operation gets built: its spec, the package made from it, its stages, phases against their references."""
