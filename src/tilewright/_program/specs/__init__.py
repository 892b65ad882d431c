# SPDX-License-Identifier: Apache-2.0
"""Program specs: programs with named bindings, lowered to descriptors."""
