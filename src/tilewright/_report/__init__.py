# SPDX-License-Identifier: Apache-2.0
"""Reports of a launch: HTML page, SVG, timeline, profiler CSV."""
