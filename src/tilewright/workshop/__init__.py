# SPDX-License-Identifier: Apache-2.0
"""How an operation gets built: what a run leaves, the execution log, the log's audit, the debug journal."""
