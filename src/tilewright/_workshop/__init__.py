# SPDX-License-Identifier: Apache-2.0
"""Building an operation: derived cases, stages, phases against references, logs."""
