# SPDX-License-Identifier: Apache-2.0
"""Tests of rms_norm_w_rm, stage by stage."""
