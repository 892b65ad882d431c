# SPDX-License-Identifier: Apache-2.0
"""What each phase of an operation really left in its circular buffer, against what it should have left."""
