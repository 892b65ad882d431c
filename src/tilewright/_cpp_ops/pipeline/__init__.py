# SPDX-License-Identifier: Apache-2.0
"""Files of tt-metal's operation pipeline beside an operation: ``op_design.md`` and ``feature_spec.py``."""

# For the stage tests below: the operation's folder, and the seconds after which further cases are left out.
FOLDER_VARIABLE = "TILEWRIGHT_OPERATION_FOLDER"
SECONDS_VARIABLE = "TILEWRIGHT_STAGE_SECONDS"
