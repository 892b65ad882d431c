# SPDX-License-Identifier: Apache-2.0
"""Speed, as ratios measured side by side in one run. ``python -m bench --help`` tells how."""
