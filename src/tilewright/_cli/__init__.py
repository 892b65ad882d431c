# SPDX-License-Identifier: Apache-2.0
"""The ``tilewright`` command, one module per subcommand."""
