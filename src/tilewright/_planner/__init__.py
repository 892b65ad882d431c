# SPDX-License-Identifier: Apache-2.0
"""From a formula to kernels, one file a step: schedule, storage, register programs, kernel texts."""
