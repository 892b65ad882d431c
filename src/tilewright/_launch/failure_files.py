# SPDX-License-Identifier: Apache-2.0
"""Names of the files in which processes tell what failed, for ``tilewright exec --exit-codes``."""

# A directory for those files.
FAILURES_VARIABLE = "TILEWRIGHT_FAILURES"
# A launch that did not end well and a call of a folder's operation that raised (check/_failure_observer.py), and a test
# that failed (pytest_plugin.py).
LAUNCH_SUFFIX = ".launch.json"
TEST_SUFFIX = ".test.json"
CALL_SUFFIX = ".call.json"
