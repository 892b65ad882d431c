# SPDX-License-Identifier: Apache-2.0
"""How an operation gets built: its specification, the package made from it, what a run leaves, the execution log, the log's audit, the debug journal."""
